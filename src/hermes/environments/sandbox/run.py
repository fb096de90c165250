"""Start programs in their boxes, and see to it that nothing of them is left."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Self

from hermes.environments.sandbox import layout
from hermes.environments.sandbox.backend import Backend
from hermes.environments.sandbox.box import Box
from hermes.environments.sandbox.child import Child
from hermes.environments.sandbox.keepers import Keepers
from hermes.environments.sandbox.limits import counting_folder
from hermes.environments.sandbox.order import Order
from hermes.environments.sandbox.pipes import Finished, Three, close, exchange, pipes
from hermes.environments.sandbox.plain import PlainStarter
from hermes.environments.sandbox.proxy import Proxy
from hermes.environments.sandbox.starter import Starter

_PROXIED = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
_DIRECT = ("NO_PROXY", "no_proxy")


class Running:
    """A program with pipes, on an event loop."""

    def __init__(self, child: Child, stdin: int, output: int, errors: int) -> None:
        self.child = child
        self.stdin = stdin
        """A descriptor to write to; the owner of this object closes it with ``close_stdin``."""
        self._pipes = (output, errors)
        self.stdout = asyncio.StreamReader()
        self.stderr = asyncio.StreamReader()

    async def open(self) -> Self:
        """Connect the readers to the pipes."""
        loop = asyncio.get_running_loop()
        for fd, reader in zip(self._pipes, (self.stdout, self.stderr), strict=True):
            pipe = os.fdopen(fd, "rb", buffering=0)
            protocol = partial(asyncio.StreamReaderProtocol, reader)
            await loop.connect_read_pipe(protocol, pipe)
        return self

    async def feed(self, data: bytes) -> None:
        """Write a program's whole input, as far as it reads it, and tell it that no more comes."""
        left = memoryview(data)
        os.set_blocking(self.stdin, False)
        try:
            while left:
                try:
                    left = left[os.write(self.stdin, left) :]
                except BlockingIOError:
                    await _writable(self.stdin)
        except BrokenPipeError:
            return  # it ended, or wants to read no more
        finally:
            self.close_stdin()

    def close_stdin(self) -> None:
        """Tell the program that nothing more comes."""
        if self.stdin >= 0:
            os.close(self.stdin)
        self.stdin = -1

    async def wait(self, seconds: float | None = None) -> int:
        """Wait for the exit code; a program that runs longer is killed with all it started.

        Raises:
            TimeoutError: it was killed for that.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self.child.ended()
        finally:
            self.close_stdin()

    def kill(self) -> None:
        """Kill the program and all it started."""
        self.child.kill()


async def _writable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    room: asyncio.Future[None] = loop.create_future()
    loop.add_writer(fd, _settle, room)
    try:
        await room
    finally:
        loop.remove_writer(fd)


def _settle(room: asyncio.Future[None]) -> None:
    if not room.done():
        room.set_result(None)


async def _surely(work: Coroutine[Any, Any, object]) -> None:
    """Finish what must not be left half done, even when cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


_Made = tuple[tuple[tuple[int, ...], str], bytes, tuple[tuple[int, int], ...]]


