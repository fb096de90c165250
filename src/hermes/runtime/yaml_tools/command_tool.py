"""Run a tool that is one command: its own process group, a bounded output, no shell."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

from hermes.base.errors import InvalidArguments, TimedOut, ToolError, Unavailable
from hermes.base.json import NotJson, decode
from hermes.base.messages import Json
from hermes.base.text import harmless
from hermes.runtime.entry import Handler
from hermes.runtime.yaml_tools.family import MARK, Family, new_mark
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
_GRACE_SECONDS = 1.0
_LEFTOVER_SECONDS = 0.5
_MAX_ERRORS = 20_000
_EXCERPT = 2_000

Values = Mapping[str, Json]


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
            folder = _folder(action, values, Path(ctx.cwd))
            output = Output(spec.response.max_bytes)
            if not await _run(spec, argv, folder, environment, _input(action, values), output):
                raise _too_slow(spec, argv[0], output.streams[1].text(scrub))
            return _result(spec, action, output, scrub)
        except ToolError as error:
            raise scrub.error(error) from None

    return call


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


class Kept:
    """The beginning and the end of a stream, in bounded memory."""

    def __init__(self, limit: int) -> None:
        self._room = limit * 2 // 5
        self._tail_room = limit - self._room
        self.head = bytearray()
        self.tail = bytearray()
        self.dropped = 0

    def add(self, data: bytes) -> None:
        """Take what came; the middle goes first."""
        free = self._room - len(self.head)
        self.head += data[:free]
        self.tail += data[free:]
        excess = len(self.tail) - self._tail_room
        if excess > 0:
            self.dropped += excess
            del self.tail[:excess]

    def text(self, scrub: Scrubber) -> str:
        """Return the stream as text, with a note where the middle was dropped."""
        if not self.dropped:
            return scrub.text((self.head + self.tail).decode("utf-8", "replace"))
        head = scrub.head(self.head.decode("utf-8", "replace"))
        tail = scrub.tail(self.tail.decode("utf-8", "replace"))
        return f"{head}\n… {self.dropped:,} bytes left out …\n{tail}"


class Output(asyncio.SubprocessProtocol):
    """Collect what a process says, and know when it ended and when its pipes are closed."""

    def __init__(self, limit: int) -> None:
        self.streams = {1: Kept(limit), 2: Kept(min(limit, _MAX_ERRORS))}
        self.ended = asyncio.Event()
        self.closed = asyncio.Event()
        self.code = 0

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep what came from a pipe."""
        self.streams[fd].add(data)

    def process_exited(self) -> None:
        """Note that the program ended; its children may live on."""
        self.ended.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        """Note that nobody holds the pipes any more."""
        self.closed.set()


async def _run(
    spec: ToolSpec,
    argv: list[str],
    folder: Path,
    environment: dict[str, str],
    stdin: bytes | None,
    output: Output,
) -> bool:
    """Run a program to its end and say whether it came in time; nothing of its group stays.

    When it is stopped, or what it left behind still holds its pipes, nothing that it started stays.
    """
    mark = new_mark()
    environment = {**environment, MARK: mark}
    spawn = _spawn(argv, folder, environment, output, has_input=stdin is not None)
    transport = await _started(argv[0], spawn, mark, output)
    family = Family(transport.get_pid(), mark)
    try:
        async with asyncio.timeout(spec.timeout_seconds):
            _feed(transport, stdin)
            await output.ended.wait()
            output.code = transport.get_returncode() or 0
            await _closed(output, _LEFTOVER_SECONDS)
    except TimeoutError:
        return False
    finally:
        if not output.closed.is_set():
            await _stop(family, output)
        family.send_to_group(signal.SIGKILL)
        transport.close()
    return True


async def _spawn(
    argv: list[str], folder: Path, environment: dict[str, str], output: Output, *, has_input: bool
) -> asyncio.SubprocessTransport:
    transport, _ = await asyncio.get_running_loop().subprocess_exec(
        lambda: output,
        *argv,
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.PIPE if has_input else asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    return transport


async def _started(
    program: str,
    spawn: Coroutine[Any, Any, asyncio.SubprocessTransport],
    mark: str,
    output: Output,
) -> asyncio.SubprocessTransport:
    spawning = asyncio.ensure_future(spawn)
    try:
        transport = await asyncio.shield(spawning)
    except OSError as error:
        raise ToolError(
            f"{program} cannot be started: {error.strerror}", code="not_started"
        ) from None
    except asyncio.CancelledError:  # asyncio itself would end the program, but not its children
        transport = await spawning
        await _kill(Family(transport.get_pid(), mark), output)
        transport.close()
        raise
    return transport


def _feed(transport: asyncio.SubprocessTransport, stdin: bytes | None) -> None:
    pipe: Any = transport.get_pipe_transport(0)
    if stdin is not None and pipe is not None:
        pipe.write(stdin)
        pipe.close()


async def _closed(output: Output, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(output.closed.wait(), seconds)


async def _stop(family: Family, output: Output) -> None:
    """End a program and all that it started: ask first, then insist, even when interrupted."""
    try:
        family.send(signal.SIGTERM)
        await _closed(output, _GRACE_SECONDS)
    finally:
        await _kill(family, output)


async def _kill(family: Family, output: Output) -> None:
    family.kill()
    await _closed(output, _GRACE_SECONDS)


def _too_slow(spec: ToolSpec, program: str, said: str) -> TimedOut:
    return TimedOut(
        f"{Path(program).name} ran longer than {spec.timeout_seconds:g} s and was stopped",
        hint="Ask for less work at once; a person may raise timeout_seconds in the tool's file.",
        stdout=harmless(said, limit=_EXCERPT),
    )


def _result(spec: ToolSpec, action: CommandAction, output: Output, scrub: Scrubber) -> Json:
    said, complaints = output.streams[1], output.streams[2].text(scrub)
    if output.code not in action.success_codes:
        raise _failed(spec, output, complaints, said.text(scrub))
    result: dict[str, Json] = {"exit_code": output.code, **_content(said, spec.response, scrub)}
    if complaints.strip():
        result["stderr"] = complaints
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
    why = harmless(complaints or said, limit=_EXCERPT)
    return ToolError(
        f"{spec.name} {how}" + (f": {why}" if why else ""),
        code="exit_code",
        exit_code=code,
        **(
            {"stdout": harmless(said, limit=_EXCERPT)}
            if complaints.strip() and said.strip()
            else {}
        ),
    )
