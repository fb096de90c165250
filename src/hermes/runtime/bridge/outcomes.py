"""Carry what came of some work from one thread to another."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class HandlerExit(Exception):
    """A handler tried to end the process, or raised what no caller may see raised."""


async def contained(coroutine: Coroutine[Any, Any, T]) -> T:
    """Keep an exit to itself: out of a task it would end the loop that all calls share."""
    try:
        return await coroutine
    except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        raise raisable(error) from error


def deliver(
    loop: asyncio.AbstractEventLoop,
    done: asyncio.Future[Any],
    value: Any,
    error: BaseException | None,
) -> None:
    """Set a future of a loop, from any thread; one that nobody waits for any more is let be."""

    def set_it() -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(raisable(error))
        else:
            done.set_result(value)

    with contextlib.suppress(RuntimeError):  # the loop is gone, and with it whoever waited
        loop.call_soon_threadsafe(set_it)


def fulfil(done: Future[Any], value: Any, error: BaseException | None) -> None:
    """Set a future that a thread waits for."""
    if error is not None:
        done.set_exception(raisable(error))
    else:
        done.set_result(value)


def raisable(error: BaseException) -> BaseException:
    """Return an error that a future can carry: StopIteration and exits would disturb the waiter."""
    return (
        error
        if isinstance(error, Exception) and not isinstance(error, StopIteration)
        else HandlerExit(f"{type(error).__name__}: {error}")
    )
