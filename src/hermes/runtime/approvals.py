"""Ask a person, once, and remember what they said for exactly that."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Literal, NamedTuple

from hermes.base.errors import Denied
from hermes.runtime.bridge import gives_up

Answer = Literal["once", "session", "always", "deny"]
_log = logging.getLogger("hermes.approvals")


class ApprovalRequest(NamedTuple):
    """What a person is asked: which tool, with what, for whom, and why a rule wants a yes."""

    tool: str
    arguments: dict[str, Any]
    permissions: tuple[str, ...]
    reason: str
    rule: str
    task_id: str
    call_id: str


Grant = tuple[str | None, str]
"""For which task, or None for all, and for what."""
Approver = Callable[[ApprovalRequest], Awaitable[Answer]]


class Approvals:
    """Put questions to the approver; nobody there, no answer in time and a fault all mean no."""

    def __init__(self, approver: Approver | None = None, *, timeout_seconds: float = 60.0) -> None:
        self.approver = approver
        self._timeout = timeout_seconds
        self._granted: set[Grant] = set()

    async def ask(self, request: ApprovalRequest) -> str:
        """Return how the call was approved: once, session or always.

        Raises:
            Denied: the answer is no.
        """
        shape = _shape(request)
        grants: dict[str, Grant] = {"session": (request.task_id, shape), "always": (None, shape)}
        for scope, grant in grants.items():
            if grant in self._granted:
                return scope
        answer = await self._answer(request)
        if answer in grants:
            self._granted.add(grants[answer])
        return answer

    def forget(self, task_id: str) -> None:
        """Take back what was granted for the rest of a task."""
        self._granted = {grant for grant in self._granted if grant[0] != task_id}

    async def _answer(self, request: ApprovalRequest) -> str:
        if self.approver is None:
            raise Denied(
                f"{request.reason}, and nobody is there to ask",
                hint="Run it where a person can answer, or allow it in the permission profile.",
            )
        try:
            async with asyncio.timeout(self._timeout):
                answer = await self.approver(request)
        except TimeoutError:
            raise Denied(f"{request.reason}, and nobody answered in time") from None
        except BaseException as error:
            if gives_up(error):
                raise
            _log.exception("the approver broke")
            raise Denied(f"{request.reason}, and the question could not be asked") from error
        if answer not in ("once", "session", "always"):
            raise Denied("the user refused this call", hint="Do something else, or ask the user.")
        return answer


def _shape(request: ApprovalRequest) -> str:
    """A grant covers this tool with exactly these arguments and permissions, nothing wider."""
    covered = [request.tool, request.permissions, request.arguments]
    return json.dumps(covered, sort_keys=True, default=repr)
