"""Read calls that are written as JSON, and save what can be saved of broken ones."""

from __future__ import annotations

import json
import re

from hermes.base.messages import Json
from hermes.llm.dialects.forms import UNREADABLE, Found, Reader, Reading, Written, first_of, skip

_DECODER = json.JSONDecoder(strict=False)
_NAMES = ("name", "tool_name", "tool", "function", "function_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "params")
_AROUND = ("tool_calls", "function")
_ABOUT = (*_NAMES, "type", "id", "index")
_NAME = re.compile(rf"[\"']?\b(?:{'|'.join(_NAMES)})[\"']?\s*:\s*[\"']([\w.:-]+)[\"']")
_BEGIN = re.compile(rf"[\"']?\b(?:{'|'.join(_ARGUMENTS)})[\"']?\s*:\s*")
_MORE = re.compile(r"(?!type|function|id|call_|tool_calls)\b\w+")
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.S)
_SURPLUS = re.compile(r"[\s}\],;]*")
_VALUE = re.compile(r"\{|\[\s*(?:[\[{\]]|\Z)")
_FENCE = re.compile(r"```[ \t]*(?:json)?[ \t]*(?:\r?\n\s*|(?=[{\[]))")
_FENCE_BEGUN = re.compile(r"`{1,3}[ \t]{0,9}j?s?o?n?[ \t]{0,9}\r?\Z")


def clean(name: str) -> str:
    """Return a tool's name without what some models put around it."""
    name = name.strip().removeprefix("functions.")
    return re.sub(r":\d+$", "", name) or UNREADABLE


def value_at(text: str, at: int) -> tuple[Json, int] | None:
    """Return the JSON value that begins there and where it ends."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None


def arguments_of(text: str) -> Json:
    """Return the object that a text is, or the text as it is when it is no whole JSON object."""
    body = text.strip()
    found = value_at(body, 0) if body.startswith("{") else None
    if found is None or not isinstance(found[0], dict) or body[found[1] :].strip():
        return body
    return found[0]


def calls_of(value: Json, depth: int = 4) -> tuple[Written, ...] | None:
    """Return the calls that a JSON value asks for, or None when it asks for none."""
    if depth == 0:
        return None
    if isinstance(value, list):
        found = [calls_of(item, depth - 1) for item in value]
        calls = tuple(one for some in found if some for one in some)
        return calls if value and all(found) else None
    if not isinstance(value, dict):
        return None
    for key in _AROUND:
        if isinstance(value.get(key), (dict, list)):
            return calls_of(value[key], depth - 1)
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "").strip()
    if not name:
        return None
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    if given is None:  # the arguments stand beside the name instead of in an object
        given = {key: one for key, one in value.items() if key not in (*_ABOUT, *_ARGUMENTS)}
    return (Written(clean(name), given),)


def explicit_calls(value: Json) -> tuple[Written, ...] | None:
    """Return the calls of a JSON value if each says its arguments, as other data hardly does."""
    calls = calls_of(value)
    return calls if calls and _says_arguments(value) else None


def _says_arguments(value: Json) -> bool:
    if isinstance(value, list):
        return all(map(_says_arguments, value))
    if not isinstance(value, dict):
        return False
    inner = next((value[key] for key in _AROUND if isinstance(value.get(key), (dict, list))), None)
    return any(key in value for key in _ARGUMENTS) if inner is None else _says_arguments(inner)


def explicitly_salvaged(body: str) -> tuple[Written, ...]:
    """Return what was meant by broken JSON that says arguments, or nothing."""
    return salvaged(body) if _BEGIN.search(body) else ()


def salvaged(body: str) -> tuple[Written, ...]:
    """Return what was meant by JSON that is broken: the name, and the arguments as written.

    Where more was written than these two, the arguments are all of it.
    """
    name = _NAME.search(body)
    if name is None:
        return (Written(UNREADABLE, body.strip()),)
    begin = _BEGIN.search(body)
    if begin is None:
        return (Written(clean(name[1]), body.strip()),)
    if begin.start() < name.start():
        given = re.sub(r",\s*$", "", body[begin.end() : name.start()])
        others = body[: begin.start()] + body[name.end() :]
    else:
        given = _without_surplus(body[begin.end() :])
        others = body[: name.start()] + body[name.end() : begin.start()]
    return (Written(clean(name[1]), body.strip() if _MORE.search(others) else given),)


def _without_surplus(text: str) -> str:
    """Drop the brace that closed the object around the arguments."""
    text = text.strip().removesuffix("]").rstrip() if text.count("]") > text.count("[") else text
    text = text.strip()
    bare = _STRING.sub("", text)
    if text.endswith("}") and bare.count("}") > bare.count("{"):
        text = text[:-1].rstrip()
    return text


def json_body(closes: tuple[str, ...], others: tuple[str, ...] = ()) -> Reader:
    """Return the reader of one JSON value that is followed by one of the marks.

    With marks to come, nothing is read before one of them is there: a long call is then decoded
    once and not with every piece of it. ``others`` are marks that may stand there instead.
    """
    stops = (*closes, *others)

    def read(text: str, start: int, is_over: bool) -> Reading:
        fence = _FENCE.match(text, start)
        at = fence.end() if fence else start
        if at >= len(text) or (not fence and _FENCE_BEGUN.match(text, start)):
            return None if is_over else "wait"
        if not is_over and text[at] == "[" and skip(text, at + 1) == len(text):
            return "wait"
        if not _VALUE.match(text, at) or first_of(text[at : at + 32], 0, others) == 0:
            return None
        if closes and not is_over and first_of(text, at, stops) < 0:
            return "wait"
        found = value_at(text, at)
        if found is None:
            return _broken(text, at, stops, is_over)
        calls = calls_of(found[0])
        if calls is None:
            calls = (Written(UNREADABLE, text[at : found[1]]),)
        return _after(text, Found(found[1], calls), is_fenced=bool(fence), is_over=is_over)

    return read


def _after(text: str, found: Found, *, is_fenced: bool, is_over: bool) -> Reading:
    """Leave out the rest of a fence, and braces too many, that stand before what follows."""
    after = skip(text, found.end, _SURPLUS)
    if after == len(text) and not is_over:
        return "wait"
    if is_fenced:
        if text.startswith("```", after):
            return found._replace(end=after + 3)
        if not is_over and text[after:] in ("`", "``"):
            return "wait"
    follows = text[after : after + 1]
    return found._replace(end=after) if follows in "<[{" else found


def _broken(text: str, at: int, stops: tuple[str, ...], is_over: bool) -> Reading:
    """Read to the first mark that does not stand inside of a string."""
    first = end = first_of(text, at, stops)
    if first >= 0:
        end = _outside(text, at, stops)
    if end < 0 and not is_over:
        return "wait"
    if end < 0:
        end = first if first >= 0 else len(text)
    return Found(end, salvaged(text[at:end]))


def _outside(text: str, at: int, stops: tuple[str, ...]) -> int:
    is_string = False
    pieces = re.compile(rf"\\.|\"|{'|'.join(map(re.escape, stops))}", re.S)
    for piece in pieces.finditer(text, at):
        if piece[0] == '"':
            is_string = not is_string
        elif piece[0][0] != "\\" and not is_string:
            return piece.start()
    return -1
