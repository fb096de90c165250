"""What people ask for, one family per file: acts here, rules in ``rules/``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from hermes.agent.builtin.families import (
    agenda,
    archives,
    desk,
    editing,
    git,
    listing,
    machine,
    project,
    reading,
    running,
    searching,
    sites,
    sums,
    talk,
    testing,
    web,
    writing,
)
from hermes.agent.builtin.steps import Intent

FAMILIES = (
    sums,
    talk,
    agenda,
    git,
    testing,
    project,
    running,
    sites,
    web,
    archives,
    desk,
    machine,
    editing,
    writing,
    searching,
    reading,
    listing,
)
"""Where two fit equally well, the earlier is taken."""

_RULES = Path(__file__).parent / "rules"


def intents() -> Iterator[Intent]:
    """Yield all that can be asked for."""
    for family in FAMILIES:
        yield from _intents(family)


def _intents(family: ModuleType) -> Iterator[Intent]:
    """Read the rules of a family: ``[act]`` or ``[act changes]``, then its lines.

    ``>`` begins an example, ``#`` a comment.
    """
    text = (_RULES / f"{family.__name__.rpartition('.')[2]}.txt").read_text("utf-8")
    for section in text.split("\n[")[1:]:
        title, _, body = section.partition("]\n")
        name, _, trait = title.partition(" ")
        lines = [line for line in map(str.strip, body.splitlines()) if line and line[0] != "#"]
        yield Intent(
            act=getattr(family, name),
            rules=tuple(line for line in lines if line[0] != ">"),
            is_change=trait == "changes",
            examples=tuple(line[1:].strip() for line in lines if line[0] == ">"),
        )
