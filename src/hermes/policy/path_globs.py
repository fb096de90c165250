"""Path patterns of profiles: as in .gitignore, matched on absolute paths, with variables."""

from __future__ import annotations

import functools
import os.path
import re
from collections.abc import Callable, Iterable

from hermes.policy.paths import UNKNOWN, Places
from hermes.policy.paths.rules import overlaps

VARIABLES = ("workspace", "home", "state", "scratch")
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_WILD = re.compile(r"[*?\[]")
Match = Callable[[str], "re.Match[str] | None"]
_SET = re.compile(r"\[[^\]/]+\]")


def fault(pattern: str) -> str | None:
    """Say what is wrong with a pattern, in a few words; None when it can be used."""
    if not pattern.strip() or pattern.strip() == "/":
        return "is no path"
    if "\0" in pattern:
        return "has a NUL byte in it"
    for name in _VARIABLE.findall(pattern):
        if name not in VARIABLES:
            return f"has an unknown variable ${{{name}}}; there are {', '.join(VARIABLES)}"
    if "${" in _VARIABLE.sub("", pattern):
        return "has a variable without its closing brace"
    if "[" in _SET.sub("", pattern):
        return "has a [ without its ]"
    return None


def is_covered(
    path: str, patterns: Iterable[str], places: Places, *, is_deleted: bool = False
) -> bool:
    """Say whether an absolute path, and the object it names now, lie within one of the patterns.

    ``folder/**`` is what a folder holds; the folder itself counts too, unless it is deleted.
    """
    match = _matcher(tuple(patterns), places, is_loose=False, takes_folder=not is_deleted)
    return bool(match(path) and match(os.path.realpath(path)))


def is_touched(path: str, patterns: Iterable[str], places: Places, *, is_deleted: bool) -> bool:
    """Say whether an absolute path, or the object it names now, may be one of the patterns'.

    A glob or an unknown part of the path counts as everything it could stand for, and deleting a
    folder counts as deleting what the patterns name below it.
    """
    patterns = tuple(patterns)
    match = _matcher(patterns, places, is_loose=True, takes_folder=not is_deleted)
    if _WILD.search(path) or UNKNOWN in path:
        return any(_may_meet(pattern, path) for pattern in _absolute(patterns, places))
    found = {path, os.path.realpath(path)}
    if any(match(each) for each in found):
        return True
    return is_deleted and any(
        _fixed(pattern).startswith(f"{each.rstrip('/')}/")
        for pattern in _absolute(patterns, places)
        for each in found
    )


@functools.lru_cache(maxsize=512)
def _matcher(
    patterns: tuple[str, ...], places: Places, *, is_loose: bool, takes_folder: bool
) -> Match:
    every = _absolute(patterns, places)
    texts = [_regex(pattern, takes_folder=takes_folder) for pattern in every]
    flags = re.DOTALL | (re.IGNORECASE if is_loose else 0)
    return re.compile("|".join(texts) or r"(?!)", flags).fullmatch


@functools.lru_cache(maxsize=512)
def _absolute(patterns: tuple[str, ...], places: Places) -> tuple[str, ...]:
    """Return the patterns with variables filled in, and once more where their folders are links."""
    found: dict[str, None] = {}
    for pattern in patterns:
        for filled in _filled(pattern, places):
            found[filled] = None
            fixed = _fixed(filled)
            real = os.path.realpath(fixed)
            found[real.rstrip("/") + filled[len(fixed.rstrip("/")) :]] = None
    return tuple(found)


def _filled(pattern: str, places: Places) -> list[str]:
    if pattern == "~" or pattern.startswith("~/"):
        pattern = "${home}" + pattern[1:]
    match = _VARIABLE.search(pattern)
    if match:
        value = getattr(places, match[1], ())
        values = (value,) if isinstance(value, str) else value
        return [
            whole
            for each in values
            if each
            for whole in _filled(pattern.replace(match[0], each.rstrip("/")), places)
        ]
    if pattern.startswith("/"):
        return [pattern]
    inner = pattern.removeprefix("./")
    is_anchored = "/" in inner.rstrip("/") and not inner.startswith("**/")
    if is_anchored or inner != pattern:
        return [f"{root.rstrip('/')}/{inner}" for root in places.workspace]
    return [f"/**/{inner.removeprefix('**/')}"]


def _fixed(pattern: str) -> str:
    """Return the folder that every match of a pattern lies in, or the pattern without wildcards."""
    match = _WILD.search(pattern)
    return pattern if match is None else pattern[: pattern.rindex("/", 0, match.start()) + 1]


def _regex(pattern: str, *, takes_folder: bool) -> str:
    names = pattern.strip("/").split("/")
    is_inside = names[-1] == "**" and len(names) > 1
    parts = []
    for at, name in enumerate(names):
        is_last = at == len(names) - 1
        if name == "**":
            inside = "(?:/.*)?" if takes_folder else "/.+"
            parts.append(inside if is_last else "(?:/.*)?")
        else:
            parts.append("/" + name_regex(name))
    return "".join(parts) + ("" if is_inside else "(?:/.*)?")


def name_regex(name: str) -> str:
    """Return the regular expression of one name of a glob."""
    out, at = "", 0
    while at < len(name):
        taken = _SET.match(name, at)
        if name[at] == "*":
            out += "[^/]*"
        elif name[at] == "?":
            out += "[^/]"
        elif taken:
            inside = taken[0][1:-1]
            negated = inside[0] in "!^" and len(inside) > 1
            body = re.escape(inside[1:] if negated else inside).replace(r"\-", "-")
            out += f"[{'^/' if negated else ''}{body}]"
            at = taken.end() - 1
        else:
            out += re.escape(name[at])
        at += 1
    return out


def _may_meet(pattern: str, path: str) -> bool:
    """Say whether a path with unknown parts can be one that a pattern names, or lie below it."""
    path = _SET.sub("?", path).lower()
    wanted = _SET.sub("?", pattern).lower().strip("/").split("/")
    return _meets(tuple(wanted), tuple(path.strip("/").split("/")))


def _meets(wanted: tuple[str, ...], names: tuple[str, ...]) -> bool:
    if not wanted or not names:
        return not wanted or all(name == "**" for name in wanted)
    if wanted[0] == "**":
        return _meets(wanted[1:], names) or _meets(wanted, names[1:])
    is_met = UNKNOWN in names[0] or overlaps(wanted[0], names[0])
    return is_met and _meets(wanted[1:], names[1:])