class Sandbox:
    """Start programs in boxes with one backend. Whoever made it closes it."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._starters: dict[int | None, Starter | PlainStarter] = {}
        self._children: set[Child] = set()
        self._made: dict[Box, _Made] = {}
        self._keepers = Keepers()
        self._lock = threading.RLock()

    def spawn(
        self,
        argv: Sequence[str],
        box: Box,
        *,
        env: Mapping[str, str],
        cwd: str | None = None,
        standard: Three,
    ) -> Child:
        """Start a program on three descriptors, which stay the caller's to close.

        Raises:
            NotStarted: the box could not be built.
        """
        scratch = None
        if box.scratch is None and not self.backend.builds_tree:
            scratch = tempfile.mkdtemp(prefix="hermes-tmp-")
            box = replace(box, scratch=scratch)
        kept = self._keepers.take(box) if self.backend.builds_tree and box.confined else ()
        end = partial(self._clean_up, scratch, kept)
        try:
            where = cwd or next(iter(box.writable), "/")
            with self._lock:
                starter = self._starter(box.limits.processes)
                starter.share(len(self._children) + 1)
                walls, limits = self._walls(box, starter.stage)
            command = self.backend.command(box, argv, cwd=where, stage=starter.stage)
            order = Order(command, self._environment(box, env), walls, limits)
            control = starter.start(order, standard)
        except BaseException:
            end()
            raise
        child = Child(control, end)
        with self._lock:
            self._children.add(child)
        return child

    async def start(
        self,
        argv: Sequence[str],
        box: Box,
        *,
        env: Mapping[str, str],
        cwd: str | None = None,
        proxy: Proxy | None = None,
    ) -> Running:
        """Start a program with pipes on the running loop; a proxy answers inside its box."""
        theirs, mine = pipes()
        try:
            child = self.spawn(argv, box, env=env, cwd=cwd, standard=theirs)
        except BaseException:
            close(mine)
            raise
        finally:
            close(theirs)
        running = Running(child, *mine)
        try:
            await _surely(running.open())
            if proxy is not None and box.network == "proxy" and self.backend.builds_tree:
                await proxy.serve(await child.listening())
        except BaseException:  # whoever gave up has nothing to kill it with
            running.close_stdin()
            child.close()
            raise
        return running

    def run(
        self,
        argv: Sequence[str],
        box: Box,
        *,
        env: Mapping[str, str],
        cwd: str | None = None,
        stdin: bytes = b"",
        seconds: float | None = None,
    ) -> Finished:
        """Run a program to its end and return what it printed."""
        theirs, mine = pipes()
        try:
            child = self.spawn(argv, box, env=env, cwd=cwd, standard=theirs)
        except BaseException:
            close(mine)
            raise
        finally:
            close(theirs)
        try:
            return exchange(child, mine, stdin, seconds)
        finally:
            child.close()

    def close(self) -> None:
        """Kill what still runs, and end."""
        for child in tuple(self._children):
            child.close()
        with self._lock:  # a child that ends meanwhile looks through them
            starters, self._starters = list(self._starters.values()), {}
        for starter in starters:
            starter.close()
        self._keepers.sweep()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _walls(self, box: Box, stage: str) -> tuple[bytes, tuple[tuple[int, int], ...]]:
        """Return the walls of a box, made anew only if a place that matters has changed."""
        stamp = layout.stamp(box)
        made = self._made.get(box)
        if made is None or made[0] != (stamp, stage) or not self.backend.builds_tree:
            walls = self.backend.walls(box, stage)
            made = (stamp, stage), walls.written(stamp), walls.limits
            self._made = {box: made}
        return made[1], made[2]

    def _starter(self, processes: int | None) -> Starter | PlainStarter:
        """Return the starter for a limit; a limit that needs no counting here shares one."""
        key = processes if counting_folder() else None
        if key not in self._starters:
            on_linux = sys.platform == "linux"
            self._starters[key] = Starter(key) if on_linux else PlainStarter()
        return self._starters[key]

    def _environment(self, box: Box, given: Mapping[str, str]) -> dict[str, str]:
        seen = box.environment(given)
        if self.backend.confines:
            seen["TMPDIR"] = "/tmp" if self.backend.builds_tree else str(box.scratch)
        if box.network == "proxy":
            address = f"http://127.0.0.1:{box.proxy_port}"
            seen |= dict.fromkeys(_PROXIED, address) | dict.fromkeys(_DIRECT, "")
        return seen

    def _clean_up(self, scratch: str | None, kept: tuple[str, ...]) -> None:
        with self._lock:
            self._children = {child for child in self._children if not child.is_over}
            for starter in self._starters.values():
                starter.share(len(self._children))
        self._keepers.give_back(kept)
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
