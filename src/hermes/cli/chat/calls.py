"""What a person is told of a call: one line, and the parts of its answer that matter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from hermes.base.messages import Json
from hermes.cli.chat.safe import one_line
from hermes.cli.moments import took

_UNITS = ("B", "kB", "MB", "GB")
_LONGEST_VALUE = 60
_MOST_ARGUMENTS = 4


class Call(NamedTuple):
    """A call that was answered, under the number that ``/show`` knows it by."""

    number: int
    name: str
    args: Json
    result: str
    is_error: bool
    seconds: float
    icon: str = ""
    parameters: Mapping[str, Json] | None = None
    """The schema of the tool's parameters, where the tool is known."""

    @property
    def what(self) -> str:
        """What it was called with, in few words."""
        return telling(self.args, self.parameters)

    @property
    def facts(self) -> str:
        """How long it took and how much it answered."""
        return f"{took(self.seconds)} · {size(len(self.result.encode('utf-8', 'replace')))}"


def arguments_of(args: Json) -> dict[str, Json]:
    """Return the arguments of a call as an object, also where the model sent them as text."""
    if isinstance(args, str):
        try:
            args = json.loads(args)
        except (ValueError, RecursionError):
            return {"": args} if args.strip() else {}
    if args is None:
        return {}
    return dict(args) if isinstance(args, Mapping) else {"": args}


def telling(args: Json, parameters: Mapping[str, Json] | None = None) -> str:
    """Return the arguments in few words: the needed ones first, the first of them without name."""
    given = arguments_of(args)
    required = [name for name in (parameters or {}).get("required", ()) if name in given]
    ordered = [*required, *(name for name in given if name not in required)]
    words: list[str] = []
    for name in ordered[:_MOST_ARGUMENTS]:
        value = one_line(_text(given[name]), _LONGEST_VALUE)
        words.append(value if not words or not name else f"{one_line(name, 20)}={value}")
    more = len(ordered) - len(words)
    return " ".join([*words, f"+{more}"] if more > 0 else words)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def size(count: int) -> str:
    """Return a number of bytes as people write it."""
    value = float(count)
    for unit in _UNITS:
        if value < 999.5 or unit == _UNITS[-1]:
            break
        value /= 1000
    return f"{value:.0f} {unit}" if value >= 10 or unit == "B" else f"{value:.1f} {unit}"


class Trouble(NamedTuple):
    """Why a call gave no result."""

    message: str
    code: str = ""
    hint: str = ""


def trouble(result: str) -> Trouble:
    """Return the error in an answer."""
    value = parsed(result)
    if not isinstance(value, dict) or "error" not in value:
        return Trouble(result)
    return Trouble(str(value["error"]), str(value.get("code", "")), str(value.get("hint") or ""))


def parsed(result: str) -> Json:
    """Return the value of an answer, or its text where it is no JSON."""
    try:
        return json.loads(result)
    except (ValueError, RecursionError):
        return result


def diff_of(result: str) -> str:
    """Return the unified diff in an answer, or nothing."""
    if '"diff"' not in result:
        return ""
    value = parsed(result)
    found = value.get("diff") if isinstance(value, dict) else None
    return found if isinstance(found, str) and "@@" in found else ""
