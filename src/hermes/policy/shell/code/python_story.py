"""What Python code was seen to do so far, and one call of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hermes.policy.shell.code.folds import all_of
from hermes.policy.shell.code.python_values import Arguments, path_joined
from hermes.policy.shell.effects import UNKNOWN, Category, Effect, Kind, danger


@dataclass(slots=True)
class Story:
    """What the code was seen to do so far."""

    effects: dict[Effect, None] = field(default_factory=dict)
    hosts: list[str] = field(default_factory=list)
    folder: str = ""
    fetched_paths: set[str] = field(default_factory=set)
    endless: int = 0
    is_duplicating: bool = False
    is_listening: bool = False
    is_listing: bool = False
    """Whether names of files come from a folder: one that is unknown stands for all of them."""

    def add(self, kind: Kind, target: str, *, is_recursive: bool = False) -> None:
        """Remember an effect on a path, a host or a command."""
        if kind in {"read", "write", "delete", "script"} and self.folder:
            target = path_joined([self.folder, target])
        if kind == "delete" and self.is_listing:
            target = all_of(target)
        self.effects[Effect(kind, target, is_recursive=is_recursive)] = None

    def warn(self, category: Category, what: str) -> None:
        """Remember a danger."""
        self.effects[danger(category, what)] = None


@dataclass(frozen=True, slots=True)
class Deed:
    """One call whose rule is being carried out."""

    story: Story
    name: str
    given: Arguments
    at: int
    keyword: str

    @property
    def first(self) -> object:
        """Return the argument that the rule is about."""
        return self.given.get(self.at, self.keyword)


def shown(host: str) -> str:
    """Return a host for a sentence."""
    return "an unknown host" if UNKNOWN in host else host
