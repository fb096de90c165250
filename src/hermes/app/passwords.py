"""Passwords for the sudo of commands that were allowed outside of their box: a person is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hermes.base.errors import Denied
from hermes.environments.askpass import Asked, Askpass, is_needed
from hermes.environments.contract import Refused
from hermes.runtime.approvals import Approvals
from hermes.runtime.approvals.secrets import SecretRequest
from hermes.runtime.bridge import loop_thread, on_own_loop

_MOST_TRIES = 3
_WHAT = "the password for sudo"


class Passwords:
    """Ask for passwords, and keep one for a task if the person says so; never on a disk."""

    def __init__(self, approvals: Approvals, on_secret: Callable[[str], object]) -> None:
        self._approvals, self._on_secret = approvals, on_secret
        self._open: dict[str, Askpass] = {}
        self._kept: dict[str, str] = {}
        self._tries: dict[str, int] = {}
        self._lock = asyncio.Lock()

    async def variables(self, task_id: str) -> dict[str, str]:
        """Return what a command of a task sees so that its sudo asks, where that may be."""
        if not is_needed():
            return {}
        return (await on_own_loop(self._listening(task_id))).variables()

    async def _listening(self, task_id: str) -> Askpass:
        async def answer(asked: Asked) -> str:
            return await self._answer(task_id, asked)

        async with self._lock:
            found = self._open.get(task_id)
            if found is None:
                found = Askpass(answer)
                await found.open()
                self._open[task_id] = found
            return found

    async def _answer(self, task_id: str, asked: Asked) -> str:
        tries = self._tries[asked.process] = self._tries.get(asked.process, 0) + 1
        if tries > 1:
            self._kept.pop(task_id, None)  # it was the wrong one
        elif task_id in self._kept:
            return self._kept[task_id]
        if tries > _MOST_TRIES:
            raise Refused(f"{_WHAT} was wrong {_MOST_TRIES} times")
        request = SecretRequest(_WHAT, asked.command, task_id, was_wrong=tries > 1)
        try:
            secret = await self._approvals.secret(request)
        except Denied as error:
            raise Refused(error.message) from error
        self._on_secret(secret.value)
        if secret.lasts:
            self._kept[task_id] = secret.value
        return secret.value

    def forget(self, task_id: str) -> None:
        """Forget the password of a task, and listen to its sudo no more."""
        self._kept.pop(task_id, None)
        askpass = self._open.pop(task_id, None)
        if askpass is not None:
            loop_thread().loop.call_soon_threadsafe(askpass.close)

    def close(self) -> None:
        """Forget all of them."""
        for task_id in list(self._open):
            self.forget(task_id)
        self._kept.clear()
