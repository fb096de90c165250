"""Questions in the midst of a turn: approvals, passwords, and what the agent wants to know."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from hermes.cli.chat.safe import one_line, safe

if TYPE_CHECKING:
    from hermes.mcp.people import Form
    from hermes.runtime.approvals import ApprovalRequest, Secret, SecretRequest
    from hermes.services.clarify import Question

Room = Callable[[], AbstractContextManager[Any]]
Put = Callable[[Sequence[str]], None]
Reply = Callable[[Sequence[str]], Awaitable[str]]


class Asking:
    """Ask one question at a time, on a terminal that makes room for it.

    Whatever loop a call runs on, its question is put on the loop that this was made on, which has
    the keyboard.
    """

    def __init__(self, console: Any) -> None:
        self._console = console
        self._loop = asyncio.get_running_loop()
        self._turns = asyncio.Lock()
        self.room: Room = nullcontext
        """Makes room on the screen and at the keyboard; set by whoever draws."""
        self.put: Put = print
        self.reply: Reply | None = None

    async def __call__(self, request: ApprovalRequest) -> Any:
        """Ask whether a call may run."""
        return await self._in_turn(lambda: self._console(request))

    async def secret(self, request: SecretRequest) -> Secret | None:
        """Ask for a secret."""
        given: Secret | None = await self._in_turn(lambda: self._console.secret(request))
        return given

    async def form(self, form: Form) -> dict[str, str] | None:
        """Have the form of an MCP server filled in."""
        given: dict[str, str] | None = await self._in_turn(lambda: self._console.form(form))
        return given

    async def open_url(self, url: str) -> None:
        """Open an address that the person agreed to visit."""
        await self._in_turn(lambda: self._console.open_url(url))

    async def clarify(self, question: Question) -> str | None:
        """Ask what the agent wants to know; Ctrl-C and Ctrl-D leave it open."""
        answer: str | None = await self._in_turn(lambda: self._clarify(question))
        return answer

    async def _clarify(self, question: Question) -> str | None:
        if self.reply is None:
            return None
        self.put(lines_of(question))
        try:
            return await self.reply(question.choices)
        except (EOFError, KeyboardInterrupt):
            return None

    async def _in_turn(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        if asyncio.get_running_loop() is self._loop:
            return await self._alone(ask)
        there = asyncio.run_coroutine_threadsafe(self._alone(ask), self._loop)
        return await asyncio.wrap_future(there)

    async def _alone(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        async with self._turns:
            with self.room():
                return await ask()


def lines_of(question: Question) -> list[str]:
    """Return a question as it is shown, its choices numbered."""
    lines = ["", *(f"  {line}" for line in safe(f"? {question.text}").splitlines())]
    for number, choice in enumerate(question.choices, 1):
        lines.append(f"    {number}  {one_line(choice, 300)}")
    told = "a number, or your own words" if question.choices else "your answer"
    return [*lines, f"  ({told}; Ctrl-D leaves it open)"]
