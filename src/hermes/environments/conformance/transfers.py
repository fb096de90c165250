"""Checks: files and folders go from this machine to the environment and back."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hermes.environments.conformance.bench import Bench
from hermes.environments.conformance.suite import Failed, check, holds, same
from hermes.environments.contract import Refused

_DATA = bytes(range(256)) * 8_192


@contextmanager
def _here() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hermes-check-") as folder:
        yield Path(folder)


async def _refuses(work: Awaitable[object]) -> None:
    try:
        await work
    except (OSError, Refused):
        return
    raise Failed("it was not refused")


@check(needs="transfer")
async def a_file_is_uploaded(bench: Bench) -> None:
    """A file of this machine arrives whole, into folders that are made, and stays executable."""
    with _here() as here:
        (here / "data").write_bytes(_DATA)
        (here / "script").write_text("#!/bin/sh\necho ran\n", encoding="utf-8")
        (here / "script").chmod(0o755)
        await bench.environment.upload(str(here / "data"), bench.path("new/data"))
        await bench.environment.upload(str(here / "script"), bench.path("script"))
    holds(await bench.files.read(bench.path("new/data")) == _DATA, "it is not the same")
    same(await bench.out("./script"), b"ran\n")


@check(needs="transfer")
async def a_file_is_downloaded(bench: Bench) -> None:
    """A file arrives here whole, into folders that are made."""
    await bench.files.write(bench.path("data"), _DATA)
    with _here() as here:
        await bench.environment.download(bench.path("data"), str(here / "new" / "data"))
        holds((here / "new" / "data").read_bytes() == _DATA, "it is not the same")


@check(needs="transfer")
async def a_folder_is_uploaded(bench: Bench) -> None:
    """A folder arrives with all in it: empty folders, links and odd names too."""
    with _here() as here:
        source = here / "source"
        (source / "empty").mkdir(parents=True)
        (source / "in ner").mkdir()
        (source / "in ner" / "Übung (1)").write_text("text", encoding="utf-8")
        (source / "link").symlink_to("in ner/Übung (1)")
        await bench.environment.upload(str(source), bench.path("target"))
    same(await bench.out("cd target; cat link; ls"), b"textempty\nin ner\nlink\n")
    same((await bench.run("[ -L link ] && [ -d empty ]")).code, 0, "code")


@check(needs="transfer")
async def a_folder_is_downloaded(bench: Bench) -> None:
    """A folder arrives here with all in it."""
    await bench.run(
        "mkdir -p s/a/b s/empty; echo one > s/a/one; echo two > 's/a/b/t w o'; ln -s a s/l"
    )
    with _here() as here:
        await bench.environment.download(bench.path("s"), str(here / "t"))
        found = sorted(str(path.relative_to(here / "t")) for path in (here / "t").rglob("*"))
        same([each for each in found if not each.startswith("l/")],
             ["a", "a/b", "a/b/t w o", "a/one", "empty", "l"])  # fmt: skip
        same((here / "t" / "a" / "b" / "t w o").read_text(encoding="utf-8"), "two\n")
        holds((here / "t" / "l").is_symlink(), "the link is none")


@check(needs="transfer")
async def an_upload_replaces_and_adds(bench: Bench) -> None:
    """What is there is replaced by name; what else is there stays."""
    await bench.run("mkdir t; echo old > t/f; echo kept > t/k")
    with _here() as here:
        (here / "f").write_text("new\n", encoding="utf-8")
        await bench.environment.upload(str(here), bench.path("t"))
    same(await bench.out("cat t/f t/k"), b"new\nkept\n")


@check(needs="transfer")
async def a_missing_source_is_told(bench: Bench) -> None:
    """What is not there is not copied."""
    with _here() as here:
        await _refuses(bench.environment.upload(str(here / "missing"), bench.path("x")))
        await _refuses(bench.environment.download(bench.path("missing"), str(here / "x")))
        same(list(await asyncio.to_thread(lambda: list(here.iterdir()))), [])
    same((await bench.run("[ -e x ]")).code, 1, "something was copied; code")
