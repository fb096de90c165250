"""A command about to be understood, and an effect that was."""

from __future__ import annotations

from typing import NamedTuple

from hermes.policy.shell.effects import Effect
from hermes.policy.shell.flow import Flow

Span = tuple[int, int]


class Run(NamedTuple):
    """A simple command with its words expanded, about to be understood."""

    name: str
    words: tuple[str, ...]
    piped: Flow
    origins: frozenset[str]
    span: Span
    is_sent: bool = False
    """Whether its output goes to a file or a connection instead of to the reader."""
    environment: tuple[tuple[str, str], ...] = ()
    """The variables that are set before its name."""
    inner: tuple[str, ...] = ()
    """The programs that ran to make its words."""


class Noted(NamedTuple):
    """An effect, the folder it happens in, and the part of the command that does it."""

    effect: Effect
    cwd: str
    span: Span
    words: tuple[str, ...] = ()
    """The command that does it."""
