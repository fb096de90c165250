"""What may follow the text before the cursor: commands, tools, their arguments, names, paths."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from hermes.cli.chat.mentions import place

Named = Iterable[tuple[str, str]]
"""Words with a little help each."""

_MENTION = re.compile(r'(?:^|(?<=\s))@("[^"\n]*|\S*)$')
_MOST_PATHS = 60


class Candidate(NamedTuple):
    """A word, how many characters before the cursor it replaces, and what it means."""

    word: str
    replaces: int
    help: str = ""


class Sources(NamedTuple):
    """Where words come from; each is asked when it is needed."""

    commands: Mapping[str, str]
    words: Mapping[str, Callable[[list[str], str], Named]]
    """What may follow a command, by its name: given the words before, and the one begun."""
    folder: Callable[[], str]


def candidates(before: str, sources: Sources) -> Iterator[Candidate]:
    """Yield what the end of a text may become."""
    if before.startswith("/") and "\n" not in before:
        yield from _commanded(before[1:], sources)
    elif mention := _MENTION.search(before):
        yield from _paths(mention[1], sources.folder())


def _commanded(before: str, sources: Sources) -> Iterator[Candidate]:
    name, space, rest = before.partition(" ")
    if not space:
        for each, help in sources.commands.items():
            if each.startswith(name):
                yield Candidate(f"/{each}", len(name) + 1, help)
        return
    asked = sources.words.get(name)
    if asked is None:
        return
    *typed, current = rest.split(" ")
    for word, help in asked([each for each in typed if each], current):
        if word.startswith(current) and word != current:
            yield Candidate(word, len(current), help)


def _paths(begun: str, folder: str) -> Iterator[Candidate]:
    is_quoted = begun.startswith('"')
    path = begun[1:] if is_quoted else begun
    head, _, start = path.rpartition("/")
    head = f"{head}/" if "/" in path else ""
    found = sorted(_entries(place(head, folder), start))
    for name, is_folder in found[:_MOST_PATHS]:
        whole = f"{head}{name}/" if is_folder else f"{head}{name}"
        if is_quoted or " " in whole:
            whole = f'"{whole}' if is_folder else f'"{whole}"'
        yield Candidate(f"@{whole}", len(begun) + 1, "folder" if is_folder else "")


def _entries(folder: str, start: str) -> Iterator[tuple[str, bool]]:
    """Yield the names in a folder that begin so; hidden ones only where a dot was typed."""
    try:
        with os.scandir(folder) as entries:
            for each in entries:
                is_hidden = each.name.startswith(".") and not start.startswith(".")
                if each.name.startswith(start) and not is_hidden and each.name.isprintable():
                    yield each.name, each.is_dir()
    except OSError:
        return
