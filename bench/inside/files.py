"""File tools through the whole pipeline, beside plain system calls, ripgrep and find."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import resource
import subprocess
import tempfile
from pathlib import Path

from bench.harness import interleave_async
from hermes import Runtime

LINE = "the quick brown fox jumps over the lazy dog and goes on to the next hill, number %09d\n"


class Work:
    """A runtime in a folder of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="hermes-bench-")
        self.path = Path(self._folder.name)
        self._runtime = Runtime(cwd=self.path)

    async def call(self, tool: str, **given: object) -> str:
        answer = await self._runtime.call(tool, given)
        assert '"error"' not in answer[:20], answer
        return answer

    async def __aenter__(self) -> Work:
        await self._runtime.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._runtime.__aexit__(*error)
        self._folder.cleanup()


def small(rounds: int) -> dict:
    """Return seconds of reading a small file, and of writing one beside plain system calls."""
    return asyncio.run(_small(rounds))


async def _small(rounds: int) -> dict:
    async with Work() as work:
        (work.path / "small").write_text("x" * 19 + "\n" * 181)
        small, large = "y" * 1_023 + "\n", ("z" * 99 + "\n") * 10_486

        async def read() -> None:
            await work.call("read_file", path="small")

        async def write_small() -> None:
            await work.call("write_file", path="ours", content=small)

        async def write_large() -> None:
            await work.call("write_file", path="ours", content=large)

        async def plain_small() -> None:
            _replace(work.path, small.encode())

        async def plain_large() -> None:
            _replace(work.path, large.encode())

        for warm in (read, write_small, write_large):
            await warm()
        (reads,) = await interleave_async(rounds * 20, [read])
        ours_small, theirs_small = await interleave_async(rounds * 4, [write_small, plain_small])
        ours_large, theirs_large = await interleave_async(rounds * 4, [write_large, plain_large])
        return {
            "read": reads,
            "small": (ours_small, theirs_small),
            "large": (ours_large, theirs_large),
        }


def _replace(folder: Path, data: bytes) -> None:
    """Write a file as whoever cares for their data does."""
    beside = folder / "beside"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(descriptor, data)
    os.fsync(descriptor)
    os.close(descriptor)
    beside.replace(folder / "plain")


def large(rounds: int, megabytes: int) -> dict:
    """Return seconds of a head and of a middle of a large file, and the memory that took."""
    return asyncio.run(_large(rounds, megabytes))


async def _large(rounds: int, megabytes: int) -> dict:
    async with Work() as work:
        path = work.path / "large"
        count = megabytes * 1_000_000 // len(LINE % 0)
        with path.open("w") as file:
            for start in range(0, count, 10_000):
                file.write("".join(LINE % n for n in range(start, min(count, start + 10_000))))
        middle = count // 2

        async def head() -> None:
            await work.call("read_file", path="large")

        async def window() -> None:
            os.utime(path)  # another version: nothing is known of its lines
            await work.call("read_file", path="large", offset=middle)

        async def scan() -> None:
            with path.open("rb") as file:
                assert len(list(itertools.islice(file, middle, middle + 500))) == min(500, middle)

        await head()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        await window()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        (heads,) = await interleave_async(rounds * 4, [head])
        ours, plain = await interleave_async(rounds, [window, scan])
        return {"head": heads, "middle": (ours, plain), "grown": max(4, grown)}


def search(rounds: int, megabytes: int) -> dict:
    """Return seconds of searches, with ripgrep and without, beside ripgrep itself."""
    return asyncio.run(_search(rounds, megabytes))


async def _search(rounds: int, megabytes: int) -> dict:
    from hermes.services.files.searching import finding

    rg = finding.program()
    async with Work() as work:
        hits = _tree(work.path, megabytes * 1_000_000)
        pages = itertools.count()

        async def ours() -> None:
            offset = next(pages) * 50 % hits
            answer = json.loads(await work.call("search_files", pattern="needle_", offset=offset))
            assert answer["total"] == hits

        async def plain() -> None:
            finding.program = lambda: None
            await ours()
            finding.program = lambda: rg

        async def raw() -> None:
            subprocess.run([rg, "-n", "needle_", "."], cwd=work.path, stdout=subprocess.PIPE)

        for warm in (ours, raw):
            await warm()
        times = await interleave_async(rounds, [ours, raw, plain])
        return dict(zip(("ours", "raw", "plain"), times, strict=True))


def _tree(root: Path, size: int) -> int:
    """Write a tree of sources that have a word some 44,000 times in 240 MB."""
    chance = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(3, 9))) for _ in range(3_000)]
    hits = 0
    for number in itertools.count():
        if size <= 0:
            return hits
        folder = root / f"d{number // 400}" / f"s{number // 40 % 10}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [" ".join(chance.choices(words, k=8)) for _ in range(400)]
        if number % 3 == 0:
            for at in range(7, 400, 32):
                lines[at] += " needle_here"
                hits += 1
        text = "\n".join(lines) + "\n"
        (folder / f"f{number}.py").write_text(text)
        size -= len(text)
    raise AssertionError


def tree(rounds: int, files: int) -> dict:
    """Return seconds of listing a large tree, beside find."""
    return asyncio.run(_listed(rounds, files))


async def _listed(rounds: int, files: int) -> dict:
    async with Work() as work:
        for number in range(0, files, 100):
            folder = work.path / f"a{number // 10_000}" / f"b{number // 1_000 % 10}" / f"c{number}"
            folder.mkdir(parents=True)
            for name in range(min(100, files)):
                (folder / f"f{name}.txt").touch()

        async def ours() -> None:
            answer = json.loads(await work.call("directory_list", depth=10))
            assert answer["files"] >= files

        async def find() -> None:
            subprocess.run(["find", "."], cwd=work.path, stdout=subprocess.PIPE, check=True)

        await ours()
        mine, theirs = await interleave_async(rounds, [ours, find])
        return {"ours": mine, "find": theirs}
