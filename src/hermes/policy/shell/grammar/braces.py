"""Expand ``{a,b}`` and ``{1..3}`` in the unquoted parts of a word."""

from __future__ import annotations

import itertools
import re
from typing import TypeAlias

from hermes.policy.shell.grammar.lexer import NotShell
from hermes.policy.shell.grammar.nodes import Part, Text, Word

MOST = 512
_LONGEST = 4_000
_MOST_BRACES = 50
_RANGE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?")
Atom: TypeAlias = "str | Part"


def expanded(word: Word) -> list[Word]:
    """Return the words that a word with braces stands for; itself when it has none."""
    if not any(isinstance(p, Text) and not p.is_quoted and "{" in p.text for p in word.parts):
        return [word]
    atoms: list[Atom] = []
    for part in word.parts:
        if isinstance(part, Text) and not part.is_quoted:
            atoms += part.text
        else:
            atoms.append(part)
    if len(atoms) > _LONGEST or atoms.count("{") > _MOST_BRACES:
        raise NotShell("a word has more braces than can be followed", word.start)
    made = _alternatives(atoms)[:MOST]
    if len(made) == 1 and made[0] == atoms:
        return [word]
    return [Word(_joined(atoms), word.start, word.end) for atoms in made]


def _alternatives(atoms: list[Atom]) -> list[list[Atom]]:
    found = _first_brace(atoms)
    if found is None:
        return [atoms]
    start, end, choices = found
    tails = _alternatives(atoms[end + 1 :])
    made: list[list[Atom]] = []
    for choice in choices:
        for middle in _alternatives(choice):
            for tail in tails:
                made.append([*atoms[:start], *middle, *tail])
                if len(made) >= MOST:
                    return made
    return made


def _first_brace(atoms: list[Atom]) -> tuple[int, int, list[list[Atom]]] | None:
    for start, atom in enumerate(atoms):
        if atom != "{":
            continue
        level, cuts = 0, [start]
        for at in range(start, len(atoms)):
            if atoms[at] == "{":
                level += 1
            elif atoms[at] == "," and level == 1:
                cuts.append(at)
            elif atoms[at] == "}":
                level -= 1
                if level == 0:
                    choices = _choices(atoms, [*cuts, at])
                    if choices is not None:
                        return start, at, choices
                    break
    return None


def _choices(atoms: list[Atom], cuts: list[int]) -> list[list[Atom]] | None:
    if len(cuts) > 2:
        return [atoms[a + 1 : b] for a, b in itertools.pairwise(cuts)]
    inner = atoms[cuts[0] + 1 : cuts[1]]
    if not all(isinstance(atom, str) for atom in inner):
        return None
    match = _RANGE.fullmatch("".join(atom for atom in inner if isinstance(atom, str)))
    return [list(text) for text in _range(match)] if match else None


def _range(match: re.Match[str]) -> list[str]:
    first, last, step = match[1], match[2], abs(int(match[3] or 1)) or 1
    if first.isalpha() != last.isalpha():
        return [match[0]]
    a, b = (ord(first), ord(last)) if first.isalpha() else (int(first), int(last))
    numbers = range(a, b + 1, step) if a <= b else range(a, b - 1, -step)
    return [chr(n) if first.isalpha() else str(n) for n in numbers[:MOST]]


def _joined(atoms: list[Atom]) -> tuple[Part, ...]:
    parts: list[Part] = []
    text = ""
    for atom in atoms:
        if isinstance(atom, str):
            text += atom
            continue
        if text:
            parts.append(Text(text, False))
            text = ""
        parts.append(atom)
    if text:
        parts.append(Text(text, False))
    return tuple(parts) or (Text("", True),)
