"""Read a tool's arguments from the words of a command line.

``key=text`` is text, which the tool's schema then fits; ``key:=json`` is JSON as it stands;
``key=@file`` and ``key:=@file`` read a file (``@-`` reads standard input). A key given more than
once becomes a list.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from hermes.cli.command import Usage


def read_pairs(words: Iterable[str]) -> dict[str, Any]:
    """Return the arguments that ``key=value`` words stand for.

    Raises:
        Usage: a word is no pair, its file cannot be read, or its JSON is broken.
    """
    values: dict[str, list[Any]] = {}
    for word in words:
        key, value = read_pair(word)
        values.setdefault(key, []).append(value)
    return {key: many[0] if len(many) == 1 else many for key, many in values.items()}


def read_pair(word: str) -> tuple[str, Any]:
    """Return the key and the value of one word."""
    key, equals, text = word.partition("=")
    is_json = key.endswith(":")
    key = key.removesuffix(":").strip()
    if not equals or not key:
        raise Usage(
            f"expected key=value, got {word!r}",
            hint="Write arguments as key=text, key:=json or key=@file.",
        )
    if text.startswith("@"):
        text = _content(key, text[1:])
    return key, _decoded(key, text) if is_json else text


def _content(key: str, name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).expanduser().read_text("utf-8")
    except (OSError, UnicodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Usage(
            f"{key}: cannot read {name!r}: {reason}",
            hint=f"For a text that begins with @, write: {key}:='\"@{name}\"'",
        ) from error


def _decoded(key: str, text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Usage(
            f"{key}: not JSON: {error}", hint=f"For plain text, write {key}=… without the colon."
        ) from error


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON value")
