"""Permanent grants as readable rules, as ``command_allowlist`` in config.yaml holds them.

    npm run build --watch @ /home/me/app
    git push --force origin topic @ /home/me/app => history-rewrite: overwrites history on ...
    tool:env_manager[env:write] action=set name=CI value=1 !* @ /home/me/app
    tool:write_file path=/home/me/notes/**

A command, or a tool with its arguments; ``@`` the folder it holds in; ``=>`` each danger that was
approved with it. ``!*`` means: and no other argument. A person may leave out everything behind the
command or the tool's name, and end a path in ``/**``. A danger that is not named is not covered.
"""

from __future__ import annotations

import json
import os.path
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, get_args

from hermes.policy.paths.places import Places
from hermes.policy.shapes import Shape, exactly, reaches_of, real
from hermes.policy.shell.command_lines import CommandLine, command_line
from hermes.policy.shell.effects import Category
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand

NEVER = frozenset(
    {
        "opaque", "obfuscation", "privilege", "exfiltration", "network-exec", "infrastructure",
        "database",
    }
)  # fmt: skip
"""Dangers that are asked about every time."""

LONGEST = 600
_CATEGORIES = frozenset(get_args(Category))
_RUNNING = frozenset({"execute", "run"})
_PASSIVE = frozenset(
    {
        "timeout", "timeout_seconds", "description", "workdir", "cwd", "working_directory",
        "working_dir",
    }
)  # fmt: skip
"""Arguments beside a command that do not change what it does, or are the folder it runs in."""

_TOOL = re.compile(r"tool:([^\s\[\]]+)(?:\[([^\s\[\]]*)\])?(?:\s+(.*))?", re.DOTALL)
_KINDS = {"file": "path", "network": "host"}


class Rule(NamedTuple):
    """One permanent grant, taken apart."""

    text: str
    command: str = ""
    tool: str = ""
    permissions: tuple[str, ...] | None = None
    """The permissions that were approved; None for whatever the tool needs."""
    arguments: Mapping[str, str] = {}
    """JSON of each argument that must be so; paths may end in ``/**``."""
    is_closed: bool = False
    folder: str = ""
    dangers: tuple[tuple[str, str], ...] = ()
    """Category and sentence; without a sentence, the whole category."""


def read(text: str) -> Rule:
    """Return the rule that a text stands for.

    Raises:
        ValueError: it is none; the message says why.
    """
    head, *dangers = text.strip().split(" => ")
    rule = Rule(text.strip(), dangers=tuple(_danger(each) for each in dangers))
    before, mark, folder = head.rpartition(" @ ")
    if mark and folder.strip().startswith("/"):
        head, rule = before, rule._replace(folder=folder.strip())
    head = head.strip()
    if not head:
        raise ValueError("names neither a command nor a tool")
    if not head.startswith("tool:"):
        return rule._replace(command=head)
    return _tool_rule(rule, head)


def _danger(text: str) -> tuple[str, str]:
    category, _, sentence = text.strip().partition(": ")
    if category not in _CATEGORIES:
        raise ValueError(f"{category!r} is not a kind of danger")
    return category, sentence.strip()


def _tool_rule(rule: Rule, head: str) -> Rule:
    found = _TOOL.fullmatch(head)
    if found is None:
        raise ValueError("a tool is written as tool:NAME key=value …")
    arguments: dict[str, str] = {}
    is_closed = False
    for word in shlex.split(found[3] or ""):
        key, equals, value = word.partition("=")
        if word == "!*":
            is_closed = True
        elif not equals or not key.rstrip(":"):
            raise ValueError(f"{word!r} is not key=value")
        elif key.endswith(":"):
            arguments[key[:-1]] = exactly(json.loads(value))
        else:
            arguments[key] = exactly(value)
    permissions = None if found[2] is None else tuple(filter(None, found[2].split(",")))
    return rule._replace(
        tool=found[1], permissions=permissions, arguments=arguments, is_closed=is_closed
    )


def write(shape: Shape) -> str:
    """Return the rule that grants a call of this shape for good."""
    head = _command_of(shape) or _tool_of(shape)
    dangers = (f"{category}: {what}" for category, what in sorted(shape.findings))
    return " => ".join((f"{head} @ {shape.folder}", *dangers))


def _command_of(shape: Shape) -> str | None:
    if not _is_only_a_command(shape):
        return None
    return shape.lines[0][1].text


def _is_only_a_command(shape: Shape) -> bool:
    return (
        len(shape.lines) == 1
        and not shape.aims
        and all(name in _PASSIVE for name, _ in shape.arguments)
        and bool(shape.permissions)
        and all(name.rpartition(":")[2] in _RUNNING for name in shape.permissions)
    )


