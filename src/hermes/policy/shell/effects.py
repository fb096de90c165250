"""The effects of a command, in the words that models, interpreters and judges share."""

from __future__ import annotations

from typing import Literal, NamedTuple

UNKNOWN = "\ufffc"
"""Stands in a text for a part that nobody can know before the command runs."""

UNSET = "unset"
"""Where a part comes from that is a variable which this command never sets."""

Kind = Literal[
    "read",  # target: a path
    "write",  # target: a path whose content, mode or owner changes; made when missing
    "delete",  # target: a path that is gone afterwards
    "run",  # target: shell text that is run too
    "code",  # target: code that is run too; what: its language
    "script",  # target: the path of a script that is run
    "net",  # target: a host or an address that is talked to
    "send",  # target: a host that data of this machine is given to
    "danger",  # category and what say everything
]

Category = Literal[
    "delete",  # data that cannot be made again is lost
    "overwrite",  # something outside the workspace changes
    "disk",  # a disk, partition, volume or file system
    "privilege",  # rights are raised, or a safety control is weakened
    "service",  # the machine or one of its services stops, starts or changes
    "process",  # processes that are not ours are ended
    "network-exec",  # code from the network runs
    "exfiltration",  # a secret is shown, or data leaves the machine
    "publish",  # something is shown to the world or to others
    "history-rewrite",  # version history, or work that is not committed, is lost
    "database",  # data or structure of a database is lost or changed
    "infrastructure",  # containers, clusters, clouds: shared or remote state
    "persistence",  # something is planted that runs later
    "obfuscation",  # the command hides what it does
    "opaque",  # what it does cannot be known beforehand
]


class Effect(NamedTuple):
    """One thing that a command does besides printing.

    Most effects only name a kind and a target; where the target lies then decides whether that is
    a danger. An effect with a category is a danger by itself, and ``what`` is the sentence for the
    person: present tense, no full stop, such as ``drops the database app``.
    """

    kind: Kind
    target: str = ""
    category: Category | None = None
    what: str = ""
    is_recursive: bool = False
    is_never: bool = False
    """Whether no profile may allow it."""


def danger(category: Category, what: str, target: str = "") -> Effect:
    """Return an effect that is a danger whatever it is aimed at."""
    return Effect("danger", target, category, what)


def catastrophe(category: Category, what: str) -> Effect:
    """Return a danger that no profile may allow."""
    return Effect("danger", "", category, what, is_never=True)
