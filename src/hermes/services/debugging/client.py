"""Ask a debug adapter and hear its events, over the input and output of its process."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from typing import Any

from hermes.base.errors import ToolError
from hermes.environments.contract import Process
from hermes.services.debugging.contract import lost
from hermes.services.debugging.dap import Decoder, Garbled, encode

ASK_SECONDS = 20.0
Event = Callable[[str, dict[str, Any]], None]


class Client:
    """One side of the Debug Adapter Protocol; used on one loop."""

    def __init__(self, on_event: Event, on_garbled: Callable[[str], None]) -> None:
        self._on_event, self._on_garbled = on_event, on_garbled
        self._decoder = Decoder()
        self._count = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.process: Process | None = None

    def take(self, data: bytes) -> None:
        """Take bytes from the adapter."""
        try:
            messages = self._decoder.feed(data)
        except Garbled as error:
            self._on_garbled(str(error))
            return
        for message in messages:
            self._hear(message)

    def _hear(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        body = message.get("body")
        if kind == "response":
            waiting = self._waiting.pop(_number(message.get("request_seq")), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
        elif kind == "event":
            self._on_event(str(message.get("event")), body if isinstance(body, dict) else {})

    def send(self, command: str, arguments: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
        """Begin to ask for something; what comes of it is a whole response."""
        number = next(self._count)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        message = {"seq": number, "type": "request", "command": command, "arguments": arguments}
        asking = asyncio.ensure_future(self._write(encode(message)))
        answer.add_done_callback(lambda _: asking.cancel() if not asking.done() else None)
        return answer

    async def _write(self, data: bytes) -> None:
        if self.process is not None:
            with contextlib.suppress(BrokenPipeError):  # its end is told otherwise
                await self.process.write(data)

    async def ask(
        self, command: str, arguments: dict[str, Any] | None = None, seconds: float = ASK_SECONDS
    ) -> dict[str, Any]:
        """Ask for something and return what it gives.

        Raises:
            ToolError: the adapter says no, or nothing.
        """
        return await answered(self.send(command, arguments or {}), command, seconds)

    def end(self) -> None:
        """Let go of everybody who waits: nothing more comes."""
        waiting, self._waiting = self._waiting, {}
        for each in waiting.values():
            if not each.done():
                each.set_result({"success": False, "message": "the program has ended"})


async def answered(
    answer: asyncio.Future[dict[str, Any]], command: str, seconds: float = ASK_SECONDS
) -> dict[str, Any]:
    """Wait for a response and return its body."""
    try:
        async with asyncio.timeout(seconds):
            message = await answer
    except TimeoutError:
        raise lost(f"{command} took longer than {seconds:g} s") from None
    body = message.get("body")
    if message.get("success") is False:
        raise ToolError(str(message.get("message") or f"{command} failed"), code="debugger_error")
    return body if isinstance(body, dict) else {}


def _number(value: Any) -> int:
    return value if isinstance(value, int) else -1
