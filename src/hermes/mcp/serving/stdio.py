"""Serve one client over standard input and output, in the era that it opens with."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import msgspec

from hermes.mcp.serving import messages, wire
from hermes.mcp.serving.caller import Caller
from hermes.mcp.serving.changes import KINDS, Listener
from hermes.mcp.serving.client import Client
from hermes.mcp.serving.greeting import greeted, of_envelope, opens_modern
from hermes.mcp.serving.messages import Message, Unreadable
from hermes.mcp.serving.offering import Offering
from hermes.mcp.serving.opening import Opening
from hermes.mcp.serving.pipes import Lines, Reader, TooLong, Writer
from hermes.mcp.serving.wire import Id, RpcError, Wire

MOST_BYTES = 16_777_216
"""The longest message that is taken in, and how much may wait to be written."""
_MOST_REQUESTS = 1_000
_GRACE_SECONDS = 1.0
_log = logging.getLogger("hermes.mcp.serving")

Reply = Callable[[Wire], None]


class Stdio:
    """Speak with the one client at the other end of two descriptors."""

    def __init__(self, offering: Offering, task_id: str, *, most_bytes: int = MOST_BYTES) -> None:
        self._offering = offering
        self._task_id = task_id
        self._most = most_bytes
        self._lines = Lines(most_bytes)
        self._client: Client | None = None
        """Who introduced itself; in the modern era nobody does."""
        self._is_modern: bool | None = None
        """The era, once the first request told."""
        self._running: dict[Id, asyncio.Task[None]] = {}
        self._asked: dict[Id, asyncio.Future[Wire]] = {}
        self._ids = itertools.count(1)
        self._stop_listening: Callable[[], None] = lambda: None

    async def serve(self, given: int, taken: int, opening: Opening | None = None) -> None:
        """Answer what comes in on one descriptor on the other, until the client has gone."""
        ended = asyncio.Event()
        self._writer = Writer(taken, self._most)
        if opening is not None:
            self._go_on_from(opening)
        reader = Reader(given, self._take, ended.set)
        self._writer.on_full = reader.pause
        try:
            await ended.wait()
            for line in self._lines.end():
                self._on_line(line)
            await self._finish()
        finally:
            reader.close()
            await self._leave()

    def _go_on_from(self, opening: Opening) -> None:
        self._client, self._is_modern = opening.client, opening.is_modern
        self._offering.told_tools = opening.told
        if opening.is_initialized:
            self._on_notification("notifications/initialized", {})
        self._take(opening.rest)

    async def _finish(self) -> None:
        """Answer what was asked last, if that takes but a moment."""
        if self._running:
            await asyncio.wait(self._running.values(), timeout=_GRACE_SECONDS)

    async def _leave(self) -> None:
        self._stop_listening()
        self._offering.close()
        for waiting in self._asked.values():
            waiting.cancel()
        running = list(self._running.values())
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=_GRACE_SECONDS)
        try:
            async with asyncio.timeout(_GRACE_SECONDS):
                await self._writer.drain()
        except TimeoutError:
            _log.warning("the client did not read its last answers")
        self._writer.close()

    def notify(self, method: str, params: Wire) -> None:
        """Send a message that wants no answer."""
        self._send(messages.notification(method, params))

    async def request(self, method: str, params: Wire) -> Wire:
        """Ask the client and wait for its answer.

        Raises:
            RpcError: it answered with an error.
        """
        id = next(self._ids)
        answer: asyncio.Future[Wire] = asyncio.get_running_loop().create_future()
        self._asked[id] = answer
        self._send(messages.request(id, method, params))
        try:
            return await answer
        except asyncio.CancelledError:
            self.notify("notifications/cancelled", {"requestId": id, "reason": "no longer needed"})
            raise
        finally:
            self._asked.pop(id, None)

    def _send(self, message: Any) -> None:
        self._writer.write(messages.encoded(message) + b"\n")

    def _take(self, data: bytes) -> None:
        for line in self._lines.feed(data):
            self._on_line(line)

    def _on_line(self, line: bytes | TooLong) -> None:
        if isinstance(line, TooLong):
            text = f"Invalid request: a message may have {self._most:,} bytes, and this is longer"
            problem = Unreadable(wire.INVALID_REQUEST, text, messages.id_in_head(line.head))
            self._send(messages.error(problem.id, problem))
            return
        try:
            many = messages.batch(line)
            if many is None:
                self._dispatch(messages.read(line), self._send)
            else:
                self._on_batch(many)
        except Unreadable as problem:
            self._send(messages.error(problem.id, problem))

    def _on_batch(self, many: list[msgspec.Raw]) -> None:
        """Answer several messages together; only one version of the protocol has that."""
        version = self._client.version if self._client else ""
        if version != wire.BATCHING or not many:
            text = "Invalid request: this version of the protocol has no batches"
            raise Unreadable(wire.INVALID_REQUEST, text if many else "Invalid request: empty batch")
        answers: list[Wire] = []
        left = len(many)

        def settle(answer: Wire | None) -> None:
            nonlocal left
            left -= 1
            answers.extend([answer] if answer is not None else [])
            if not left and answers:
                self._send(answers)

        for raw in many:
            try:
                message = messages.read(raw)
                is_request = isinstance(message.method, str) and _is_id(message.id)
                if message.method == "initialize":
                    raise Unreadable(wire.INVALID_REQUEST, "initialize cannot be in a batch")
                self._dispatch(message, settle)
                if not is_request:
                    settle(None)
            except Unreadable as problem:
                settle(messages.error(problem.id, problem))

    def _dispatch(self, message: Message, reply: Reply) -> None:
        params = {} if isinstance(message.params, msgspec.UnsetType) else message.params
        if isinstance(message.method, msgspec.UnsetType):
            self._on_answer(message)
        elif message.id is None or isinstance(message.id, msgspec.UnsetType):
            self._on_notification(message.method, params)
        else:
            self._on_request(message.id, message.method, params, reply)

    def _on_answer(self, message: Message) -> None:
        """Take the client's answer to something that we asked."""
        waiting = self._asked.get(message.id) if _is_id(message.id) else None  # type: ignore[arg-type]  # an id
        if waiting is None or waiting.done():
            return
        error = message.error
        if isinstance(error, dict):
            text, number = str(error.get("message", "")), error.get("code")
            number = number if isinstance(number, int) else wire.INTERNAL_ERROR
            waiting.set_exception(RpcError(number, text or "the client refused", error.get("data")))
        elif isinstance(message.result, dict):
            waiting.set_result(message.result)
        else:
            waiting.set_exception(
                RpcError(wire.INVALID_REQUEST, "the client's answer is no object")
            )

    def _on_notification(self, method: str, params: Wire) -> None:
        if method == "notifications/cancelled":
            id = params.get("requestId")
            task = self._running.get(id) if isinstance(id, (int, str)) else None
            if task is not None:
                task.cancel()
        elif method == "notifications/initialized" and self._client is not None:
            client = self._client
            self._stop_listening()
            self._stop_listening = self._offering.changes.listen(
                Listener(frozenset(KINDS), lambda: client.subscribed, self.notify)
            )

    def _on_request(self, id: Id, method: str, params: Wire, reply: Reply) -> None:
        try:
            if id in self._running:
                raise RpcError(wire.INVALID_REQUEST, f"the id {id!r} is in use")
            caller = self._caller(method, params)
            if caller is None:
                reply(messages.result(id, self._greet(params)))
                return
            found = self._begun(id, method, params, caller)
        except RpcError as problem:
            reply(messages.error(id, problem))
            return
        if isinstance(found, dict):
            reply(messages.result(id, found))
        elif len(self._running) >= _MOST_REQUESTS:
            if isinstance(found, Coroutine):
                found.close()
            text = f"{_MOST_REQUESTS:,} requests are being answered; wait for one of them"
            reply(messages.error(id, RpcError(wire.INTERNAL_ERROR, text)))
        else:
            work = self._answer(id, method, found, reply)
            task = asyncio.get_running_loop().create_task(work)
            self._running[id] = task
            task.add_done_callback(lambda _: self._ended(id, task, found))

    def _ended(self, id: Id, task: asyncio.Task[None], found: Awaitable[Wire]) -> None:
        """Forget a request; one that was cancelled before it began never looked at its work."""
        if self._running.get(id) is task:
            del self._running[id]
        if isinstance(found, Coroutine):
            found.close()

    def _begun(self, id: Id, method: str, params: Wire, caller: Caller) -> Wire | Awaitable[Wire]:
        if method == "subscriptions/listen" and caller.client.is_modern:
            return self._offering.listen(params, caller, id)
        return self._offering.answer(method, params, caller)

    async def _answer(self, id: Id, method: str, found: Awaitable[Wire], reply: Reply) -> None:
        """Wait for a result and send it; a request that is cancelled gets none."""
        try:
            message = messages.result(id, await found)
        except RpcError as problem:
            message = messages.error(id, problem)
        except Exception:  # a bug must not end the conversation
            _log.exception("hermes itself failed while answering %s", method)
            message = messages.error(id, RpcError(wire.INTERNAL_ERROR, "Internal error"))
        self._running.pop(id, None)
        reply(message)

    def _caller(self, method: str, params: Wire) -> Caller | None:
        """Return who makes a request; None for one who introduces itself.

        Raises:
            RpcError: the request belongs to the other era, or says too little of who makes it.
        """
        if self._is_modern is None:
            self._is_modern = opens_modern(method, params)
        if self._is_modern:
            return Caller(of_envelope(method, params, self._task_id), self, params)
        if method == "initialize":
            return None
        if opens_modern(method, params):
            text = "this connection was opened by a handshake; requests of 2026-07-28 do not fit it"
            raise RpcError(wire.INVALID_REQUEST, text)
        client = self._client
        if client is None:
            if method not in ("ping", "server/discover", "subscriptions/listen"):
                raise RpcError(wire.INVALID_REQUEST, "not initialized: send 'initialize' first")
            client = Client(wire.LATEST_HANDSHAKE, {}, {}, self._task_id)
        return Caller(client, self, params)

    def _greet(self, params: Wire) -> Wire:
        if self._client is not None:
            raise RpcError(wire.INVALID_REQUEST, "already initialized")
        self._client, answer = greeted(params, self._offering.facts, self._task_id)
        return answer


def _is_id(id: object) -> bool:
    return isinstance(id, (int, str))
