"""Commands that a profile allows or denies: compared as parsed commands, never as text."""

from __future__ import annotations

import functools
import os.path
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from hermes.policy.shell import modelled
from hermes.policy.shell.grammar.lexer import NotShell
from hermes.policy.shell.grammar.nodes import Script, Simple
from hermes.policy.shell.grammar.parse import parse
from hermes.policy.shell.model import Call, Pattern, pattern
from hermes.policy.shell.table import table

Words = tuple[str, ...]
_SHELL = re.compile(r"[;&(){}<>$`\n\"']|\|\s|\s\|")
_SAME = {"-R": "-r", "--recursive": "-r", "--force": "-f"}
_HARMLESS = re.compile(r"LANG|LC_\w+|TZ|NO_COLOR|FORCE_COLOR|CI|TERM|COLUMNS|LINES")
_BUNDLE = re.compile(r"-[A-Za-z]{2,}")
_SYSTEM = frozenset(
    {"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"}
)


def fault(text: str) -> str | None:
    """Say what is wrong with a command of a rule; None when it can be compared."""
    if not text.strip():
        return "is no command"
    if _SHELL.search(text):
        try:
            parse(text)
        except NotShell:
            return "cannot be parsed"
    return None


def is_denied(text: str, commands: tuple[Words, ...], whole: str) -> bool:
    """Say whether one of the simple commands, or a part of the whole one, is what a rule names."""
    if _SHELL.search(text):
        return _holds(_parsed(whole), _parsed(text))
    return any(_matches(_rule(text), words) for words in commands)


def is_allowed(texts: tuple[str, ...], commands: tuple[Words, ...], whole: str) -> bool:
    """Say whether every simple command is one that a rule names."""
    if any(_SHELL.search(text) and _parsed(text) == _parsed(whole) for text in texts):
        return True
    if _steers(_parsed(whole)):
        return False
    rules = [_rule(text) for text in texts if not _SHELL.search(text)]
    return bool(commands) and all(
        _is_known_place(words) and any(_matches(rule, words) for rule in rules)
        for words in commands
    )


def _steers(tree: Any) -> bool:
    """Whether variables are set that may change which program runs, or what it does.

    A variable of the shell alone is written small; one in front of a command is for that command.
    """
    if not isinstance(tree, tuple):
        return False
    if tree[:1] == (Simple.__name__,):
        names = [assignment[1] for assignment in tree[1]]
        is_handed_on = bool(tree[2])
        if any(
            not _HARMLESS.fullmatch(name) and (is_handed_on or not name.islower()) for name in names
        ):
            return True
    return any(_steers(each) for each in tree)


def _is_known_place(words: Words) -> bool:
    """Whether a program is found by its name, or in a folder that holds programs of the system."""
    return not words or "/" not in words[0] or os.path.dirname(words[0]) in _SYSTEM  # noqa: PTH120


class _Rule(NamedTuple):
    """A pattern in the spelling that calls are brought to."""

    pattern: Pattern


@functools.lru_cache(maxsize=1_024)
def _rule(text: str) -> _Rule:
    found = pattern(text)
    model = table().program(found.names[0])
    flags: list[tuple[str, ...]] = []
    for choices in found.flags:
        if len(choices) == 1 and _is_bundle(
            choices[0], is_single=bool(model and model.dashes == "single")
        ):
            flags += [(_same(f"-{letter}"),) for letter in choices[0][1:]]
        else:
            flags.append(tuple(_same(flag) for flag in choices))
    words = tuple(tuple(_operand(word) for word in choices) for choices in found.words)
    if words and words[-1] == ("*",):
        words = words[:-1]
    return _Rule(found._replace(flags=tuple(flags), words=words))


def _is_bundle(flag: str, *, is_single: bool) -> bool:
    return not is_single and _BUNDLE.fullmatch(flag) is not None


def _same(flag: str) -> str:
    return _SAME.get(flag, flag)


def _operand(word: str) -> str:
    if not word.startswith("/"):
        return word
    flat = os.path.normpath(word)
    return flat[1:] if flat.startswith("//") else flat


def _matches(rule: _Rule, words: Words) -> bool:
    if not words:
        return False
    call = _call(words)
    if not any(fnmatchcase(call.name, name) for name in rule.pattern.names):
        return False
    return rule.pattern.match(call) is not None


@functools.lru_cache(maxsize=1_024)
def _call(words: Words) -> Call:
    name = words[0].rpartition("/")[2]
    call = modelled.read(name, words[1:])
    flags = {_same(flag): values for flag, values in call.flags.items()}
    return call._replace(flags=flags, operands=tuple(map(_operand, call.operands)))


@functools.lru_cache(maxsize=1_024)
def _parsed(text: str) -> Any:
    """Return a command's tree without the places of its parts; None when it has none."""
    try:
        return _bare(parse(text))
    except (NotShell, RecursionError):
        return None


def _bare(node: Any) -> Any:
    if isinstance(node, tuple) and hasattr(node, "_fields"):
        kept = [
            _bare(value)
            for name, value in zip(node._fields, node, strict=True)
            if name not in ("start", "end")
        ]
        return (type(node).__name__, *kept)
    if isinstance(node, list | tuple):
        return tuple(_bare(each) for each in node)
    return node


def _holds(whole: Any, part: Any) -> bool:
    """Say whether a tree holds all pipelines of another one, side by side."""
    if whole is None or part is None:
        return False
    wanted = part[1]
    return any(
        pipelines[at : at + len(wanted)] == wanted
        for pipelines in _scripts(whole)
        for at in range(len(pipelines) - len(wanted) + 1)
    )


def _scripts(node: Any) -> Iterator[tuple[Any, ...]]:
    if isinstance(node, tuple):
        if node[:1] == (Script.__name__,):
            yield node[1]
        for each in node:
            yield from _scripts(each)
