"""Serve a host over one stream of bytes each way: commands, processes, files, watches.

Every request has an ``id`` and an ``op``; every answer names the ``id`` and, by ``ev``, what it is:
``ok`` and ``error`` end a request, ``out`` brings what a command printed, ``started``, ``moved``
and ``end`` tell of its life. What is written waits until the host has read what was written before,
so that nothing piles up here. When the host is gone, so is everything that was started for it.
"""

# Paths are strings here: they come from elsewhere and are handed to the kernel.
# ruff: noqa: PTH100, PTH103, PTH111, PTH112, PTH118
from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import sys
import threading
from typing import IO, Any, Awaitable, Callable, Dict, Optional, Set, Tuple

from hermes.environments.inside import filework, listing, packing, seeking
from hermes.environments.inside.children import Children
from hermes.environments.inside.frames import HELLO, Frames, Head, pack
from hermes.environments.inside.task import End, Task, Wish
from hermes.environments.inside.watching import Watch

_BASH = "/bin/bash"
_PART = 1 << 16
_LARGE_PART = 1 << 18
Reply = Optional[Head]

_FILES: Dict[str, Callable[[Head, bytes], Any]] = {
    "stat": lambda head, _: filework.facts(head["path"], follow=head["follow"]),
    "list": lambda head, _: filework.entries(head["path"]),
    "make_folder": lambda head, _: filework.make_folder(head["path"]),
    "rename": lambda head, _: filework.rename(head["path"], head["target"]),
    "remove": lambda head, _: filework.remove(head["path"], recursive=head["recursive"]),
    "write": lambda head, data: filework.write(
        head["path"], data, append=head["append"], mode=head["mode"]
    ),
    "hits": lambda head, _: seeking.asked_hits(head),
    "names": lambda head, _: seeking.asked_names(head),
    "tree": lambda head, _: listing.tree(listing.Order(*head["order"])),
}


class Sent:
    """Send what a command prints as it comes."""

    def __init__(self, agent: Agent, number: int) -> None:
        self._agent, self._number = agent, number
        self._size = 0

    def take(self, stream: int, fd: int) -> int:
        """Read what there is, and send it on."""
        data = os.read(fd, _PART if self._size < _LARGE_PART else _LARGE_PART)
        if data:
            self._size += len(data)
            self._agent.send({"id": self._number, "ev": "out", "stream": stream}, data)
        return len(data)


