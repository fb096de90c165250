"""Run a tool that is one command: inside the boundary, a bounded output, no shell."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from hermes.base.errors import (
    InvalidArguments,
    ServiceMissing,
    TimedOut,
    ToolError,
    Unavailable,
)
from hermes.base.json import NotJson, decode
from hermes.base.messages import Json
from hermes.base.text import harmless
from hermes.runtime.boundary import Boundary, Launch
from hermes.runtime.entry import Handler
from hermes.runtime.yaml_tools import unconfined
from hermes.runtime.yaml_tools.confined import Place
from hermes.runtime.yaml_tools.output import Kept, Output
from hermes.runtime.yaml_tools.scrub import Scrubber
from hermes.runtime.yaml_tools.spec.json_path import pick
from hermes.runtime.yaml_tools.spec.spec import CommandAction, Response, Secret, ToolSpec
from hermes.runtime.yaml_tools.spec.templates import (
    Unset,
    as_text,
    fill,
    fill_text,
    placeholders,
    whole,
)

KEPT_VARIABLES = frozenset({"PATH", "HOME", "LANG", "TERM", "TMPDIR", "TZ", "USER", "SHELL"})
_USUAL_PATH = "/usr/local/bin:/usr/bin:/bin"
_EXCERPT = 2_000
_SIGNALLED = 128
_ASK = (
    "The sandbox held it back; do without, or ask the user to allow it: in the tool's file with "
    "`sandbox: {writable: [PATH]}`, `sandbox: {network: on}` or `sandbox: off`."
)

Values = Mapping[str, Json]
Run = Callable[[Launch, bytes | None, float, Output], Awaitable[bool]]


def handler(spec: ToolSpec, action: CommandAction) -> Handler:
    """Return the handler of a command tool."""

    async def call(args: dict[str, Json], **kw: Any) -> Json:
        ctx = kw["ctx"]
        secrets = {name: _secret(ctx, name) for name in spec.secrets}
        scrub = Scrubber(secrets.values())
        values = spec.values(args)
        try:
            environment = _environment(action, values, ctx.environment(), secrets)
            argv = arguments(spec, action, values)
            argv[0] = _program(argv[0], environment.get("PATH", _USUAL_PATH))
            launch = Launch(argv, str(_folder(action, values, Path(ctx.cwd))), environment)
            output = Output(spec.response.max_bytes)
            given, seconds = _input(action, values), spec.timeout_seconds
            if not await _runner(action, ctx)(launch, given, seconds, output):
                raise _too_slow(spec, argv[0], output.said.text(scrub))
            return _result(spec, action, output, scrub)
        except ToolError as error:
            raise scrub.error(error) from None

    return call


def _runner(action: CommandAction, ctx: Any) -> Run:
    """Return what runs the program: the boundary, unless there is none or the file says so."""
    try:
        boundary: Boundary = ctx.use(Boundary)
    except ServiceMissing:  # a handler that is used without a runtime
        return unconfined.run
    if action.wants.is_off and boundary.lets_out():
        return unconfined.run
    return Place(boundary, ctx, action.wants).run


def _secret(ctx: Any, name: str) -> str:
    value = ctx.secret(name)
    if not value:
        raise Unavailable(
            f"the environment variable {name} is not set", hint=f"A person must set {name} first."
        )
    return str(value)


def arguments(spec: ToolSpec, action: CommandAction, values: Values) -> list[str]:
    """Return the program and its arguments for one call; a value can never become an option.

    Raises:
        InvalidArguments: a value would be read as an option, or has a NUL character.
    """
    free = {item.name for item in spec.parameters if item.allow_options}
    _check_program(spec, action, values)
    words: list[str] = []
    for item in action.argv:
        group = item if isinstance(item, tuple) else (item,)
        try:
            words += [word for template in group for word in _words(template, values, free)]
        except Unset:
            continue
    if any("\0" in word for word in words):
        raise InvalidArguments("an argument has a NUL character", hint="Leave it out.")
    return words


def _check_program(spec: ToolSpec, action: CommandAction, values: Values) -> None:
    chosen = placeholders(action.argv[0])
    for item in spec.parameters:
        if item.name in chosen and values.get(item.name) not in (item.enum or ()):
            raise InvalidArguments(f"{item.name} is not one of {list(item.enum or ())}")


def _words(template: str, values: Values, free: set[str]) -> list[str]:
    name = whole(template)
    value = values.get(name) if name else None
    if isinstance(value, list):
        words = [as_text(item) for item in value]
    else:
        words = [fill_text(template, values)]
    leads = placeholders(template) if template.startswith("{") else ()
    if leads and leads[0] not in free and not template.startswith("{{"):
        for word in words:
            _refuse_option(leads[0], word)
    return words


def _refuse_option(name: str, word: str) -> None:
    if word.startswith("-"):
        raise InvalidArguments(
            f"{name}: {word[:60]!r} starts with '-' and would be read as an option",
            hint="Give a value that does not start with '-'; for a path, put ./ before it.",
        )


def _environment(
    action: CommandAction, values: Values, base: Mapping[str, str], secrets: Mapping[str, str]
) -> dict[str, str]:
    kept = {
        name: value
        for name, value in base.items()
        if name in KEPT_VARIABLES or name.startswith("LC_")
    }
    for name, template in action.env.items():
        if isinstance(template, Secret):
            kept[name] = secrets[template.env]
            continue
        with contextlib.suppress(Unset):
            kept[name] = fill_text(template, values)
    if any("\0" in value for value in kept.values()):
        raise InvalidArguments("a variable has a NUL character", hint="Leave it out.")
    return kept


def _program(name: str, path: str) -> str:
    found = shutil.which(name, path=path)
    if found is None:
        raise Unavailable(
            f"the program {name!r} is not installed or not on PATH",
            hint=f"A person must install {Path(name).name!r} with the system's package manager.",
        )
    return found


def _folder(action: CommandAction, values: Values, cwd: Path) -> Path:
    folder = cwd
    if action.cwd is not None:
        with contextlib.suppress(Unset):
            folder = cwd / fill_text(action.cwd, values)
    if "\0" in str(folder) or not folder.is_dir():
        raise ToolError(
            f"there is no folder {str(folder)!r}", code="not_found", hint="Check the path."
        )
    return folder


def _input(action: CommandAction, values: Values) -> bytes | None:
    if action.stdin is None:
        return None
    try:
        return as_text(fill(action.stdin, values)).encode("utf-8", "replace")
    except Unset:
        return None


def _too_slow(spec: ToolSpec, program: str, said: str) -> TimedOut:
    return TimedOut(
        f"{Path(program).name} ran longer than {spec.timeout_seconds:g} s and was stopped",
        hint="Ask for less work at once; a person may raise timeout_seconds in the tool's file.",
        stdout=harmless(said, limit=_EXCERPT),
    )


def _result(spec: ToolSpec, action: CommandAction, output: Output, scrub: Scrubber) -> Json:
    said, complaints = output.said, output.complaints.text(scrub)
    if output.code not in action.success_codes:
        raise _failed(spec, output, complaints, said.text(scrub))
    result: dict[str, Json] = {"exit_code": output.code, **_content(said, spec.response, scrub)}
    if complaints.strip():
        result["stderr"] = complaints
    if output.denied_by:
        result |= {"denied_by": output.denied_by, "hint": _ASK}
    return result


def _content(said: Kept, response: Response, scrub: Scrubber) -> dict[str, Json]:
    is_cut = said.dropped > 0
    text = said.text(scrub)
    if response.format == "text":
        return {"stdout": text, "truncated": is_cut}
    if response.format == "lines":
        return {"lines": text.splitlines(), "truncated": is_cut}
    if is_cut:
        raise ToolError(
            f"the output is larger than {response.max_bytes:,} bytes",
            code="too_large",
            hint="Ask for less; a person may raise response.max_bytes in the tool's file.",
        )
    try:
        return {"value": scrub.value(pick(decode(text), response.path))}
    except NotJson:
        raise ToolError(
            f"the output is not JSON: {harmless(text, limit=500)}",
            code="not_json",
            hint="A person may set `response: {format: text}` in the tool's file.",
        ) from None


def _failed(spec: ToolSpec, output: Output, complaints: str, said: str) -> ToolError:
    code = output.code
    how = f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code}"
    if code > _SIGNALLED:  # so shells and sandboxes tell of a signal
        how += f", as after signal {code - _SIGNALLED}"
    why = harmless(complaints or said, limit=_EXCERPT)
    more: dict[str, Json] = {}
    if complaints.strip() and said.strip():
        more["stdout"] = harmless(said, limit=_EXCERPT)
    if output.denied_by:
        more["denied_by"] = output.denied_by
    return ToolError(
        f"{spec.name} {how}" + (f": {why}" if why else ""),
        hint=_ASK if output.denied_by else None,
        code="exit_code",
        exit_code=code,
        **more,
    )
