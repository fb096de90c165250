"""Read and check a tool that is one command, given as a list of arguments and never to a shell."""

from __future__ import annotations

import re
from pathlib import PurePath

from hermes.base.messages import Json
from hermes.runtime.boundary import NETWORKS, Network, Wants
from hermes.runtime.yaml_tools.spec.fields import Fields, shown
from hermes.runtime.yaml_tools.spec.http import check_known, read_value
from hermes.runtime.yaml_tools.spec.spec import CommandAction, Parameter, Secret
from hermes.runtime.yaml_tools.spec.templates import as_text, placeholders

KEYS = ("argv", "cwd", "env", "stdin", "success_codes", "sandbox")
_INTERPRETER = re.compile(
    r"(?:ba|z|da|k|c|tc|fi)?sh|busybox|pwsh|powershell|cmd|eval|python[0-9.]*|perl|ruby|node|php"
)
_CODE_OPTION = re.compile(r"-[A-Za-z]*[cer]|/c|--eval|--command|--execute", re.I)
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PLACE = r"(?!.*/\.\.(?:/|\Z))~?/+[^\0/][^\0]*"
_SHELL_SIGNS = re.compile(r"(?:\|\|?|&&?|>>?|<)\Z")

Argv = tuple[str | tuple[str, ...], ...]


def read_command(tool: Fields, parameters: tuple[Parameter, ...]) -> CommandAction:
    """Return the command that a tool file describes; every parameter is used in it."""
    argv = _argv(tool)
    action = CommandAction(
        argv=argv,
        cwd=tool.text("cwd", example=".") if tool.has("cwd") else None,
        env=_env(tool),
        stdin=_stdin(tool),
        success_codes=tool.integers("success_codes", (0,), 0, 255),
        wants=_wants(tool),
    )
    if argv:
        _check_program(tool, flat(argv)[0], parameters)
        _check_code(tool, flat(argv))
    places = {"argv": list(argv), "cwd": action.cwd, "env": action.env, "stdin": action.stdin}
    for key, template in places.items():
        check_known(tool, key, template, parameters)
    used = placeholders(list(places.values()))
    for item in parameters:
        if item.name not in used:
            fix = f"Write {{{item.name}}} where it belongs in `argv`, or remove the parameter."
            tool.wrong("parameters", f"{item.name!r} is never used", fix)
        if item.location is not None:
            tool.wrong(
                "parameters", f"{item.name!r}: a command has no locations", "Remove `location`."
            )
    return action


def flat(argv: Argv) -> tuple[str, ...]:
    """Return the arguments with groups taken apart."""
    return tuple(word for item in argv for word in (item if isinstance(item, tuple) else (item,)))


def _argv(tool: Fields) -> Argv:
    value = tool.value.get("argv")
    fix = 'Write a list: `argv: ["git", "-C", "{path}", "log"]`.'
    if isinstance(value, str):
        tool.wrong("argv", "must be a list; a command line for a shell is not accepted", fix)
    elif not isinstance(value, list) or not value:
        message = (
            "missing 'argv'"
            if value is None
            else f"must be a list with a program, not {shown(value)}"
        )
        tool.wrong("argv" if "argv" in tool.value else None, message, fix)
    else:
        return _items(tool, value)
    return ()


def _items(tool: Fields, items: list[Json]) -> Argv:
    words: list[str | tuple[str, ...]] = []
    for position, item in enumerate(items):
        fields = tool.inner({}, "argv", position)
        group = item if isinstance(item, list) and position else [item]
        if not group or any(isinstance(word, (dict, list)) or word is None for word in group):
            fields.wrong(None, f"must be text, not {shown(item)}", "Quote it.")
            continue
        texts = tuple(as_text(word) for word in group)
        if any("\0" in text for text in texts):
            fields.wrong(None, "has a NUL character", "Remove it.")
        if len(texts) == 1 and _SHELL_SIGNS.match(texts[0]):
            fix = "There is no shell: pass input with `stdin`, and do further steps in a script."
            fields.wrong(None, f"{texts[0]!r} would be an ordinary argument", fix)
        words.append(texts if isinstance(item, list) else texts[0])
    return tuple(words)


def _check_program(tool: Fields, program: str, parameters: tuple[Parameter, ...]) -> None:
    fields = tool.inner({}, "argv", 0)
    limited = {item.name for item in parameters if item.enum is not None}
    if set(placeholders(program)) - limited:
        fix = "Write the program's name, or give the parameter an `enum` of allowed programs."
        fields.wrong(None, "a call could choose any program", fix)
    elif not program.strip() or ("/" in program and not PurePath(program).is_absolute()):
        fix = "Write a name that is found on PATH, or an absolute path."
        fields.wrong(None, f"{shown(program)} is not a program's name", fix)


def _check_code(tool: Fields, words: tuple[str, ...]) -> None:
    """Refuse a value that an interpreter would read as code: ``sh -c "ls {path}"``."""
    seen = False
    for position, word in enumerate(words[:-1]):
        seen = seen or bool(_INTERPRETER.fullmatch(PurePath(word).name))
        if seen and _CODE_OPTION.fullmatch(word) and placeholders(words[position + 1]):
            fix = 'Pass it as an argument: ["sh", "-c", "ls -- \\"$1\\"", "sh", "{path}"].'
            tool.wrong(
                "argv", f"the value in {shown(words[position + 1])} would be read as code", fix
            )


def _env(tool: Fields) -> dict[str, str | Secret]:
    fields = tool.mapping("env")
    env: dict[str, str | Secret] = {}
    for name in fields.value:
        value = read_value(fields, name)
        if not _ENV_NAME.match(name):
            fields.wrong(
                name, f"{shown(name)} is not a variable's name", "Use letters, digits and _."
            )
        elif isinstance(value, (dict, list)) or value is None:
            fix = f'Write `{name}: "text"` or `{name}: {{value_env: MY_VARIABLE}}`.'
            fields.wrong(name, f"must be text, not {shown(value)}", fix)
        else:
            env[name] = value if isinstance(value, Secret) else as_text(value)
    return env


def _stdin(tool: Fields) -> str | None:
    value = tool.value.get("stdin")
    return None if value is None else as_text(value)


def _wants(tool: Fields) -> Wants:
    """Return what the file says of the sandbox: ``off``, or what is different in its box."""
    given = tool.value.get("sandbox")
    if given is None or given == "off":
        return Wants(is_off=given == "off")
    if not isinstance(given, dict):
        fix = "Write `sandbox: off`, or `sandbox: {network: on, writable: [~/notes]}`."
        tool.wrong("sandbox", f"cannot be {shown(given)}", fix)
        return Wants()
    fields = tool.inner(given, "sandbox")
    fields.only(("network", "writable"))
    network: Network | None = None
    if fields.has("network"):
        network = fields.choice("network", NETWORKS, "off")
    writable = fields.words("writable", _PLACE, "~/notes")
    return Wants(writable, network)
