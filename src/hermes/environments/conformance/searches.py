"""Checks: files are searched and listed where they are, and a search can be ended."""

from __future__ import annotations

import asyncio
import time

from hermes.environments.conformance.bench import WAIT_SECONDS, Bench
from hermes.environments.conformance.suite import Failed, check, holds, same
from hermes.environments.inside.listing import Order
from hermes.environments.inside.patterns import BadPattern
from hermes.environments.inside.searching import Pick, Question
from hermes.environments.inside.walking import Scope


async def _tree(bench: Bench) -> str:
    root = bench.path("tree")
    for name, data in (
        (".gitignore", b"*.log\n"),
        ("a.py", b"one\nneedle\nthree\n"),
        ("d/b.py", b"needle\nneedle\n"),
        ("d/c.log", b"needle\n"),
        ("raw\udcff", b"needle\n"),
        ("zeros", b"\0needle\n"),
    ):
        await bench.files.write(f"{root}/{name}", data)
    return root


@check()
async def hits_are_counted_by_file(bench: Bench) -> None:
    """Ignored files do not count, files that are no text are counted apart."""
    root = await _tree(bench)
    found = await bench.files.tally(Question(root, "needle$", Scope()))
    same(found.counts, {"a.py": 1, "d/b.py": 2, "raw\udcff": 1})
    same((found.binary, found.is_complete), (1, True))


@check()
async def hits_are_shown_with_the_lines_around(bench: Bench) -> None:
    """Only those that are asked for come."""
    root = await _tree(bench)
    question = Question(root, "needle", Scope())
    picks = [Pick("a.py", 0, 1), Pick("d/b.py", 1, 1)]
    found = await bench.files.hits(question, picks, 1)
    shown = [(hit.path, hit.shown.line, hit.shown.before, hit.shown.after) for hit in found]
    same(shown, [("a.py", 2, ["one"], ["three"]), ("d/b.py", 2, ["needle"], [])])


@check()
async def files_are_found_by_name(bench: Bench) -> None:
    """A pattern with a folder means that folder."""
    root = await _tree(bench)
    same(await bench.files.names(root, Scope(glob="*.py")), ["a.py", "d/b.py"])
    same(await bench.files.names(root, Scope(glob="d/*")), ["d/b.py"])


@check()
async def a_tree_is_listed(bench: Bench) -> None:
    """What is in a folder and below it comes at once, with what is left out."""
    root = await _tree(bench)
    tree = await bench.files.tree(Order(root, depth=2, most=4))
    shown = [(row.path, row.kind, row.size, row.left_out) for row in tree.rows]
    files = [("a.py", "file", 17, 0), ("raw\udcff", "file", 7, 0), ("zeros", "file", 8, 0)]
    same(shown, [files[0], ("d", "folder", 0, 2), *files[1:]])
    same((tree.files, tree.folders, tree.left_out, tree.is_complete), (5, 1, 0, True))


@check()
async def a_broken_pattern_is_told(bench: Bench) -> None:
    """It is no failure of the environment."""
    root = await _tree(bench)
    try:
        await bench.files.tally(Question(root, "needle(", Scope()))
    except BadPattern as error:
        same(error.position, 6)
        return
    raise Failed("it was not told")


@check()
async def a_search_that_hangs_is_ended(bench: Bench) -> None:
    """A pattern that goes back for ever blocks nothing, and being cancelled ends it."""
    root = bench.path("evil")
    await bench.files.write(f"{root}/a", b"a" * 64 + b"\n")
    question = Question(root, "(a|a)*(?=b)$", Scope())
    work = asyncio.ensure_future(bench.files.tally(question))
    same((await bench.files.stat(root)).kind, "folder")
    began = time.monotonic()
    work.cancel()
    await asyncio.wait((work,), timeout=WAIT_SECONDS)
    holds(time.monotonic() - began < WAIT_SECONDS, "it went on")
    found = await bench.files.tally(question._replace(seconds=0.2))
    same((found.counts, found.is_complete), ({}, False))