class Agent:
    """Everything that is going on for one host."""

    def __init__(self, output: int) -> None:
        self._output = output
        self._lock = threading.Lock()
        self._loop = asyncio.get_running_loop()
        self._children = Children()
        self._task = Task(self._children, self._tell_state)
        self._running: Dict[int, asyncio.Future[Any]] = {}
        self._commands: Dict[int, Any] = {}
        self._watches: Dict[int, Watch] = {}
        self._stops: Dict[int, threading.Event] = {}
        self._spools: Dict[int, IO[bytes]] = {}
        self._failed: Dict[int, OSError] = {}
        self._work: Set[asyncio.Future[Any]] = set()
        self._ops: Dict[str, Callable[[Head, bytes], Awaitable[Reply]]] = {
            "hello": self._hello,
            "stdin": self._stdin,
            "close": self._close,
            "resize": self._resize,
            "signal": self._signal,
            "stop": self._stop,
            "read": self._read,
            "watch": self._watch,
            "unwatch": self._unwatch,
            "get": self._get,
            "put": self._put,
            "tally": self._tally,
        }
        self.gone = self._loop.create_future()

    def send(self, head: Head, payload: bytes = b"") -> None:
        """Write a message, from any thread; waits until there is room for it."""
        left = memoryview(pack(head, payload))
        with self._lock:
            try:
                while left:
                    left = left[os.write(self._output, left) :]
            except OSError:  # the host is gone, and the end of our input tells it too
                self._loop.call_soon_threadsafe(self.leave)

    def leave(self) -> None:
        """Have the agent end."""
        if not self.gone.done():
            self.gone.set_result(None)

    def _tell_state(self, raw: bytes, pending: str) -> None:
        self.send({"id": 0, "ev": "state", "pending": pending}, raw)

    def take(self, head: Head, payload: bytes) -> None:
        """Begin what a message asks for."""
        if head["op"] == "part":  # in the order they come, and without an answer
            self._keep(head["target"], payload)
            return
        work = asyncio.ensure_future(self._serve(head, payload))
        self._work.add(work)
        work.add_done_callback(self._work.discard)

    async def _serve(self, head: Head, payload: bytes) -> None:
        number = head["id"]
        try:
            if head["op"] in ("execute", "spawn"):
                await self._command(head, payload)
                return
            if head["op"] in _FILES:
                value = await self._aside(_FILES[head["op"]], head, payload)
                self.send({"id": number, "ev": "ok", "value": value})
                return
            reply = await self._ops[head["op"]](head, payload)
            if reply is not None:
                self.send({"id": number, "ev": "ok", **reply})
        except OSError as error:
            self._fail(number, error.errno or errno.EIO, error.strerror or str(error), error)
        except Exception as error:  # noqa: BLE001 - a bug here must be told, not end the agent
            self._fail(number, errno.EIO, f"the agent failed: {error!r}", None)

    def _fail(self, number: int, code: int, text: str, error: Optional[OSError]) -> None:
        path = error.filename if error is not None and isinstance(error.filename, str) else ""
        self.send({"id": number, "ev": "error", "errno": code, "text": text, "path": path})

    async def _aside(self, work: Callable[..., Any], *given: Any) -> Any:
        return await self._loop.run_in_executor(None, work, *given)

    async def _hello(self, head: Head, state: bytes) -> Reply:
        home, root = _folders(head["root"], makes_root=head["makes_root"])
        await self._task.start(root, state, head["pending"])
        version = ".".join(map(str, sys.version_info[:3]))
        return {"home": home, "root": root, "cwd": self._task.cwd, "python": version}

    async def _command(self, head: Head, payload: bytes) -> None:
        number = head["id"]
        wish = Wish(
            head["text"],
            head["cwd"],
            head["before"],
            payload,
            head["seconds"],
            head["moves_on"],
            head["screen"],
        )
        run = self._execute if head["op"] == "execute" else self._spawn
        self._running[number] = asyncio.ensure_future(run(number, wish))
        try:
            end = await self._running[number]
        except asyncio.CancelledError:
            end = End(None, "cancelled", 0.0, self._task.cwd)
        finally:
            self._running.pop(number, None)
            self._commands.pop(number, None)
        self.send({"id": number, "ev": "end", **end._asdict()})

    async def _execute(self, number: int, wish: Wish) -> End:
        def moved(command: Any) -> None:
            self._commands[number] = command
            self.send({"id": number, "ev": "moved", "pid": command.pid, "cwd": self._task.cwd})

        return await self._task.execute(wish, Sent(self, number), moved)

    async def _spawn(self, number: int, wish: Wish) -> End:
        job, apart = await self._task.begin(wish, Sent(self, number))
        self._commands[number] = job
        self.send({"id": number, "ev": "started", "pid": job.pid})
        try:
            if wish.stdin:
                with contextlib.suppress(BrokenPipeError):
                    await job.write(wish.stdin)
            code = await job.ended()
        except asyncio.CancelledError:
            job.child.kill()
            code = await job.exited() or 0
        finally:
            job.linger()
            apart.remove()
        return End(code, "signalled" if code < 0 else "exited", 0.0, "")

    async def _stdin(self, head: Head, payload: bytes) -> Reply:
        await self._with_input(head).write(payload)
        return {}

    async def _close(self, head: Head, _: bytes) -> Reply:
        await self._with_input(head).close_input()
        return {}

    def _with_input(self, head: Head) -> Any:
        command = self._commands.get(head["target"])
        if command is None or not hasattr(command, "write"):
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        return command

    async def _resize(self, head: Head, _: bytes) -> Reply:
        command = self._commands.get(head["target"])
        if hasattr(command, "resize"):
            command.resize(head["screen"])  # type: ignore[union-attr]  # it has just been asked
        return {}

    async def _signal(self, head: Head, _: bytes) -> Reply:
        command = self._commands.get(head["target"])
        if command is not None:
            command.send(head["number"])
        return {}

    async def _stop(self, head: Head, _: bytes) -> Reply:
        running = self._running.get(head["target"])
        if running is not None:
            running.cancel()
        stop = self._stops.get(head["target"])
        if stop is not None:
            stop.set()
        return {}

    async def _tally(self, head: Head, _: bytes) -> Reply:
        stop = self._stops[head["id"]] = threading.Event()
        try:
            return {"value": await self._aside(seeking.asked_tally, head, stop.is_set)}
        finally:
            del self._stops[head["id"]]

    async def _read(self, head: Head, _: bytes) -> Reply:
        data = await self._aside(filework.read, head["path"], head["offset"], head["size"])
        self.send({"id": head["id"], "ev": "ok"}, data)
        return None

    async def _watch(self, head: Head, _: bytes) -> Reply:
        number = head["id"]

        def report(kind: str, path: str) -> None:
            self.send({"id": number, "ev": "change", "kind": kind, "path": path})

        def begin() -> Watch:
            return Watch(head["path"], report, recursive=head["recursive"])

        self._watches[number] = await self._aside(begin)
        return {"stays": True}

    async def _unwatch(self, head: Head, _: bytes) -> Reply:
        watch = self._watches.pop(head["target"], None)
        if watch is not None:
            watch.close()
        return {}

    async def _get(self, head: Head, _: bytes) -> Reply:
        def send(data: bytes) -> None:
            self.send({"id": head["id"], "ev": "part"}, data)

        await self._aside(packing.pack, head["path"], send)
        return {}

    def _keep(self, number: int, payload: bytes) -> None:
        """Keep a part of what comes; what goes wrong is told to whoever asks for the whole."""
        if number not in self._failed:
            try:
                self._spools[number].write(payload)
            except OSError as error:
                self._failed[number] = error

    async def _put(self, head: Head, _: bytes) -> Reply:
        """Open a place for what comes in parts, or, with a target, put it where it belongs."""
        if "target" not in head:
            self._spools[head["id"]] = packing.spool(head["path"])
            return {}
        with self._spools.pop(head["target"]) as stream:
            failed = self._failed.pop(head["target"], None)
            if failed is not None:
                raise failed
            await self._aside(packing.unpack, stream, head["path"])
        return {}

    async def close(self) -> None:
        """End everything that was started."""
        for watch in self._watches.values():
            watch.close()
        self._children.end()
        await self._task.close()


