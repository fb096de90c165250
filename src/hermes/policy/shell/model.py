"""How a program is described: its options, what happens to its operands, what is a danger.

A family file in ``models/`` holds two tables.

``PROGRAMS`` maps a name (``"cp"``, ``"mv|rename"``, or with subcommands ``"git clone"``) to a
``Program``. Roles of operands and option values:

    text          data: it means nothing to the machine
    read          a file or folder that is looked at
    write         a file or folder that is made, changed or replaced
    delete        a file that is gone afterwards; ``delete-tree`` a folder with all in it
    net, send     a host that is talked to; one that is given data of this machine
    run           shell text that is run
    code:python   code that is run (any language that ``code/`` knows)
    script        a script that is run
    command       this operand and all that follow are a command of their own

``operands`` names the roles in order; a star takes as many operands as are left over:
``"read* write"``, ``"text read*"``.

``RULES`` has one danger a line, ``PATTERN => CATEGORY: SENTENCE``. A pattern is a command with
alternatives and wildcards; its words match the operands from the first on, flags match wherever
they stand, ``...`` skips any operands, ``!-n`` wants a flag or word to be absent:

    git push -f|--force|--mirror => history-rewrite: overwrites history on the remote
    git push ... +*|:*           => history-rewrite: overwrites or deletes {} on the remote
    aws s3 rm !--dryrun          => infrastructure: deletes objects from {}

``{}`` stands for the operands behind the words of the pattern. The same patterns are what a
permission profile's ``allowed_commands`` and ``denied_commands`` hold. A category with a mark,
``disk!:``, is a catastrophe: no profile allows it.
"""

from __future__ import annotations

import functools
import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple, get_args

from hermes.policy.shell.effects import Category, Effect, danger
from hermes.policy.shell.flow import NOTHING, Flow

HELP = ("--help", "--version", "--usage")
DRY = ("--dry-run", "--dryrun", "--just-print", "--simulate", "--what-if", "--noop", "--no-act")
_CATEGORIES = frozenset(get_args(Category))


class Call(NamedTuple):
    """A simple command with its words told apart."""

    name: str
    operands: tuple[str, ...]
    flags: Mapping[str, tuple[str, ...]]
    """The options that were given, each with its values; one without a value has an empty one."""
    words: tuple[str, ...] = ()
    """Everything behind the program's name as it stands."""
    piped: Flow = NOTHING
    """What comes in on standard input."""
    cwd: str = ""
    home: str = ""
    variables: Mapping[str, str] = {}
    """The variables that are set before the command's name."""
    missed: Collection[str] = ()
    """The variables that were used and never set: the names may say what is meant."""
    earlier: Sequence[tuple[str, ...]] = ()
    """The commands before this one and itself, as words."""

    def has(self, *flags: str) -> bool:
        """Say whether one of several options is given."""
        return any(flag in self.flags for flag in flags)

    def is_root(self, path: str) -> bool:
        """Say whether a path is the root folder, from where the command runs."""
        return posixpath.normpath(posixpath.join(self.cwd or "/x", path)).strip("/") == ""

    def value(self, *flags: str) -> str | None:
        """Return the value of the first of several options that is given."""
        found = self.values(*flags)
        return found[0] if found else None

    def values(self, *flags: str) -> tuple[str, ...]:
        """Return all values of several options, in no particular order."""
        return tuple(value for flag in flags for value in self.flags.get(flag, ()) if value)


class Program(NamedTuple):
    """What a program does with its options and operands."""

    operands: str = "text*"
    values: str = ""
    """Options that are followed by a value, such as ``-o --output``."""
    options: Mapping[str, str] = {}
    """Roles of options' values; these take a value and need not stand in ``values``."""
    when: Mapping[str, str] = {}
    """Other roles of the operands where one of ``-x|--long`` is given."""
    dry: str = ""
    """Options under which nothing happens, beyond the usual ``--help`` and ``--dry-run``."""
    dashes: str = "double"
    """``single`` where ``-auto-approve`` is one option and not a bundle of letters."""
    reads: str = ""
    """For programs that work on shared state: the words that only look. A call without one of them
    among its first operands is a danger of the category ``changes``."""
    changes: Category = "infrastructure"
    gives: str = ""
    """Where its output comes from, beyond what its effects say: network, secret, environment."""
    handler: Callable[[Call], Iterator[Effect]] | None = None
    """Yields further effects, where tables do not reach."""
    stops: bool = False
    """Options end at the first operand (wrappers: what follows belongs to another command)."""


