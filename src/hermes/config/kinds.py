"""The kinds of value a setting may hold, checked as YAML gives them and parsed as text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from hermes.base.optional import load

T = TypeVar("T")

_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"0", "false", "no", "off"})


class Mistyped(ValueError):
    """A value is not of the kind its setting wants."""


class Kind(Generic[T]):
    """Judge values for one setting; ``words`` says to a person what is expected."""

    words = "any value"

    def check(self, value: Any) -> T:
        """Return a typed value (from YAML or Python) in its settled form.

        Raises:
            Mistyped: the value is of another kind or out of bounds.
        """
        raise NotImplementedError

    def parse(self, text: str) -> T:
        """Return the value that a text (from the environment or a command line) stands for."""
        return self.check(text)

    def refuse(self, value: object) -> Mistyped:
        """Return the error that names what was given and what is expected."""
        return Mistyped(f"expected {self.words}, got {shown(value)}")


class Flag(Kind[bool]):
    """True or false."""

    words = "true or false"

    def check(self, value: Any) -> bool:
        """Return a boolean as it is."""
        if isinstance(value, bool):
            return value
        raise self.refuse(value)

    def parse(self, text: str) -> bool:
        """Return the boolean that a common word stands for."""
        word = text.strip().lower()
        if word in _YES | _NO:
            return word in _YES
        raise self.refuse(text)


class Whole(Kind[int]):
    """A whole number, not below a minimum."""

    def __init__(self, *, minimum: int = 0) -> None:
        self.minimum = minimum
        self.words = f"a whole number, {minimum} or more"

    def check(self, value: Any) -> int:
        """Return an integer that is not too small."""
        if isinstance(value, int) and not isinstance(value, bool) and value >= self.minimum:
            return value
        raise self.refuse(value)

    def parse(self, text: str) -> int:
        """Return the integer a text spells; ``_`` may group its digits."""
        try:
            return self.check(int(text))
        except ValueError:
            raise self.refuse(text) from None


class Seconds(Kind[float]):
    """A length of time in seconds, above zero."""

    words = "a number of seconds above 0"

    def check(self, value: Any) -> float:
        """Return a finite positive number."""
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and 0 < value < float("inf"):
            return value  # type: ignore[no-any-return]  # narrowed through is_number
        raise self.refuse(value)

    def parse(self, text: str) -> float:
        """Return the number a text spells, whole when it is whole."""
        try:
            number = float(text)
        except ValueError:
            raise self.refuse(text) from None
        return self.check(int(number) if number.is_integer() else number)


class Text(Kind["str | None"]):
    """A text, or nothing."""

    words = "a text"

    def check(self, value: Any) -> str | None:
        """Return a text; an empty one means nothing is set."""
        if value is None or isinstance(value, str):
            return value or None
        raise self.refuse(value)


class Name(Kind[str]):
    """One name; whoever knows all of them judges it."""

    words = "a name"

    def check(self, value: Any) -> str:
        """Return a name as it is."""
        if isinstance(value, str) and value.strip():
            return value
        raise self.refuse(value)


class Names(Kind["tuple[str, ...]"]):
    """A list of names."""

    words = "a list of names"

    def check(self, value: Any) -> tuple[str, ...]:
        """Return the names of a list as a tuple."""
        if isinstance(value, str) or not isinstance(value, (list, tuple)):
            raise self.refuse(value)
        for item in value:
            if not isinstance(item, str) or not item.strip():
                raise self.refuse(value)
        return tuple(value)

    def parse(self, text: str) -> tuple[str, ...]:
        """Return the names of ``a,b`` or ``[a, b]``."""
        inside = text.strip()
        if inside.startswith("[") and inside.endswith("]"):
            inside = inside[1:-1]
        words = (word.strip().strip("\"'") for word in inside.split(","))
        return tuple(word for word in words if word)


class Lines(Names):
    """A list of texts that may hold commas."""

    words = "a list of texts"

    def parse(self, text: str) -> tuple[str, ...]:
        """Return the lines of a text."""
        return tuple(line.strip() for line in text.splitlines() if line.strip())


class OneOf(Kind[str]):
    """One of a few words."""

    def __init__(self, *choices: str) -> None:
        self._choices = choices
        self.words = f"one of {', '.join(choices)}"

    def check(self, value: Any) -> str:
        """Return a word that is among the choices; YAML reads a bare ``off`` as false."""
        if value is False and "off" in self._choices:
            return "off"
        if isinstance(value, str) and value in self._choices:
            return value
        raise self.refuse(value)


CustomToolset = Mapping[str, Any]
"""A toolset that the operator put together: description, tools and includes, all of them there."""


class CustomToolsets(Kind[Mapping[str, CustomToolset]]):
    """Toolsets by name, each with a description, tools and includes."""

    words = "a mapping of names to {description, tools, includes}"

    def check(self, value: Any) -> Mapping[str, CustomToolset]:
        """Return the toolsets as frozen values."""
        if not isinstance(value, Mapping):
            raise self.refuse(value)
        made = {str(name): self._toolset(str(name), body) for name, body in value.items()}
        return MappingProxyType(made)

    def parse(self, text: str) -> Mapping[str, CustomToolset]:
        """Refuse: a mapping does not fit into one word."""
        raise Mistyped(f"expected {self.words}; write it into config.yaml, not as {shown(text)}")

    def _toolset(self, name: str, body: Any) -> CustomToolset:
        if not isinstance(body, Mapping):
            raise Mistyped(f"{name!r} must be {{description, tools, includes}}, got {shown(body)}")
        strange = [str(key) for key in body if key not in {"description", "tools", "includes"}]
        if strange:
            raise Mistyped(f"{name!r} has no {strange[0]!r}; it takes description, tools, includes")
        return MappingProxyType(
            {
                "description": Text().check(body.get("description")) or "",
                "tools": Names().check(body.get("tools") or ()),
                "includes": Names().check(body.get("includes") or ()),
            }
        )


class Servers(Kind[Mapping[str, Any]]):
    """MCP servers by name; what one takes is loaded when there is one."""

    words = "a mapping of names to {command, args, …} or {url, headers, …}"

    def check(self, value: Any) -> Mapping[str, Any]:
        """Return the servers as frozen values."""
        if value == {}:
            return MappingProxyType({})
        made: Mapping[str, Any] = load("hermes.config.servers").servers_of(value)
        return made

    def parse(self, text: str) -> Mapping[str, Any]:
        """Refuse: a mapping does not fit into one word."""
        raise Mistyped(f"expected {self.words}; write it into config.yaml, not as {shown(text)}")


def shown(value: object) -> str:
    """Return a value as a short piece of a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
