"""Read a mapping key by key; note everything that is wrong instead of stopping at the first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from hermes.base.errors import ConfigError
from hermes.base.messages import Json
from hermes.base.text import did_you_mean
from hermes.base.yaml_lines import Document, Path
from hermes.policy.effects import unknown_effect

W = TypeVar("W", bound=str)
_NOT_WORDS = re.compile(r"[\s]+")


class Problems:
    """Collect what is wrong with one file."""

    def __init__(self, file: object) -> None:
        self.file = file
        self._found: list[tuple[int, str, str, str]] = []

    def add(self, line: int, key: str, message: str, fix: str) -> None:
        """Note one problem; the same one is noted once."""
        problem = (line, key, message, fix)
        if problem not in self._found:
            self._found.append(problem)

    def __bool__(self) -> bool:
        return bool(self._found)

    def error(self) -> ConfigError:
        """Return all problems as one error: a line for each, in the order of the file."""
        found = sorted(self._found, key=lambda problem: problem[0])
        line, key, message, fix = found[0]
        if len(found) == 1:
            return ConfigError(message, file=self.file, line=line, key=key, hint=fix)
        error = ConfigError("\n".join(self._sentence(*problem) for problem in found))
        error.file, error.line, error.key = self.file, line, key
        return error

    def _sentence(self, line: int, key: str, message: str, fix: str) -> str:
        return f"{ConfigError(message, file=self.file, line=line, key=key)}. {fix}"


class Fields:
    """One mapping of a file at one place; a wrong value is noted and read as its default."""

    def __init__(
        self, value: dict[str, Json], path: Path, document: Document, problems: Problems
    ) -> None:
        self.value = value
        self.path = path
        self.document = document
        self.problems = problems

    def wrong(self, key: str | None, message: str, fix: str) -> None:
        """Note a problem at a key of this mapping, or at the mapping itself."""
        path = self.path if key is None else (*self.path, key)
        self.problems.add(self.document.line(path), spelt(path), message, fix)

    def only(self, known: Iterable[str]) -> None:
        """Note every key that is not known."""
        names = tuple(known)
        for key in self.value:
            if key not in names:
                word = key[:60]
                fix = did_you_mean(word, names) or f"Known keys: {', '.join(names)}."
                self.wrong(key, f"unknown key {word!r}", fix)

    def has(self, key: str) -> bool:
        """Say whether a key has a value."""
        return self.value.get(key) is not None

    def text(self, key: str, default: str = "", *, example: str | None = None) -> str:
        """Return a text; with an example the key must be there."""
        value = self.value.get(key)
        if isinstance(value, str) and (value.strip() or default == ""):
            if value.strip() or example is None:
                return value
        elif value is not None:
            self.wrong(key, f"must be text, not {shown(value)}", "Quote it.")
            return default
        if example is not None:
            missing = "is empty" if key in self.value else f"missing {key!r}"
            self.wrong(key if key in self.value else None, missing, f"Add `{key}: {example}`.")
        return default

    def choice(self, key: str, choices: Sequence[W], default: W) -> W:
        """Return one of a few words, whatever its case."""
        value = self.value.get(key)
        if value is None:
            return default
        for word in choices:
            if isinstance(value, str) and value.lower() == word.lower():
                return word
        near = did_you_mean(value[:60], choices) if isinstance(value, str) else None
        self.wrong(
            key, f"{shown(value)} is not known", near or f"Use one of: {', '.join(choices)}."
        )
        return default

    def flag(self, key: str) -> bool:
        """Return a boolean, false when it is not there."""
        value = self.value.get(key)
        if value is not None and not isinstance(value, bool):
            self.wrong(key, f"must be true or false, not {shown(value)}", f"Write `{key}: true`.")
        return value is True

    def number(self, key: str, default: float, low: float, high: float) -> float:
        """Return a number between two bounds."""
        value = self.value.get(key)
        if value is None:
            return default
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not low <= value <= high
        ):
            fix = f"Write a number from {low:g} to {high:g}."
            self.wrong(key, f"{shown(value)} is not such a number", fix)
            return default
        return value

    def integer(self, key: str, default: int, low: int, high: int) -> int:
        """Return a whole number between two bounds."""
        value = self.value.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            fix = f"Write a whole number from {low:,} to {high:,}."
            self.wrong(key, f"{shown(value)} is not such a number", fix)
            return default
        return value

    def integers(self, key: str, default: tuple[int, ...], low: int, high: int) -> tuple[int, ...]:
        """Return a list of whole numbers between two bounds."""
        value = self.value.get(key)
        if value is None:
            return default
        items = value if isinstance(value, list) else [value]
        if all(type(item) is int and low <= item <= high for item in items):
            return tuple(items)
        self.wrong(
            key, f"{shown(value)} is not a list of such numbers", f"Write {low} to {high}: [{low}]."
        )
        return default

    def words(self, key: str, pattern: str, example: str) -> tuple[str, ...]:
        """Return a list of words that fit a pattern; one word may stand alone."""
        value = self.value.get(key)
        if value is None:
            return ()
        items = value if isinstance(value, list) else [value]
        words = []
        for item in items:
            if isinstance(item, str) and re.fullmatch(pattern, item):
                words.append(item)
            else:
                self.wrong(key, f"{shown(item)} is not such a word", f"Write `{key}: [{example}]`.")
        return tuple(dict.fromkeys(words))

    def effects(self, key: str) -> frozenset[str]:
        """Return a set of effects; one word may stand alone."""
        value = self.value.get(key)
        items = value if isinstance(value, list) else [] if value is None else [value]
        for item in items:
            fix = unknown_effect(item)
            if fix:
                self.wrong(key, f"{shown(item)} is not an effect", fix)
        return frozenset(item for item in items if isinstance(item, str))

    def mapping(self, key: str) -> Fields:
        """Return the mapping under a key; an empty one when it is not there."""
        value = self.value.get(key)
        if value is not None and not isinstance(value, dict):
            self.wrong(
                key, f"must be a mapping, not {shown(value)}", f"Write `{key}: {{name: value}}`."
            )
        return self.inner(value if isinstance(value, dict) else {}, key)

    def inner(self, value: dict[str, Json], *steps: str | int) -> Fields:
        """Return a mapping further in."""
        return Fields(value, (*self.path, *steps), self.document, self.problems)


def spelt(path: Path) -> str:
    """Return a path as a person writes it: ``parameters[0].type``."""
    words = "".join(f"[{step}]" if isinstance(step, int) else f".{step[:60]}" for step in path)
    return _NOT_WORDS.sub(" ", words.removeprefix("."))


def shown(value: Json) -> str:
    """Return a value short enough for an error."""
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = "null" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
