"""Tell which syntax errors a change brought in: a warning, never a refusal."""

from __future__ import annotations

import ast
import json
import re
import tomllib
import warnings
from collections.abc import Callable

from hermes.base.optional import load

_DEFINITION = re.compile(rb"^(?:def|class|async def|@\w)", re.MULTILINE)
_STRING = r'("(?:[^"\\]|\\.)*")'
_WITH_COMMENTS = re.compile(
    r"(?:^|/)(?:(?:[tj]sconfig|\.eslintrc|\.swcrc|\.babelrc|devcontainer|api-extractor)[^/]*"
    r"|(?:\.vscode|\.devcontainer)/[^/]+)\.json$"
)
"""Names of files that are read with comments, whatever a strict reader says of them."""
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMA = re.compile(rf"{_STRING}|,(\s*[\]}}])")
_TEMPLATE = re.compile(r"\{\{|\{%")
Checker = Callable[[str], str | None]
"""Returns the first problem of a text, or None."""


def introduced(path: str, old: bytes | None, new: bytes) -> str | None:
    """Return the problem of a new content that the old one did not have."""
    ending = path.rpartition(".")[2].lower() if "." in path else ""
    checker = _checker(path, ending)
    if checker is None:
        return _by_program(ending, old, new)
    if checker is _python and old is not None and _is_fine_nearby(old, new):
        return None
    problem = _problem(checker, new)
    if problem is None or (old is not None and _problem(checker, old) is not None):
        return None
    return problem


def _checker(path: str, ending: str) -> Checker | None:
    """Return what checks a file by its name; programs that read JSON with comments have theirs."""
    if ending == "json" and _WITH_COMMENTS.search(path):
        return _relaxed_json
    return _CHECKERS.get(ending)


def _by_program(ending: str, old: bytes | None, new: bytes) -> str | None:
    if not ending:
        return None
    checkers = load("hermes.services.files.checkers")
    problem: str | None = checkers.problem(ending, new) if checkers.knows(ending) else None
    if problem is None or (old is not None and checkers.problem(ending, old) is not None):
        return None
    return problem


def _is_fine_nearby(old: bytes, new: bytes) -> bool:
    """Say whether the definitions around a change were right and are; the rest is as it was."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    starts = [found.start() for found in _DEFINITION.finditer(old, 0, head)]
    below = _DEFINITION.search(old, old.find(b"\n", len(old) - tail) + 1 or len(old))
    start, rest = starts[-1] if starts else 0, len(old) - below.start() if below else 0
    parts = (old[start : len(old) - rest], new[start : len(new) - rest])
    is_small = len(parts[0]) + len(parts[1]) < len(new)
    return is_small and all(_problem(_python, part) is None for part in parts)


def _common(ours: bytes, theirs: bytes) -> int:
    """Return how many bytes both begin with."""
    low, high = 0, min(len(ours), len(theirs))
    while low < high:
        middle = (low + high + 1) // 2
        if ours[low:middle] == theirs[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _problem(checker: Checker, data: bytes) -> str | None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    try:
        return checker(text)
    except (RecursionError, MemoryError):  # the parser of Python says so of deep nesting
        return "it is nested too deep to be checked"


def _python(text: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else error.msg
    except ValueError as error:
        return str(error)
    return None


def _json(text: str) -> str | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg}"
    return None


def _relaxed_json(text: str) -> str | None:
    """Check JSON that may have comments, and commas before a closing bracket."""
    plain = _COMMENT.sub(lambda found: found[1] or "\n" * found[0].count("\n"), text)
    return _json(_LAST_COMMA.sub(lambda found: found[1] or found[2], plain))


def _toml(text: str) -> str | None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error)
    return None


def _yaml(text: str) -> str | None:
    yaml = load("yaml")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for _ in yaml.parse(text, Loader=loader):
            pass
    except yaml.YAMLError as error:
        if _TEMPLATE.search(text):  # it is YAML only once it is filled in
            return None
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error)
        return f"line {mark.line + 1}: {what}" if mark else str(what)
    return None


_CHECKERS: dict[str, Checker] = {
    "py": _python,
    "pyi": _python,
    "json": _json,
    "ipynb": _json,
    "toml": _toml,
    "yaml": _yaml,
    "yml": _yaml,
}
