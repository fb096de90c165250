"""Patterns for paths: ``*`` stays within a name, ``**`` spans folders, ``{a,b}`` offers a choice.

A pattern without a slash is for a name at any depth; one with a slash begins at the folder that is
looked through. Paths are relative to that folder and have no ``./`` before them.
"""

from __future__ import annotations

import re
from typing import Callable, List

_MOST_CHOICES = 256
Fits = Callable[[str], bool]


def fitting(pattern: str) -> Fits:
    """Return what says whether a relative path fits a pattern.

    Raises:
        ValueError: it is no pattern; says why.
    """
    pattern = plain(pattern)
    match = re.compile("|".join(map(translate, choices(pattern))), re.DOTALL).fullmatch
    if "/" in pattern:
        return lambda path: match(path) is not None
    return lambda path: match(path.rpartition("/")[2]) is not None


def any_case(pattern: str) -> str:
    """Return a pattern that fits the same names and those that differ only in their case."""
    made: List[str] = []
    at = 0
    while at < len(pattern):
        end = at + 1
        if pattern[at] == "[" and _end_of_set(pattern, at):
            end = _end_of_set(pattern, at) + 1
            made.append(_set_of_any_case(pattern[at:end]))
        elif pattern[at] == "\\" and not pattern[end : end + 1].isalpha():
            end += 1
            made.append(pattern[at:end])
        elif pattern[at] != "\\":
            cases = sorted({pattern[at], pattern[at].lower(), pattern[at].upper()})
            made.append(f"[{''.join(cases)}]" if len(cases) > 1 else pattern[at])
        at = end
    return "".join(made)


def _set_of_any_case(found: str) -> str:
    start = 2 if found[1] in "!^" else 1
    other = found[start:-1].swapcase().lstrip("]")
    try:
        _set(other)
    except ValueError:  # a range from capital letters to small ones
        return found
    return f"{found[:-1]}{other}]"


def plain(pattern: str) -> str:
    """Return a pattern in the one way that it is written here."""
    while pattern.startswith("./"):
        pattern = "/" + pattern[2:].lstrip("/")
    while pattern.startswith("/./"):
        pattern = pattern[2:]
    if not pattern.strip("/"):
        raise ValueError("an empty pattern fits nothing")
    if pattern.endswith("/"):
        pattern += "**"
    return pattern


def choices(pattern: str) -> List[str]:
    """Return the patterns that one with braces stands for."""
    found = _braces(pattern)
    if found is None:
        return [pattern]
    start, end, parts = found
    texts: List[str] = []
    for part in parts:
        texts += choices(pattern[:start] + part + pattern[end:])
        if len(texts) > _MOST_CHOICES:
            raise ValueError("the braces stand for too many patterns")
    return texts


def _braces(pattern: str) -> "tuple[int, int, List[str]] | None":
    """Return where the first braces with a comma are, and what they offer."""
    start = -1
    parts: List[str] = []
    depth, last, at = 0, 0, 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif char == "[":
            at = _end_of_set(pattern, at) or at
        elif char == "{":
            if depth == 0:
                start, last, parts = at, at + 1, []
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                parts.append(pattern[last:at])
                if len(parts) > 1:
                    return start, at + 1, parts
        elif char == "," and depth == 1:
            parts.append(pattern[last:at])
            last = at + 1
        at += 1
    return None


def translate(pattern: str) -> str:
    """Return the regular expression of a pattern without braces."""
    made: List[str] = []
    pattern = pattern[1:] if pattern.startswith("/") else pattern
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            text, at = _stars(pattern, at)
            made.append(text)
            continue
        if char == "?":
            made.append("[^/]")
        elif char == "[" and _end_of_set(pattern, at):
            end = _end_of_set(pattern, at)
            made.append(_set(pattern[at + 1 : end]))
            at = end
        elif char == "\\" and at + 1 < len(pattern):
            at += 1
            made.append(re.escape(pattern[at]))
        else:
            made.append(re.escape(char))
        at += 1
    return "".join(made)


def _stars(pattern: str, at: int) -> "tuple[str, int]":
    end = at
    while end < len(pattern) and pattern[end] == "*":
        end += 1
    is_alone = end - at == 2 and (at == 0 or pattern[at - 1] == "/")
    if is_alone and end == len(pattern):
        return (".+" if at else ".*"), end
    if is_alone and pattern[end] == "/":
        return "(?:.*/)?", end + 1
    return "[^/]*", end


def _end_of_set(pattern: str, at: int) -> int:
    """Return where the set that begins here ends; 0 when it does not."""
    end = at + 1
    if pattern[end : end + 1] in ("!", "^"):
        end += 1
    if pattern[end : end + 1] == "]":
        end += 1
    end = pattern.find("]", end)
    return max(end, 0)


def _set(inner: str) -> str:
    is_not = inner[:1] in ("!", "^")
    body = inner[1:] if is_not else inner
    made, at = [], 0
    while at < len(body):
        if body[at + 1 : at + 2] == "-" and at + 2 < len(body):
            low, high = body[at], body[at + 2]
            if low > high:
                raise ValueError(f"the range {low}-{high} is the wrong way round")
            made.append(f"{re.escape(low)}-{re.escape(high)}")
            at += 3
        else:
            made.append(re.escape(body[at]))
            at += 1
    return f"(?!/)[{'^' if is_not else ''}{''.join(made)}]"