def _folders(wanted: str, *, makes_root: bool) -> Tuple[str, str]:
    """Return the home here and the folder that the task starts in."""
    if not os.access(_BASH, os.X_OK):
        raise FileNotFoundError(errno.ENOENT, "bash is missing", _BASH)
    home = os.path.expanduser("~")
    root = os.path.abspath(os.path.join(home, os.path.expanduser(wanted)))
    if makes_root:
        os.makedirs(root, exist_ok=True)
    if not os.path.isdir(root):
        raise NotADirectoryError(errno.ENOTDIR, "there is no such folder", root)
    return home, root


async def serve(source: int, output: int) -> None:
    """Serve until the input ends."""
    loop = asyncio.get_running_loop()
    agent, frames = Agent(output), Frames()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        loop.add_signal_handler(number, agent.leave)
    os.set_blocking(source, False)

    def take() -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(source, _LARGE_PART)
            if not data:
                agent.leave()
            for head, payload in frames.feed(data):
                agent.take(head, payload)

    loop.add_reader(source, take)
    os.write(output, HELLO)
    await agent.gone
    loop.remove_reader(source)
    await agent.close()


def main() -> None:
    """Take the two streams for the agent alone, and serve."""
    source, output = os.dup(0), os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(quiet, fd)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(serve(source, output))
    os._exit(0)  # threads may still work on files; nobody is there to be told
