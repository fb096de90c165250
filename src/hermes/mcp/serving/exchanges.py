"""Requests that take several rounds: what runs waits here until the client comes back.

In the modern era a server cannot ask a client by itself. It answers that input is required, and
the client repeats its request with the answers. What runs is not begun anew: it goes on.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from hermes.mcp.serving.caller import Caller
from hermes.mcp.serving.wire import INTERNAL_ERROR, RpcError, Wire, invalid

Work = Callable[[Caller], Awaitable[Wire]]
_MOST_PARKED = 200
_PARKED_SECONDS = 600.0
_OF_THE_ROUND = frozenset({"inputResponses", "requestState", "_meta"})


class _Exchange:
    """A request with all its rounds: what runs for it, and who is waiting."""

    __slots__ = ("asked", "caller", "task", "timer")

    def __init__(self, asked: tuple[str, Wire], caller: Caller, task: asyncio.Task[Wire]) -> None:
        self.asked = asked
        self.caller = caller
        self.task = task
        self.timer: asyncio.TimerHandle | None = None


class Exchanges:
    """Run what requests ask for, over as many rounds as it takes."""

    def __init__(self, seconds: float = _PARKED_SECONDS) -> None:
        self._seconds = seconds
        self._parked: dict[str, _Exchange] = {}

    async def run(self, method: str, params: Wire, caller: Caller, work: Work) -> Wire:
        """Return the result, or what the client is asked for first.

        Raises:
            RpcError: the request goes on with nothing that is known here.
        """
        state = params.get("requestState")
        if not caller.client.is_modern:
            return _settled(caller, await work(caller))
        _check_responses(params)
        asked = (method, {key: params[key] for key in params if key not in _OF_THE_ROUND})
        if state is not None:
            return await self._outcome(self._resumed(state, asked, params, caller))
        if not caller.client.can_be_asked:
            return _settled(caller, await work(caller))
        task = asyncio.get_running_loop().create_task(_awaited(work(caller)))
        return await self._outcome(_Exchange(asked, caller, task))

    def close(self) -> None:
        """Give up what waits for clients to come back."""
        for exchange in self._parked.values():
            exchange.task.cancel()
            if exchange.timer is not None:
                exchange.timer.cancel()
        self._parked.clear()

    async def _outcome(self, exchange: _Exchange) -> Wire:
        """Wait until the work is done or needs something of the client."""
        needed = asyncio.get_running_loop().create_task(exchange.caller.needed.wait())
        try:
            await asyncio.wait((exchange.task, needed), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            exchange.task.cancel()
            raise
        finally:
            needed.cancel()
        if not exchange.task.done():
            await asyncio.sleep(0)  # what is asked for at the same time goes along
        if not exchange.task.done():
            return self._park(exchange)
        if exchange.task.cancelled():
            raise RpcError(INTERNAL_ERROR, "the call was given up: the answers came too late")
        return _settled(exchange.caller, exchange.task.result())

    def _park(self, exchange: _Exchange) -> Wire:
        while len(self._parked) >= _MOST_PARKED:
            self._drop(next(iter(self._parked)))
        state = secrets.token_urlsafe(24)
        loop = asyncio.get_running_loop()
        exchange.timer = loop.call_later(self._seconds, self._drop, state)
        self._parked[state] = exchange
        open_needs = exchange.caller.needs.items()
        asked = {key: need.body for key, need in open_needs if not need.answer.done()}
        return {"resultType": "input_required", "inputRequests": asked, "requestState": state}

    def _drop(self, state: str) -> None:
        exchange = self._parked.pop(state, None)
        if exchange is not None:
            exchange.task.cancel()

    def _resumed(
        self, state: Any, asked: tuple[str, Wire], params: Wire, caller: Caller
    ) -> _Exchange:
        exchange = self._parked.get(state) if isinstance(state, str) else None
        if exchange is None:
            raise invalid("'requestState' is not known here, or has expired; begin anew")
        if exchange.asked != asked or exchange.caller.client.task_id != caller.client.task_id:
            raise invalid("'requestState' belongs to another request; begin anew")
        del self._parked[state]
        if exchange.timer is not None:
            exchange.timer.cancel()
        exchange.caller.adopt(caller, params)
        return exchange


async def _awaited(work: Awaitable[Wire]) -> Wire:
    return await work


def _settled(caller: Caller, found: Wire) -> Wire:
    if caller.refusal is not None:
        raise caller.refusal
    return found


def _check_responses(params: Wire) -> None:
    if "inputResponses" not in params:
        return
    responses = params["inputResponses"]
    if not isinstance(responses, dict) or not all(isinstance(r, dict) for r in responses.values()):
        raise invalid("'inputResponses' must be an object of objects")