class Rule(NamedTuple):
    """One danger: a pattern, and what to say when a call matches it."""

    pattern: Pattern
    category: Category
    sentence: str
    is_never: bool = False

    def effect(self, call: Call) -> Effect | None:
        """Return the danger when a call matches."""
        rest = self.pattern.match(call)
        if rest is None:
            return None
        found = danger(self.category, self.sentence.replace("{}", _shown(rest)))
        return found._replace(is_never=self.is_never)


def _shown(operands: Sequence[str]) -> str:
    text = " ".join(operands)
    return (text if len(text) <= 80 else f"{text[:77]}…") or "something"


class Pattern(NamedTuple):
    """A command with alternatives and wildcards."""

    names: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    flags: tuple[tuple[str, ...], ...]
    without: tuple[str, ...]

    def match(self, call: Call) -> tuple[str, ...] | None:
        """Return the operands behind the pattern's words, or None when a call does not match."""
        if self.flags and not self._has_flags(call):
            return None
        if any(_given(call, word) or _names(call, word) for word in self.without):
            return None
        at = _words_match(self.words, call.operands)
        return None if at is None else call.operands[at:]

    def _has_flags(self, call: Call) -> bool:
        if not call.flags:
            return False
        return all(any(_given(call, flag) for flag in choices) for choices in self.flags)


def _words_match(
    wanted: tuple[tuple[str, ...], ...], operands: tuple[str, ...], at: int = 0
) -> int | None:
    for index, choices in enumerate(wanted):
        if choices == ("...",):
            rest = wanted[index + 1 :]
            if not rest:
                return at
            for start in range(at, len(operands)):
                found = _words_match(rest, operands, start)
                if found is not None:
                    return start
            return None
        if at >= len(operands) or not _is_one_of(operands[at], choices):
            return None
        at += 1
    return at


def _is_one_of(word: str, choices: tuple[str, ...]) -> bool:
    return any(
        word == choice or ("*" in choice and fnmatchcase(word, choice)) for choice in choices
    )


def _names(call: Call, wanted: str) -> bool:
    """Say whether one of the operands is a word, or matches it."""
    if "*" not in wanted:
        return wanted in call.operands
    return any(fnmatchcase(word, wanted) for word in call.operands)


def _given(call: Call, wanted: str) -> bool:
    """Say whether a flag is given: exactly, by a wildcard, with a value, or abbreviated."""
    flag, equals, value = wanted.partition("=")
    flags = call.flags
    if flag in flags:
        return not equals or any(fnmatchcase(given, value) for given in flags[flag])
    if "*" in flag:
        return any(fnmatchcase(name, flag) for name in flags)
    if flag.startswith("--"):
        short = (name for name in flags if name.startswith("--") and flag.startswith(name))
        return any(
            len(name) > 4
            and (not equals or any(fnmatchcase(given, value) for given in flags[name]))
            for name in short
        )
    return False


@functools.lru_cache(maxsize=4_096)
def pattern(text: str) -> Pattern:
    """Return the pattern that a line such as ``git push -f|--force`` stands for.

    Raises:
        ValueError: there is no program's name in it.
    """
    parts = text.split()
    if not parts:
        raise ValueError("a command pattern needs a program's name")
    names = tuple(parts[0].split("|"))
    words, flags, without = [], [], []
    for part in parts[1:]:
        if part.startswith("!") and len(part) > 1:
            without += part[1:].split("|")
        elif part.startswith("-") and len(part) > 1:
            flags.append(tuple(part.split("|")))
        else:
            words.append(tuple(part.split("|")))
    return Pattern(names, tuple(words), tuple(flags), tuple(without))


