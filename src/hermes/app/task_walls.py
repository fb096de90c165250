"""Start the programs of a task's environment in the box that the profile in force describes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING

from hermes.app.boundaries import Boxes
from hermes.base.mounts import is_below
from hermes.base.optional import load
from hermes.environments.contract import Power
from hermes.environments.inside.pump import Pump
from hermes.runtime.boundary import Granted
from hermes.runtime.bridge import aside, loop_thread, on_own_loop

if TYPE_CHECKING:
    from hermes.environments.sandbox.box import Box
    from hermes.environments.sandbox.child import Child
    from hermes.environments.sandbox.proxy import Proxy

Three = tuple[int, int, int]
_NOT_STARTED = 127
_PRIVATE = ("/tmp", "/var/tmp", "/dev", "/proc")


class TaskWalls:
    """Boxes for the programs of one task."""

    def __init__(
        self,
        boxes: Callable[[], Boxes],
        workspace: str,
        pump: Pump,
        outside: Callable[[], Awaitable[Mapping[str, str]]] | None = None,
    ) -> None:
        self._boxes, self._workspace, self._pump = boxes, workspace, pump
        self._outside = outside
        """Gives what a program sees in addition that runs without a box."""

    def beyond(self, power: Power) -> Power:
        """Return what of a power the task's box does not give by itself."""
        if power.is_outside:
            return Power(is_outside=True)
        box = self._boxes().box(self._workspace)
        wanted = {_existing(path) for path in power.writable}
        given = (*box.writable, *_PRIVATE)
        more = [
            path
            for path in sorted(wanted)
            if not any(is_below(path, root) for root in (*given, *(wanted - {path})))
        ]
        is_open = not box.confined
        return Power(() if is_open else tuple(more), power.network and box.network != "on")

    async def start(
        self,
        argv: Sequence[str],
        given: Three,
        *,
        env: Mapping[str, str],
        cwd: str,
        own: tuple[str, str],
        power: Power,
    ) -> Inside:
        """Start a program on three descriptors, in the task's box with exactly so much more."""
        boxes = self._boxes()
        if not boxes.is_ready:  # a backend is tried with a real program, which takes a while
            await aside(boxes.sandbox)
        granted = Granted(tuple(power.writable), power.network)
        box = boxes.box(self._workspace, granted=granted)
        terminal = () if boxes.backend.builds_tree else _terminal(given[0])
        box = replace(box, writable=(*box.writable, own[0], *terminal), scratch=own[1])
        sandbox = boxes.sandbox()
        if power.is_outside:
            box, sandbox = replace(box, confined=False, network="on"), boxes.outside()
            env = {**env, **(await self._outside() if self._outside is not None else {})}
        box, proxy = await _proxied(boxes, box)
        try:
            child = sandbox.spawn(argv, box, env=env, cwd=cwd, standard=given)
        except BaseException:
            if proxy is not None:
                await on_own_loop(proxy.close())
            raise
        return Inside(child, box, proxy, self._pump)


async def _proxied(boxes: Boxes, box: Box) -> tuple[Box, Proxy | None]:
    """Return a box with its proxy, which answers for as long as the task lives: on our own loop."""
    if boxes.backend.builds_tree:
        return await boxes.proxied(box)
    return await on_own_loop(boxes.proxied(box))


def _existing(path: str) -> str:
    """Return a path, or the folder nearest to it that is there."""
    path = os.path.realpath(path)
    while not os.path.lexists(path):
        path = os.path.dirname(path)  # noqa: PTH120 - a text is at hand
    return path


def _terminal(fd: int) -> tuple[str, ...]:
    """Return the name of a terminal, by which a program makes it its own."""
    return (os.ttyname(fd),) if os.isatty(fd) else ()


class Inside:
    """A program in its box, with the proxy that answers for it."""

    def __init__(self, child: Child, box: Box, proxy: Proxy | None, pump: Pump) -> None:
        self._child, self._box, self._proxy = child, box, proxy
        self._end: Future[tuple[int, str]] = Future()
        pump.add(os.dup(child.fileno()), self._look)

    def _look(self, news: int) -> bool:
        """Take the news of a program; its own descriptor is closed by its end."""
        code, trouble = None, ""
        try:
            code = self._child.poll()
        except OSError as error:
            code, trouble = _NOT_STARTED, error.strerror or str(error)
        if self._child.listener is not None and self._proxy is not None:
            listener, self._child.listener = self._child.listener, None
            loop_thread().submit(self._proxy.serve(listener))
        if code is None:
            return True
        os.close(news)
        if self._proxy is not None:
            loop_thread().submit(self._proxy.close())
        self._end.set_result((code, trouble))
        return False

    def on_end(self, call: Callable[[int, str], object]) -> None:
        """Have something called with its exit code, and why it never ran."""
        self._end.add_done_callback(lambda end: call(*end.result()))

    async def ended(self) -> int:
        """Wait for its exit code."""
        code, trouble = await asyncio.shield(asyncio.wrap_future(self._end))
        if trouble:
            raise OSError(0, trouble)
        return code

    def signal(self, number: int) -> None:
        """Send a signal to it and its group."""
        self._child.signal(number)

    def kill(self) -> None:
        """End it with all that it started."""
        self._child.kill()

    def explain(self, errors: bytes, code: int, cwd: str) -> str | None:
        """Return which rules of its box stopped what it tried since this was asked last."""
        refused = self._proxy.told() if self._proxy is not None else ()
        if code == 0:
            return None
        explain = load("hermes.environments.sandbox.denials").explain
        said = errors.decode("utf-8", "replace")
        found: str | None = explain(self._box, said, code, cwd=cwd, refused=refused)
        return found
