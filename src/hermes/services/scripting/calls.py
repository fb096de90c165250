"""Answer the calls that a script makes: each goes where any other call of its task goes."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from hermes.services.scripting.framing import ANSWER, CALL, framed

Answer = tuple[str, str]
"""What a call came to, a JSON object as text, and the code ``ok`` or that of its error."""
Dispatch = Callable[[str, Any, int], Answer | Awaitable[Answer]]
"""Takes a call, by its tool's name and arguments, as the script's so-manieth."""


class Calls:
    """The calls of one run: counted, answered as they are ready, and cancelled with the run."""

    def __init__(
        self,
        names: Collection[str],
        dispatch: Dispatch,
        *,
        token: str,
        most: int,
        stop: Callable[[str], object],
    ) -> None:
        self._names, self._dispatch = frozenset(names), dispatch
        self._token, self._most, self._stop = token, most, stop
        self._pending: set[asyncio.Future[None]] = set()
        self.send: Callable[[bytes], object] = lambda _: None
        self.made = 0

    def take(self, kind: bytes, data: bytes) -> None:
        """Take a frame of the script; one that is no call with the run's token stops it."""
        call = _read(kind, data)
        if call is None or not hmac.compare_digest(str(call.get("token")), self._token):
            self._stop("it sent something on the channel to the tools that is no call of this run")
            return
        found = self.begin(call.get("tool"), call.get("args"))
        if found is None:
            return
        number = call.get("id")
        if isinstance(found, tuple):
            self._answer(number, found)
        else:
            task = asyncio.ensure_future(self._answer_later(number, found))
            self._pending.add(task)
            task.add_done_callback(self._pending.discard)

    def begin(self, name: Any, arguments: Any) -> Answer | Awaitable[Answer] | None:
        """Have a call made, or None when there were too many."""
        if self.made >= self._most:
            self._stop(f"it made more than {self._most} tool calls")
            return None
        self.made += 1
        if name not in self._names:
            words = {
                "error": f"{name} is not among the tools of this script",
                "code": "not_offered",
            }
            return json.dumps(words), "not_offered"
        return self._dispatch(name, arguments, self.made)

    async def _answer_later(self, number: Any, pending: Awaitable[Answer]) -> None:
        self._answer(number, await pending)

    def _answer(self, number: Any, answer: Answer) -> None:
        content, code = answer
        name = number if type(number) is int else json.dumps(number)
        told = '"ok"' if code == "ok" else json.dumps(code)
        text = f'{{"id":{name},"code":{told},"value":{content}}}'
        self.send(framed(ANSWER, text.encode("utf-8", "surrogatepass")))

    async def cancel(self) -> None:
        """End what the script no longer waits for."""
        pending = tuple(self._pending)
        for task in pending:
            task.cancel()
        if pending:
            await asyncio.gather(*pending, return_exceptions=True)


def _read(kind: bytes, data: bytes) -> dict[str, Any] | None:
    if kind != CALL:
        return None
    try:
        call = json.loads(data.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return call if isinstance(call, dict) else None