def rules(text: str) -> Iterator[tuple[str, Rule]]:
    """Yield every program's name with a rule about it.

    Raises:
        ValueError: a line is not ``PATTERN => CATEGORY: SENTENCE``.
    """
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        left, arrow, right = line.partition("=>")
        category, colon, sentence = right.partition(":")
        word = category.strip().removesuffix("!")
        if not arrow or not colon or word not in _CATEGORIES:
            raise ValueError(f"not a rule: {line!r}")
        found = pattern(left.strip())
        for name in found.names:
            is_never = category.strip().endswith("!")
            yield name, Rule(found, word, sentence.strip(), is_never)  # type: ignore[arg-type]  # checked


def told_apart(name: str, words: Sequence[str], program: Program) -> Call:
    """Return a call with its options and operands told apart as a program reads them."""
    flags: dict[str, tuple[str, ...]] = {}
    operands: list[str] = []
    takes = _takes(program)
    pattern = program.operands.split()
    limit = pattern.index("command") + 1 if "command" in pattern else int(program.stops)
    at, count = 0, len(words)
    while at < count:
        word = words[at]
        at += 1
        if len(word) < 2 or word[0] != "-" or not word[1:2].strip():
            operands.append(word)
            if len(operands) == limit:
                operands += words[at:]
                break
        elif word == "--":
            operands += words[at:]
            break
        elif word.startswith("--") or program.dashes == "single":
            flag, equals, value = word.partition("=")
            if equals and flag not in takes:
                flag = _spelt_out(flag, takes)
            if not equals and flag in takes and at < count:
                value = words[at]
                at += 1
            flags[flag] = (*flags.get(flag, ()), value)
        else:
            at += _bundle(word, words[at : at + 1], takes, flags)
    return Call(name, tuple(operands), flags, tuple(words))


def _spelt_out(flag: str, takes: frozenset[str]) -> str:
    """Return the option that an abbreviation such as ``--targ=`` stands for."""
    longer = [name for name in takes if name.startswith(flag)] if len(flag) > 4 else []
    return longer[0] if len(longer) == 1 else flag


def _bundle(
    word: str, following: Sequence[str], takes: frozenset[str], flags: dict[str, tuple[str, ...]]
) -> int:
    """Read ``-rf`` or ``-ofile``; return how many of the following words were its value."""
    if word in takes:
        flags[word] = (*flags.get(word, ()), *following)
        return len(following)
    for index in range(1, len(word)):
        flag = f"-{word[index]}"
        if flag in takes:
            value = word[index + 1 :]
            flags[flag] = (*flags.get(flag, ()), value or "".join(following))
            return 0 if value else len(following)
        flags[flag] = (*flags.get(flag, ()), "")
    return 0


@functools.cache
def _takes_of(values: str, options: tuple[str, ...]) -> frozenset[str]:
    return frozenset((*values.split(), *(flag for names in options for flag in names.split("|"))))


def _takes(program: Program) -> frozenset[str]:
    return _takes_of(program.values, tuple(program.options))


def roles(pattern: str, operands: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield every operand with its role, by a pattern such as ``read* write``."""
    wanted = pattern.split()
    star = next((at for at, role in enumerate(wanted) if role.endswith("*")), None)
    if star is None:
        yield from zip(wanted, operands, strict=False)
        return
    tail = len(wanted) - star - 1
    spread = max(0, len(operands) - star - tail)
    laid = [*wanted[:star], *[wanted[star][:-1]] * spread, *wanted[star + 1 :]]
    yield from zip(laid, operands, strict=False)


def alternatives(name: str) -> Iterator[str]:
    """Yield the names that a key of a table stands for: ``mv|rename``, ``git rm|mv``."""
    choices = [part.split("|") for part in name.split()]
    made = [""]
    for words in choices:
        made = [f"{start} {word}".strip() for start in made for word in words]
    yield from made
