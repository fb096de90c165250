"""Say once what a setting is; everything else (loading, help, reference) reads the declaration.

Declarations are plain descriptors and not dataclasses: loading settings is on the path of every
command, and ``dataclasses`` alone costs as much as starting Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Generic, NoReturn, TypeVar, overload

from hermes.config.kinds import Kind

T = TypeVar("T")
S = TypeVar("S", bound="Section")


class Setting(Generic[T]):
    """Declare one setting of a section: its default, its kind and one line of help."""

    def __init__(self, default: T, kind: Kind[T], help: str, *, key: str | None = None) -> None:
        self.default, self.kind, self.help = default, kind, help
        self.key = key or ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.key = self.key or name

    @overload
    def __get__(self, section: None, owner: type) -> Setting[T]: ...
    @overload
    def __get__(self, section: Section, owner: type) -> T: ...
    def __get__(self, section: Section | None, owner: type) -> Setting[T] | T:
        if section is None:
            return self
        value: T = section.values.get(self.key, self.default)
        return value

    def __set__(self, section: Section, value: T) -> NoReturn:
        raise AttributeError(f"settings are frozen; {self.key!r} cannot be changed")


class Part(Generic[S]):
    """Declare a section inside a section."""

    def __init__(self, section: type[S]) -> None:
        self.section = section
        self.key = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.key = name

    @overload
    def __get__(self, section: None, owner: type) -> Part[S]: ...
    @overload
    def __get__(self, section: Section, owner: type) -> S: ...
    def __get__(self, section: Section | None, owner: type) -> Part[S] | S:
        if section is None:
            return self
        part: S = section.values[self.key]
        return part

    def __set__(self, section: Section, value: S) -> NoReturn:
        raise AttributeError(f"settings are frozen; {self.key!r} cannot be changed")


class Section:
    """Hold the values of the settings declared on a subclass, frozen."""

    __slots__ = ("values",)
    members: ClassVar[Mapping[str, Setting[Any] | Part[Any]]] = {}

    def __init_subclass__(cls) -> None:
        declared = vars(cls).values()
        cls.members = {m.key: m for m in declared if isinstance(m, (Setting, Part))}

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        given = values or {}
        settled = {
            key: member.section(given.get(key)) if isinstance(member, Part) else given[key]
            for key, member in self.members.items()
            if isinstance(member, Part) or key in given
        }
        object.__setattr__(self, "values", settled)

    values: Mapping[str, Any]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"settings are frozen; {name!r} cannot be changed")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.as_dict()!r})"

    def as_dict(self) -> dict[str, Any]:
        """Return every setting with its value, nested as in config.yaml."""
        return {
            key: self.values[key].as_dict()
            if isinstance(member, Part)
            else _plain(self.values.get(key, member.default))
            for key, member in self.members.items()
        }


def walk(section: type[Section], prefix: str = "") -> Iterator[tuple[str, Setting[Any]]]:
    """Yield every setting beneath a section under its dotted key, in declared order."""
    for key, member in section.members.items():
        if isinstance(member, Part):
            yield from walk(member.section, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", member


def _plain(value: Any) -> Any:
    if isinstance(value, Section):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return list(value) if isinstance(value, tuple) else value
