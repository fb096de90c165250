"""Read YAML as plain JSON values, and know the line of every key.

Scalars follow YAML 1.2 (only ``true`` and ``false`` are booleans, ``1e3`` is a number, ``0o17`` is
octal), so that ``no``, ``on``, ``12:30``, ``007`` and dates stay the text that was written. Tags,
anchors, aliases, merge keys and double keys are refused: they are how a small file becomes a huge
or surprising value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from hermes.base.errors import ConfigError
from hermes.base.messages import Json

MAX_BYTES = 256 * 1024
_MAX_DEPTH = 60
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,999})\Z")
_BASED = re.compile(r"0o[0-7]{1,999}\Z|0x[0-9a-fA-F]{1,999}\Z")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z", re.ASCII
)
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEAN = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document: its value, and where each part of it stands."""

    value: Json
    first_line: int
    lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Path = ()) -> int:
        """Return the line of a key or an item, or of the nearest part around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, self.first_line)


def read(text: str, *, file: object = None, max_bytes: int = MAX_BYTES) -> list[Document]:
    """Return the documents of a YAML text, empty ones left out.

    Raises:
        ConfigError: the text is too large, not YAML, or uses what is refused; with file and line.
    """
    if len(text) > max_bytes or len(text.encode("utf-8", "replace")) > max_bytes:
        raise ConfigError(
            f"is larger than {max_bytes // 1024} KB", file=file, hint="Split it into smaller files."
        )
    reader = _Reader(file)
    try:
        return list(reader.documents(yaml.parse(text, Loader=_LOADER)))
    except yaml.MarkedYAMLError as error:
        raise _not_yaml(error, file, text) from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise ConfigError(
            f"is not YAML: {' '.join(str(error).split())}",
            file=file,
            hint="Save it as UTF-8 text without control characters.",
        ) from error


def _not_yaml(error: yaml.MarkedYAMLError, file: object, text: str) -> ConfigError:
    mark = error.problem_mark or error.context_mark
    if mark and text[mark.index : mark.index + 1] == "\t":
        what, fix = "a tab stands where only spaces may", "Indent with spaces."
        return ConfigError(f"is not YAML: {what}", file=file, line=mark.line + 1, hint=fix)
    what = ", ".join(part for part in (error.context, error.problem) if part)
    return ConfigError(
        f"is not YAML: {what}",
        file=file,
        line=mark.line + 1 if mark else None,
        hint="Check the indentation, colons, quotes and brackets on this line and the one before.",
    )


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


class _Reader:
    """Build values from the parser's events; nothing is kept that the text does not spell out."""

    def __init__(self, file: object) -> None:
        self._file = file
        self._lines: dict[Path, int] = {}

    def documents(self, events: Iterator[yaml.Event]) -> Iterator[Document]:
        for event in events:
            if not isinstance(event, yaml.DocumentStartEvent):
                continue
            first = next(events)
            self._lines = {}
            value = self._value(first, events, ())
            if value is not None:
                yield Document(value, _line(first), self._lines)

    def _value(self, event: yaml.Event, events: Iterator[yaml.Event], path: Path) -> Json:
        self._refuse_magic(event, path)
        if isinstance(event, yaml.ScalarEvent):
            return event.value if event.style else self._plain(event)
        if len(path) >= _MAX_DEPTH:
            raise self._wrong(event, f"nests deeper than {_MAX_DEPTH} levels", "Flatten the file.")
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, path)
        return self._mapping(events, path)

    def _sequence(self, events: Iterator[yaml.Event], path: Path) -> list[Json]:
        items: list[Json] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            here = (*path, len(items))
            self._lines[here] = _line(event)
            items.append(self._value(event, events, here))
        return items

    def _mapping(self, events: Iterator[yaml.Event], path: Path) -> dict[str, Json]:
        mapping: dict[str, Json] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._key(event, path)
            if key in mapping:
                raise self._wrong(
                    event, f"the key {key[:80]!r} is written twice", "Keep one of them."
                )
            here = (*path, key)
            self._lines[here] = _line(event)
            mapping[key] = self._value(next(events), events, here)
        return mapping

    def _key(self, event: yaml.Event, path: Path) -> str:
        self._refuse_magic(event, path)
        if not isinstance(event, yaml.ScalarEvent):
            raise self._wrong(event, "a key must be a word", 'Quote it: "{name}": value.')
        if event.value == "<<" and not event.style:
            raise self._wrong(event, "merge keys (<<) are not accepted", "Write the keys out.")
        return str(event.value)

    def _refuse_magic(self, event: yaml.Event, path: Path) -> None:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise self._wrong(
                event,
                "anchors (&) and aliases (*) are not accepted",
                "Write the value out, or quote it.",
            )
        if getattr(event, "tag", None):
            where = f" at {path[-1]!r}" if path else ""
            raise self._wrong(
                event, f"tags (!) are not accepted{where}", "Remove the tag, or quote it."
            )

    def _plain(self, event: yaml.ScalarEvent) -> Json:
        text: str = event.value
        if text in _NULL:
            return None
        if text in _BOOLEAN:
            return _BOOLEAN[text]
        if _INTEGER.match(text):
            return int(text)
        if _BASED.match(text):
            return int(text, 0)
        if _FLOAT.match(text):
            number = float(text)
            if not math.isfinite(number):
                raise self._wrong(
                    event, f"the number {text[:40]} is too large", "Write a smaller one."
                )
            return number
        return text

    def _wrong(self, event: yaml.Event, message: str, fix: str) -> ConfigError:
        return ConfigError(message, file=self._file, line=_line(event), hint=fix)
