"""Checks: files are read, written, listed, moved, removed and watched by system calls alone."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Awaitable

from hermes.environments.conformance.bench import WAIT_SECONDS, Bench
from hermes.environments.conformance.suite import Failed, check, holds, same

_NAMES = (" a b ", "new\nline", "Übung-漢字-🙂", 'it\'s "q" $x `y` \\', "-rf", "*?[x]", "raw\udcff")


async def _refuses(work: Awaitable[object], *numbers: int) -> None:
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            await work
    except OSError as error:
        if numbers and error.errno not in numbers:
            raise Failed(f"the error is {error!r}") from error
        return
    raise Failed("it was not refused")


@check()
async def a_file_is_written_and_read(bench: Bench) -> None:
    """What was written is read, by commands too."""
    path = bench.path("file")
    stat = await bench.files.write(path, b"content\n")
    same((stat.kind, stat.size), ("file", 8))
    same(await bench.files.read(path), b"content\n")
    same(await bench.out("cat file; echo more >> file"), b"content\n")
    same(await bench.files.read(path), b"content\nmore\n")


@check()
async def a_file_is_read_in_parts(bench: Bench) -> None:
    """A place to begin and a size give exactly that part."""
    path = bench.path("file")
    await bench.files.write(path, b"0123456789")
    parts = [
        await bench.files.read(path, offset, size)
        for offset, size in ((0, 3), (3, 4), (8, 100), (10, 5), (50, 5), (2, 0), (4, None))
    ]
    same(parts, [b"012", b"3456", b"89", b"", b"", b"", b"456789"])


@check()
async def a_file_is_replaced_in_one_step(bench: Bench) -> None:
    """Who has the old file open goes on reading the old one, and nothing lies beside it."""
    path = bench.path("d/file")
    await bench.files.write(path, b"old\n")
    await bench.run("cd d")
    text = "exec 7<file; echo up; while [ ! -e go ]; do sleep 0.05; done; cat <&7; cat file"
    task, heard = bench.begin(text)
    await heard.until(b"up")
    await bench.files.write(path, b"new\n")
    await bench.run("touch go")
    await task
    same(heard.out, b"up\nold\nnew\n")
    same(await bench.out("ls -A"), b"file\ngo\n")


@check()
async def a_file_is_added_to(bench: Bench) -> None:
    """Adding makes the file if it is missing, and keeps what is there."""
    path = bench.path("log")
    await bench.files.write(path, b"one\n", append=True)
    stat = await bench.files.write(path, b"two\n", append=True)
    same((stat.size, await bench.files.read(path)), (8, b"one\ntwo\n"))


@check()
async def missing_folders_are_made(bench: Bench) -> None:
    """A file can be written into folders that are not there yet."""
    await bench.files.write(bench.path("a/b/c"), b"x")
    same(await bench.out("cat a/b/c"), b"x")


@check()
async def an_empty_file_is_a_file(bench: Bench) -> None:
    """Nothing can be written and read."""
    await bench.files.write(bench.path("empty"), b"")
    same(await bench.files.read(bench.path("empty")), b"")
    same((await bench.files.stat(bench.path("empty"))).size, 0)


@check()
async def the_mode_of_a_file_is_kept(bench: Bench) -> None:
    """A new mode can be asked for; without that a replaced file keeps its own."""
    path = bench.path("script")
    same((await bench.files.write(path, b"#!/bin/sh\necho ran\n", mode=0o755)).mode, 0o755)
    same(await bench.out("./script"), b"ran\n")
    same((await bench.files.write(path, b"#!/bin/sh\necho again\n")).mode, 0o755)
    same(await bench.out("./script"), b"again\n")


@check()
async def a_file_with_several_names_keeps_them(bench: Bench) -> None:
    """Hard and symbolic links still lead to a file that was replaced."""
    await bench.files.write(bench.path("one"), b"a long old text\n")
    await bench.out("ln one two; ln -s two three")
    await bench.files.write(bench.path("three"), b"new\n")
    same(await bench.out("cat one two three"), b"new\n" * 3)


@check()
async def a_large_file_is_whole(bench: Bench) -> None:
    """Ten megabytes of any bytes go there and back."""
    data = bytes(range(256)) * 40_960
    await bench.files.write(bench.path("large"), data)
    same(await bench.out("wc -c < large"), b"%d\n" % len(data))
    holds(await bench.files.read(bench.path("large")) == data, "it is not the same")


@check()
async def any_name_works(bench: Bench) -> None:
    """Spaces, line breaks, quotes, every script and invalid text name files."""
    folder = bench.path("named")
    for name in _NAMES:
        await bench.files.write(f"{folder}/{name}", name.encode("utf-8", "surrogateescape"))
    listed = await bench.files.list(folder)
    same(sorted(one.path for one in listed), sorted(f"{folder}/{name}" for name in _NAMES))
    for name in _NAMES:
        data = await bench.files.read(f"{folder}/{name}")
        same(data, name.encode("utf-8", "surrogateescape"), repr(name))
        await bench.files.remove(f"{folder}/{name}")
    same(await bench.files.list(folder), [])


@check()
async def what_is_missing_is_told(bench: Bench) -> None:
    """Every way of asking for a missing file says so."""
    path, files = bench.path("missing"), bench.files
    for work in (
        files.read(path),
        files.stat(path),
        files.list(path),
        files.remove(path),
        files.rename(path, bench.path("other")),
    ):
        await _refuses(work, errno.ENOENT)


@check()
async def a_folder_is_no_file(bench: Bench) -> None:
    """A folder is not read, written or removed like a file."""
    await bench.run("mkdir -p full/inner")
    await _refuses(bench.files.read(bench.path("full")), errno.EISDIR)
    await _refuses(bench.files.write(bench.path("full"), b"x"))
    await _refuses(bench.files.remove(bench.path("full")), errno.ENOTEMPTY, errno.EEXIST)
    same(await bench.out("find full"), b"full\nfull/inner\n")


@check()
async def a_file_is_no_folder(bench: Bench) -> None:
    """A file is not listed, and nothing is written below it."""
    await bench.files.write(bench.path("file"), b"x")
    await _refuses(bench.files.list(bench.path("file")), errno.ENOTDIR)
    await _refuses(bench.files.write(bench.path("file/below"), b"x"))
    await _refuses(bench.files.make_folder(bench.path("file")))


@check()
async def what_could_wait_is_refused(bench: Bench) -> None:
    """A pipe or a device is not read as a file, and nobody waits for it."""
    await bench.run("mkfifo pipe")
    await _refuses(bench.files.read(bench.path("pipe")))
    await _refuses(bench.files.write(bench.path("pipe"), b"x"))
    await _refuses(bench.files.write(bench.path("pipe"), b"x", append=True))
    await _refuses(bench.files.read("/dev/zero"))
    same((await bench.files.stat(bench.path("pipe"))).kind, "other")


@check()
async def facts_are_told(bench: Bench) -> None:
    """Kind, size, mode, time and the target of links are known without reading."""
    await bench.files.write(bench.path("f"), b"12345", mode=0o640)
    told = await bench.out("mkdir d; ln -s f l; stat -c '%s %a %Y %i' f")
    stat = await bench.files.stat(bench.path("f"))
    facts = f"{stat.size} {stat.mode:o} {int(stat.modified)} {stat.inode or int(told.split()[3])}\n"
    same((stat.kind, facts), ("file", told.decode()))
    same((await bench.files.stat(bench.path("d"))).kind, "folder")
    link = await bench.files.stat(bench.path("l"), follow=False)
    same((link.kind, link.target), ("link", "f"))
    same((await bench.files.stat(bench.path("l"))).kind, "file")


@check()
async def a_folder_is_listed_in_order(bench: Bench) -> None:
    """All entries come by name, hidden ones and broken links too, and links are not followed."""
    await bench.run(
        "mkdir l; cd l; touch b .hidden a; mkdir c; ln -s nowhere broken; ln -s c linked"
    )
    listed = await bench.files.list(bench.path("l"))
    kinds = [(one.path.rpartition("/")[2], one.kind) for one in listed]
    wanted = [(".hidden", "file"), ("a", "file"), ("b", "file"), ("broken", "link")]
    same(kinds, [*wanted, ("c", "folder"), ("linked", "link")])


@check()
async def many_files_are_listed(bench: Bench) -> None:
    """A folder of two thousand files is listed whole."""
    await bench.run("mkdir many; cd many; touch $(seq 1 2000)")
    same(len(await bench.files.list(bench.path("many"))), 2000)


@check()
async def links_are_followed_when_written(bench: Bench) -> None:
    """Writing through a link changes its target, and the link stays one."""
    await bench.run("echo old > target; ln -s target link")
    await bench.files.write(bench.path("link"), b"new\n")
    same(await bench.out("cat target; readlink link"), b"new\ntarget\n")


@check()
async def folders_are_made(bench: Bench) -> None:
    """A folder is made with those above it; one that is there is no error."""
    await bench.files.make_folder(bench.path("x/y/z"))
    await bench.files.make_folder(bench.path("x/y/z"))
    same((await bench.run("cd x/y/z")).code, 0, "code")


@check()
async def files_and_folders_are_moved(bench: Bench) -> None:
    """Moving replaces a file in the way and takes a folder with all in it."""
    await bench.run("echo a > a; echo b > b; mkdir -p d/e; echo c > d/e/c")
    await bench.files.rename(bench.path("a"), bench.path("b"))
    await bench.files.rename(bench.path("d"), bench.path("n"))
    same(await bench.out("cat b n/e/c; ls -d a b d n 2>/dev/null"), b"a\nc\nb\nn\n")


@check()
async def files_and_folders_are_removed(bench: Bench) -> None:
    """A file, a link but not its target, an empty folder, and a full one when asked."""
    await bench.run(
        "touch f t; ln -s t l; mkdir -p e full/a/b; touch full/a/b/c; ln -s ../t full/l"
    )
    for name in ("f", "l", "e"):
        await bench.files.remove(bench.path(name))
    await bench.files.remove(bench.path("full"), recursive=True)
    same(await bench.out("ls -d f t l e full 2>/dev/null"), b"t\n")


@check()
async def files_are_worked_on_together(bench: Bench) -> None:
    """Many requests at once are all answered."""
    names = [bench.path(f"n{number}") for number in range(40)]
    await asyncio.gather(*(bench.files.write(name, name.encode()) for name in names))
    read = await asyncio.gather(*(bench.files.read(name) for name in names))
    same(read, [name.encode() for name in names])


@check(needs="watch")
async def changes_are_reported(bench: Bench) -> None:
    """What commands make, change and remove is told, in new folders too, until nobody wants it."""
    seen, watch = _Seen(), bench.files.watch
    end = await watch(bench.environment.root, seen.report)
    try:
        await bench.run("mkdir d")
        await seen.until("created", bench.path("d"))
        await bench.run("echo 1 > d/f; echo 2 >> d/f; mv d/f d/g; rm d/g")
        for kind, name in (
            ("changed", "d/f"), ("deleted", "d/f"),
            ("created", "d/g"), ("deleted", "d/g"),
        ):  # fmt: skip
            await seen.until(kind, bench.path(name))
    finally:
        end()
        end()


@check(needs="watch")
async def watching_what_is_missing_is_told(bench: Bench) -> None:
    """There is nothing to watch where nothing is."""
    await _refuses(bench.files.watch(bench.path("missing"), print), errno.ENOENT)


class _Seen:
    """The changes that were reported, from whatever thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._seen: set[tuple[str, str]] = set()
        self._news = asyncio.Event()

    def report(self, kind: str, path: str) -> None:
        self._loop.call_soon_threadsafe(self._take, kind, path)

    def _take(self, kind: str, path: str) -> None:
        self._seen.add((kind, path))
        self._news.set()

    async def until(self, kind: str, path: str) -> None:
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                while (kind, path) not in self._seen:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError as error:
            raise Failed(f"{kind} {path} was not reported, only {self._seen}") from error
