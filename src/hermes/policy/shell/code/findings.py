"""What is known of a script language, and what was seen in its code."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from hermes.policy.shell.code.calls import Code, Fold
from hermes.policy.shell.code.scanning import Syntax
from hermes.policy.shell.effects import UNKNOWN, Category, Effect, Kind, danger

_HOST = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#]*@)?(\[[^\]]*\]|[^/:?#]+)", re.IGNORECASE)


class Language(NamedTuple):
    """What must be known of a language to see its risky calls."""

    how: Syntax
    rules: dict[str, str]
    folds: dict[str, Fold]
    whole_environment: re.Pattern[str]
    one_variable: re.Pattern[str]
    """Group 1 is the name of the variable."""
    is_bare: bool = False
    """Whether a function is called without parentheses too."""
    prepare: Callable[[Code], None] = lambda _: None


@dataclass(slots=True)
class Findings:
    """What was seen in the code so far."""

    effects: dict[Effect, None] = field(default_factory=dict)
    hosts: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    is_fetching: bool = False
    is_running_unknown_code: bool = False
    is_forking: bool = False
    is_duplicating: bool = False
    is_listing: bool = False
    """Whether names of files come from a folder: one that is unknown stands for all of them."""

    def add(self, kind: Kind, target: str, *, is_recursive: bool = False) -> None:
        """Remember an effect; a missing target is an unknown one."""
        self.effects[Effect(kind, target or UNKNOWN, is_recursive=is_recursive)] = None

    def warn(self, category: Category, what: str) -> None:
        """Remember a danger."""
        self.effects[danger(category, what)] = None

    def run(self, text: str) -> None:
        """Remember a command."""
        self.commands.append(text)
        self.add("run", text)


def host_of(address: str) -> str:
    """Return the host of an address, the sign for the unknown when it has none."""
    found = _HOST.match(address)
    return found[1] if found else UNKNOWN


def shown(host: str) -> str:
    """Return a host for a sentence."""
    return "an unknown host" if UNKNOWN in host else host
