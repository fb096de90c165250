"""Command lines as a yes is bound to them: programs, options and targets, or word for word."""

from __future__ import annotations

import os.path
import re
from typing import NamedTuple

from hermes.policy.shell.grammar.lexer import NotShell
from hermes.policy.shell.grammar.nodes import Simple, Text, Word
from hermes.policy.shell.grammar.parse import parse
from hermes.policy.shell.languages import LANGUAGES, SHELLS
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.modelled import read
from hermes.policy.shell.special.memory import SPECIALS
from hermes.policy.shell.table import table

Words = tuple[str, ...]
_PATHS = frozenset({"read*", "read-tree*", "write*", "delete*", "delete-tree*"})
_ALIKE = frozenset(
    {
        "rm", "grm", "rmdir", "unlink", "rimraf", "trash", "trash-put", "touch", "mkdir", "chown",
        "chgrp", "cat", "head", "tail", "wc", "ls", "stat", "file", "dos2unix", "unix2dos",
    }
)  # fmt: skip
"""Programs that do the same to each of their operands, whichever others there are."""
_EXPANDED = re.compile(r"[*?\[{~]")
_VERSIONED = re.compile(r"w?-?[\d.]+$")


class Step(NamedTuple):
    """One simple command: its program, the words that count in order, options, and targets."""

    program: str
    words: Words
    options: frozenset[tuple[str, Words]]
    targets: frozenset[str]
    """Real paths to which the same is done, in whatever order they stand."""

    def covers(self, other: Step) -> bool:
        """Say whether another command does the same to some of the same targets."""
        return (
            self[:3] == other[:3]
            and bool(self.targets) == bool(other.targets)
            and other.targets <= self.targets
        )


class CommandLine(NamedTuple):
    """A whole command, compared step by step where it is plain, and by its text where not."""

    text: str
    steps: frozenset[Step] | None
    """None when it has pipes, redirects, variables, or anything else but plain commands."""
    programs: tuple[str, ...]
    """Every program in it, also those that other programs run."""
    is_understood: bool = True

    def covers(self, other: CommandLine) -> bool:
        """Say whether all that another command does is done by this one."""
        if self.text == other.text:
            return True
        if not self.steps or not other.steps:
            return False
        return all(any(mine.covers(step) for mine in self.steps) for step in other.steps)

    @property
    def interpreter(self) -> str | None:
        """Return the first shell or interpreter among the programs."""
        return next((name for name in self.programs if is_interpreter(name)), None)


def is_interpreter(program: str) -> bool:
    """Say whether a program runs code that it is given."""
    name = program.rpartition("/")[2]
    return name in SHELLS or name in LANGUAGES or _VERSIONED.sub("", name) in LANGUAGES


def command_line(
    text: str, commands: tuple[Words, ...], cwd: str, *, is_understood: bool = True
) -> CommandLine:
    """Return a command with its steps; ``commands`` are its simple commands as they were read."""
    is_plain = is_understood and _is_plain(text, commands)
    steps = frozenset(_step(words, cwd) for words in commands) if is_plain else None
    programs = tuple(words[0] for words in commands if words)
    return CommandLine(text.strip(), steps, programs, is_understood)


def _is_plain(text: str, commands: tuple[Words, ...]) -> bool:
    """Say whether a text is simple commands one after the other, which run nothing else."""
    try:
        pipelines = parse(text).pipelines
    except (NotShell, RecursionError):
        return False
    if not commands or len(pipelines) != len(commands):
        return False
    for pipeline, words in zip(pipelines, commands, strict=True):
        command = pipeline.commands[0]
        if len(pipeline.commands) != 1 or pipeline.is_background or words[0] in SPECIALS:
            return False
        if not isinstance(command, Simple) or command.assignments or command.redirects:
            return False
        if tuple(map(_literal, command.words)) != words:
            return False
    return True


def _literal(word: Word) -> str | None:
    """Return a word that means just what it says, or None."""
    found = []
    for part in word.parts:
        if not isinstance(part, Text) or (not part.is_quoted and _EXPANDED.search(part.text)):
            return None
        found.append(part.text)
    return "".join(found)


def _step(words: Words, cwd: str) -> Step:
    name, rest = words[0], words[1:]
    known = table()
    if name not in _ALIKE or known.program(name) is None:
        return Step(name, rest, frozenset(), frozenset())
    call = read(name, rest)
    program = known.deepest(name, call)
    fixed = _fixed(program, call, known.depth(name, call))
    if fixed is None:
        return Step(name, rest, frozenset(), frozenset())
    targets = frozenset(_real(path, cwd) for path in call.operands[fixed:])
    return Step(name, call.operands[:fixed], frozenset(call.flags.items()), targets)


def _fixed(program: Program, call: Call, depth: int) -> int | None:
    """Return how many operands count in order before those that are all treated alike.

    None when no operands are alike, or when more than the table decides what is done to them.
    """
    pattern = program.operands
    for flags, other in program.when.items():
        if call.has(*flags.split("|")):
            pattern = other
            break
    roles = pattern.split()
    if program.handler is not None or not roles or roles[-1] not in _PATHS:
        return None
    if any(role.endswith("*") or role == "command" for role in roles[:-1]):
        return None
    return depth + len(roles) - 1


def _real(path: str, cwd: str) -> str:
    try:
        return os.path.realpath(f"{cwd}/{path}" if not path.startswith("/") else path)
    except (OSError, ValueError):
        return path