def _tool_of(shape: Shape) -> str:
    words = [f"tool:{shape.tool}[{','.join(shape.permissions)}]"]
    words += [_argument(name, json.loads(text)) for name, text in shape.arguments]
    for name, aims in shape.aims:
        found = sorted(aims)
        words.append(_argument(name, found[0] if len(found) == 1 else found))
    words += [_argument(name, line.text) for name, line in shape.lines]
    return " ".join((*words, "!*"))


def _argument(name: str, value: Any) -> str:
    if isinstance(value, str):
        return shlex.quote(f"{name}={value}")
    return shlex.quote(f"{name}:={exactly(value)}")


def covers(rule: Rule, shape: Shape, places: Places | None) -> bool:
    """Say whether a permanent grant covers a call; a danger that it does not name is never."""
    if shape.categories & NEVER or not all(_is_named(rule, *one) for one in shape.findings):
        return False
    if rule.folder and real(rule.folder) != shape.folder:
        return False
    if rule.tool:
        return _covers_tool(rule, shape)
    return places is not None and _covers_command(rule, shape, places)


def _is_named(rule: Rule, category: str, what: str) -> bool:
    return any(
        category == named and (not sentence or sentence == what) for named, sentence in rule.dangers
    )


def _covers_command(rule: Rule, shape: Shape, places: Places) -> bool:
    if not _is_only_a_command(shape):
        return False
    meaning = understand(rule.command, Place(shape.folder, places))
    mine = command_line(
        rule.command, meaning.commands, shape.folder, is_understood=meaning.is_understood
    )
    reaches = reaches_of(
        (permission, subject, _KINDS.get(permission.partition(":")[0], ""))
        for permission, subject in meaning.needs
    )
    return mine.covers(shape.lines[0][1]) and shape.reaches <= reaches


def _covers_tool(rule: Rule, shape: Shape) -> bool:
    if rule.tool != shape.tool:
        return False
    if rule.permissions is not None and rule.permissions != shape.permissions:
        return False
    given = {
        **dict(shape.arguments),
        **{name: exactly(line.text) for name, line in shape.lines},
    }
    aims = dict(shape.aims)
    names = given.keys() | aims.keys()
    if not rule.arguments.keys() <= names or (rule.is_closed and rule.arguments.keys() != names):
        return False
    return all(
        _are_within(wanted, aims[name]) if name in aims else given[name] == wanted
        for name, wanted in rule.arguments.items()
    )


def _are_within(wanted: str, aims: frozenset[str]) -> bool:
    value = json.loads(wanted)
    allowed = value if isinstance(value, list) else [value]
    return all(any(_is_within(aim, each) for each in allowed) for aim in aims)


def _is_within(aim: str, allowed: Any) -> bool:
    if not isinstance(allowed, str):
        return False
    if allowed.endswith("/**") and aim.startswith("/"):
        folder = real(allowed[:-3])
        return aim.startswith(folder.rstrip("/") + "/")
    return aim == (real(allowed) if allowed.startswith("/") else allowed)


def withheld(shape: Shape, places: Places | None, *, is_hidden: bool = False) -> str:
    """Return why a call can only be approved for now, or nothing when it may be for good."""
    danger = next(iter(sorted(shape.categories & NEVER)), None)
    if danger:
        return f"such a danger ({danger}) is asked about every time"
    if is_hidden:
        return "it holds characters that cannot be seen"
    if reason := _of_lines(line for _, line in shape.lines):
        return reason
    if any(name.startswith("code:") for name in shape.permissions):
        return "it runs code"
    rule = write(shape)
    if len(rule) > LONGEST:
        return "it is too long for a rule"
    if not rule.isprintable():
        return "it does not fit on one line of a rule"
    return "" if _comes_back(rule, shape, places) else "it cannot be written as a rule"


def _of_lines(lines: Iterable[CommandLine]) -> str:
    for line in lines:
        if not line.is_understood:
            return "it is not understood"
        if line.interpreter:
            return f"{os.path.basename(line.interpreter)} runs whatever it is given"  # noqa: PTH119
    return ""


def _comes_back(rule: str, shape: Shape, places: Places | None) -> bool:
    """Say whether a rule, read again, is about this very call."""
    try:
        found = read(rule)
    except ValueError:
        return False
    command = _command_of(shape)
    if command is None:
        is_same = found.is_closed and found.permissions == shape.permissions
    else:
        is_same = found.command == command
    return (
        is_same
        and found.folder == shape.folder
        and set(found.dangers) == shape.findings
        and not any("/**" in text for text in found.arguments.values())
        and covers(found, shape, places)
    )
