"""The calls of a script: sent as frames, answered in any order, waited for or awaited."""

from __future__ import annotations

import json
import os
from _collections_abc import Coroutine
from _thread import allocate_lock, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PART = 1 << 16


class ToolFailed(Exception):
    """A tool did not do what it was asked; ``code`` says why in a word, ``hint`` what to do."""

    def __init__(self, message: str, code: str = "", hint: str = "", tool: str = "") -> None:
        super().__init__(message)
        self.message, self.code, self.hint, self.tool = message, code, hint, tool

    def __str__(self) -> str:
        words = f"{self.tool}: {self.message}" if self.tool else self.message
        return "{}. {}".format(words.rstrip("."), self.hint) if self.hint else words


ToolFailed.__module__ = "hermes_tools"


class Slot:
    """Where the answer to one call comes."""

    __slots__ = ("answer", "done", "heard", "tool", "waiting")

    def __init__(self, tool: str, heard: Any = None) -> None:
        self.tool = tool
        self.answer: Any = None
        self.done = False
        self.heard = heard
        self.waiting = allocate_lock()
        self.waiting.acquire()

    def settle(self, answer: Any) -> None:
        """Take the answer, and wake who waits for it."""
        self.answer = answer
        self.done = True
        self.waiting.release()
        if self.heard is not None:
            self.heard(self)

    def result(self) -> Any:
        """Return what the call gave, or raise what went wrong."""
        code = self.answer["code"]
        value = self.answer["value"]
        if code == "ok":
            return value
        raise ToolFailed(value.get("error", code), code, value.get("hint", ""), self.tool)


class Channel:
    """Calls in flight. Whoever waits alone reads for itself; from the second on a thread does."""

    def __init__(self, read: int, write: int) -> None:
        self.token = ""
        self.enter: Any = None
        """Gives a descriptor to a process that has none yet."""
        self._begin(read, write)

    def _begin(self, read: int, write: int) -> None:
        self._read, self._write = read, write
        self._buffer = bytearray()
        self._sending, self._reading, self._starting = (allocate_lock() for _ in range(3))
        self._slots: Any = {}
        self._last = 0
        self._is_pumped = False
        self._lost = ""

    def forked(self) -> None:
        """Begin anew in a process that was forked off: what was in flight is its parent's."""
        self._begin(-1, -1)

    def send(self, kind: bytes, data: bytes) -> None:
        """Send a frame, whole."""
        left = memoryview(len(data).to_bytes(4, "big") + kind + data)
        with self._sending:
            while left:
                left = left[os.write(self._write, left) :]

    def receive(self) -> Any:
        """Return the kind and content of the next frame, or None at the end."""
        buffer = self._buffer
        while len(buffer) < 5 or len(buffer) < 5 + int.from_bytes(buffer[:4], "big"):
            part = os.read(self._read, _PART)
            if not part:
                return None
            buffer += part
        end = 5 + int.from_bytes(buffer[:4], "big")
        kind, data = bytes(buffer[4:5]), bytes(buffer[5:end])
        del buffer[:end]
        return kind, data

    def begin(self, tool: str, args: Any, token: str = "", heard: Any = None) -> Slot:
        """Send a call, and return where its answer will be; ``heard`` is told when it is there."""
        if self._lost:
            raise ToolFailed(self._lost, "gone", tool=tool)
        slot = Slot(tool, heard)
        with self._starting:
            if self._write < 0:
                self._read = self._write = self.enter()
            self._last += 1
            number = self._last
            self._slots[number] = slot
        call = {"id": number, "token": token or self.token, "tool": tool, "args": args}
        try:
            self.send(b"c", encode(call).encode())
        except BaseException:
            self._slots.pop(number, None)
            raise
        return slot

    def wait(self, slot: Slot) -> Any:
        """Return the result of a call."""
        if self._is_pumped or not self._reading.acquire(False):
            self.pump()
            slot.waiting.acquire()
            return slot.result()
        try:
            while not slot.done:
                self._take()
        finally:
            self._reading.release()
            if self._slots:
                self.pump()
        return slot.result()

    def pump(self) -> None:
        """Have a thread read from now on."""
        with self._starting:
            if self._is_pumped:
                return
            self._is_pumped = True
        start_new_thread(self._pump, ())

    def _pump(self) -> None:
        with self._reading:
            while not self._lost:
                self._take()

    def _take(self) -> None:
        frame = self.receive()
        if frame is None:
            self._lost = "the connection to the tools is gone"
            slots, self._slots = list(self._slots.values()), {}
            for slot in slots:
                slot.settle({"code": "gone", "value": {"error": self._lost}})
            return
        answer = json.loads(frame[1].decode("utf-8", "surrogatepass"))
        slot = self._slots.pop(answer["id"], None)
        if slot is not None:
            slot.settle(answer)


def plain(value: Any) -> Any:
    """Return what JSON can say of a value that is none of its own."""
    if hasattr(value, "__fspath__"):
        return os.fspath(value)
    if isinstance(value, (set, frozenset, tuple)) or hasattr(value, "__next__"):
        return list(value)
    raise TypeError(f"a tool cannot be given a {type(value).__name__}")


encode = json.JSONEncoder(separators=(",", ":"), default=plain).encode


class Call(Coroutine):  # type: ignore[type-arg]  # at run time it takes none before 3.9
    """A call that is sent when it is awaited or gathered."""

    def __init__(self, channel: Channel, tool: str, args: Any) -> None:
        self._channel, self._tool, self._args = channel, tool, args
        self._slot: Any = None
        self._steps: Any = None

    def begin(self) -> Slot:
        """Send it, once."""
        slot: Slot = self._slot or self._channel.begin(self._tool, self._args)
        self._slot = slot
        return slot

    def result(self) -> Any:
        """Wait for what it gives."""
        return self._channel.wait(self.begin())

    def __await__(self) -> Any:
        import asyncio

        loop = asyncio.get_running_loop()
        future = loop.create_future()
        slot = self.begin()

        def settle() -> None:
            if not future.done():
                future.set_result(None)

        def heard(_: Slot) -> None:
            try:
                loop.call_soon_threadsafe(settle)
            except RuntimeError:
                pass  # the loop is closed, and nobody waits

        slot.heard = heard
        self._channel.pump()
        if not slot.done:
            yield from future.__await__()
        return slot.result()

    def send(self, value: Any) -> Any:
        """Go on, as a coroutine does."""
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.send(value)

    def throw(self, *error: Any) -> Any:
        """Go on with an error, as a coroutine does."""
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.throw(*error)

    def close(self) -> None:
        """Let go of it."""
        if self._steps is not None:
            self._steps.close()


def gather(*calls: Any, return_exceptions: bool = False) -> Any:
    """Make several calls at once and return their results in order.

    ``gather(aio.read_file("a"), aio.read_file("b"))``; an error is raised once all have ended.
    """
    if len(calls) == 1 and not isinstance(calls[0], Coroutine):
        calls = tuple(calls[0])
    for call in calls:
        if not isinstance(call, Call):
            raise TypeError("gather takes calls of hermes_tools.aio, such as aio.read_file('a')")
    for call in calls:
        call.begin()
    results, failed = [], None
    for call in calls:
        try:
            results.append(call.result())
        except ToolFailed as error:
            results.append(error)
            failed = failed or error
    if failed is not None and not return_exceptions:
        raise failed
    return results


async def gather_later(*calls: Any, return_exceptions: bool = False) -> Any:
    """Await several calls at once and return their results in order."""
    import asyncio

    return await asyncio.gather(*calls, return_exceptions=return_exceptions)
