"""One agent as its host sees it: requests go out, answers come back, the end is noticed."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Protocol, TypeVar

from hermes.environments.inside.frames import HELLO, Frames, Head, pack

_PART = 1 << 18
_NOISE = 1 << 20
_LAST_WORDS = 4000
_ENDS = ("ok", "error", "end")
_LEAVE_SECONDS = 5.0
T = TypeVar("T")
News = Callable[[Head, bytes], None]


class Lost(Exception):
    """The agent is gone, with all that it ran."""


async def settled(future: Future[T]) -> T:
    """Wait for what another thread brings; whoever gives up waiting leaves it as it is."""
    waiting = asyncio.wrap_future(future)
    waiting.add_done_callback(_seen)
    return await asyncio.shield(waiting)


def _seen(future: asyncio.Future[T]) -> None:
    """Look at an error that perhaps nobody waits for any more, so that nobody is told of it."""
    if not future.cancelled():
        future.exception()


class Program(Protocol):
    """A program that runs elsewhere, by its two streams. All of it is called from threads."""

    def read(self) -> bytes:
        """Wait for output and return it; empty at its end."""

    def write(self, data: bytes) -> None:
        """Write all of it to the input."""

    def close(self) -> None:
        """End the input, and the program if it does not end by itself."""

    def kill(self) -> None:
        """End the program at once."""

    def release(self) -> None:
        """Let go of all that is left; it has ended, and nobody reads or writes."""

    def explain(self) -> tuple[int | None, str]:
        """Return the exit code and the last words of a program that has ended."""

    def attend(self, link: Link) -> None:
        """Know the link that it carries: a machine that costs may rest while nothing is asked."""


class Piped:
    """A program of this machine, such as a client that reaches another one."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - a client may stay and hold it
        try:
            self._popen = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                env=env,
                start_new_session=True,
            )
        except BaseException:
            self._errors.close()
            raise

    def read(self) -> bytes:
        """Wait for output and return it."""
        assert self._popen.stdout is not None
        return os.read(self._popen.stdout.fileno(), _PART)

    def write(self, data: bytes) -> None:
        """Write all of it to the input."""
        assert self._popen.stdin is not None
        left = memoryview(data)
        while left:
            left = left[os.write(self._popen.stdin.fileno(), left) :]

    def close(self) -> None:
        """End the input, and the program if it does not end by itself."""
        assert self._popen.stdin is not None
        with contextlib.suppress(OSError):
            self._popen.stdin.close()
        try:
            self._popen.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()

    def kill(self) -> None:
        """End it at once."""
        self._popen.kill()

    def release(self) -> None:
        """Close what is left of it."""
        assert self._popen.stdout is not None
        self._popen.stdout.close()
        self._errors.close()

    def explain(self) -> tuple[int | None, str]:
        """Return the exit code and the last words."""
        self.close()
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _LAST_WORDS))
        return self._popen.returncode, self._errors.read().decode("utf-8", "replace").strip()

    def attend(self, link: Link) -> None:
        """Want to know nothing: it costs nothing."""


class Asked:
    """A request on its way."""

    def __init__(self, number: int, news: News | None) -> None:
        self.number = number
        self.news = news
        self.done: Future[tuple[Head, bytes]] = Future()


