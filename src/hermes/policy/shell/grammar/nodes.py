"""A parsed command: scripts of pipelines of commands, words of parts, each with its place."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Text(NamedTuple):
    """Characters that stand for themselves; unquoted ones may still be globs, braces or a tilde."""

    text: str
    is_quoted: bool


class Variable(NamedTuple):
    """``$name`` or ``${name…}``: an operator and its argument change the value."""

    name: str
    is_quoted: bool
    operator: str = ""
    argument: Word | None = None
    subscript: str | None = None


class Substitution(NamedTuple):
    """``$(…)`` or backticks: the output of a script."""

    script: Script
    is_quoted: bool


class Arithmetic(NamedTuple):
    """``$((…))``: a number; commands may hide inside."""

    inner: Word
    is_quoted: bool


class Channel(NamedTuple):
    """``<(…)`` or ``>(…)``: a file whose other end is a script."""

    direction: str
    script: Script


Part: TypeAlias = "Text | Variable | Substitution | Arithmetic | Channel"


class Word(NamedTuple):
    """One word as it is written."""

    parts: tuple[Part, ...]
    start: int
    end: int


class Assignment(NamedTuple):
    """``name=value``, ``name+=value`` or ``name=(items…)``."""

    name: str
    is_added: bool
    value: Word | None
    items: tuple[Word, ...] | None
    start: int
    end: int
    subscript: str = ""


class Redirect(NamedTuple):
    """``> file`` and its kin; a here-document has a body, read once its line has ended."""

    operator: str
    target: Word
    body: list[Word]
    start: int
    end: int
    descriptor: str = ""


class Simple(NamedTuple):
    """A simple command: assignments, words, redirects."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    start: int
    end: int


class Block(NamedTuple):
    """A compound command: what kind, the scripts inside, and the words it works on."""

    kind: str
    bodies: tuple[Script, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    start: int
    end: int
    name: str = ""


Command: TypeAlias = "Simple | Block"


class Pipeline(NamedTuple):
    """Commands that feed each other."""

    commands: tuple[Command, ...]
    start: int
    end: int
    is_background: bool = False


class Script(NamedTuple):
    """Pipelines one after the other; whether they are joined by ``;`` or ``&&`` does not matter."""

    pipelines: tuple[Pipeline, ...]
    start: int
    end: int


def first_word(command: Command) -> str | None:
    """Return the program that a simple command names plainly, or None."""
    if isinstance(command, Simple) and command.words:
        return literal(command.words[0])
    return None


def literal(word: Word) -> str | None:
    """Return a word that is written out plainly, or None."""
    if all(isinstance(part, Text) for part in word.parts):
        return "".join(part.text for part in word.parts if isinstance(part, Text))
    return None


def is_descriptor(word: str) -> bool:
    """Say whether the target of a redirect is a descriptor and no file."""
    return word == "-" or word.rstrip("-").isdecimal()


def starts_itself(pipeline: Pipeline) -> bool:
    """Say whether a pipeline is the running script, twice or more."""
    return sum(_is_script(command) for command in pipeline.commands) > 1


def _is_script(command: Command) -> bool:
    if not isinstance(command, Simple) or not command.words or not command.words[0].parts:
        return False
    first = command.words[0].parts[0]
    return (isinstance(first, Variable) and first.name == "0") or first_word(command) == "%0"