class Link:
    """The way to one agent: a thread that reads and one that writes."""

    def __init__(self, program: Program, first: bytes, on_state: News) -> None:
        self._program, self._on_state = program, on_state
        self._numbers = itertools.count(1)
        self._asked: dict[int, Asked] = {}
        self._lock = threading.Lock()
        self._out: SimpleQueue[tuple[bytes, Future[None]] | None] = SimpleQueue()
        self.ready: Future[None] = Future()
        """Done when the agent has said hello; fails with ``Lost``."""
        self.lost = threading.Event()
        self._last_asked = time.monotonic()
        self._put(first)
        self._threads = [
            threading.Thread(target=work, name=f"hermes-link-{name}", daemon=True)
            for name, work in (("read", self._reading), ("write", self._writing))
        ]
        for thread in self._threads:
            thread.start()
        program.attend(self)

    def _put(self, data: bytes) -> Future[None]:
        written: Future[None] = Future()
        self._out.put((data, written))
        return written

    def ask(self, head: Head, payload: bytes = b"", news: News | None = None) -> Asked:
        """Send a request; its answer comes by ``done``, and what comes before it goes to ``news``.

        Raises:
            Lost: the agent is gone.
        """
        with self._lock:
            if self.lost.is_set():
                raise Lost
            self._last_asked = time.monotonic()
            asked = Asked(next(self._numbers), news)
            self._asked[asked.number] = asked
        self._put(pack({"id": asked.number, **head}, payload))
        return asked

    def tell(self, head: Head, payload: bytes = b"") -> Future[None]:
        """Send what has no answer; returns what is done when it is written."""
        return self._put(pack({"id": 0, **head}, payload))

    def _writing(self) -> None:
        while (item := self._out.get()) is not None:
            data, written = item
            try:
                if not self.lost.is_set():
                    self._program.write(data)
            except OSError:  # the reader notices the end
                pass
            written.set_result(None)

    def _reading(self) -> None:
        try:
            self._read_all()
        except (OSError, ValueError):  # broken is as good as gone
            pass
        finally:
            self._end()

    def _read_all(self) -> None:
        frames, rest = Frames(), self._find_hello()
        if rest is None:
            return
        self._last_asked = time.monotonic()
        self.ready.set_result(None)
        while True:
            for head, payload in frames.feed(rest):
                self._take(head, payload)
            rest = self._program.read()
            if not rest:
                return

    def _find_hello(self) -> bytes | None:
        """Skip what a login script printed; None if no agent speaks."""
        seen = b""
        while len(seen) < _NOISE:
            part = self._program.read()
            if not part:
                return None
            seen += part
            _, hello, rest = seen.partition(HELLO)
            if hello:
                return rest
        return None

    def _take(self, head: Head, payload: bytes) -> None:
        number, event = head["id"], head["ev"]
        if event == "state":
            self._on_state(head, payload)
            return
        asked = self._asked.get(number)
        if asked is None:
            return
        if event not in _ENDS:
            if asked.news is not None:
                asked.news(head, payload)
            return
        if event != "ok" or not head.get("stays"):
            with self._lock:
                self._asked.pop(number, None)
                self._last_asked = time.monotonic()
        if not asked.done.done():
            asked.done.set_result((head, payload))

    def idle_seconds(self) -> float:
        """Return for how long nothing has been going on; a watch alone counts as nothing."""
        with self._lock:
            return 0.0 if self._is_busy() else time.monotonic() - self._last_asked

    def _is_busy(self) -> bool:
        return not self.ready.done() or any(not asked.done.done() for asked in self._asked.values())

    def retire(self) -> bool:
        """Take no more requests, unless something is going on; whoever asks next connects anew."""
        with self._lock:
            if not self._is_busy():
                self.lost.set()
            return self.lost.is_set()

    def forget(self, asked: Asked) -> None:
        """Listen no more to a request that has no end of its own."""
        with self._lock:
            self._asked.pop(asked.number, None)

    def _end(self) -> None:
        with self._lock:
            self.lost.set()
            left, self._asked = list(self._asked.values()), {}
        self._out.put(None)
        if not self.ready.done():
            self.ready.set_exception(Lost())
        for asked in left:
            if not asked.done.done():
                asked.done.set_exception(Lost())

    def explain(self) -> tuple[int | None, str]:
        """Return how the program that carried it ended."""
        return self._program.explain()

    def close(self) -> None:
        """End the agent, and wait until all of it has ended."""
        self._out.put(None)
        self._threads[1].join(_LEAVE_SECONDS)
        if self._threads[1].is_alive():  # nobody reads there
            self._program.kill()
            self._threads[1].join(_LEAVE_SECONDS)
        self._program.close()
        self._threads[0].join(_LEAVE_SECONDS)
        if not any(thread.is_alive() for thread in self._threads):
            self._program.release()
