"""Ask a person, one question at a time, and remember what they said for exactly that."""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hermes.base.errors import Denied
from hermes.base.optional import load
from hermes.runtime.approvals.asking import Questions
from hermes.runtime.approvals.grants import Grants, Yes, digest_of, yes
from hermes.runtime.approvals.request import (
    Answer,
    ApprovalRequest,
    Approver,
    Consult,
    understood,
)
from hermes.runtime.approvals.secrets import Secret, SecretRequest
from hermes.runtime.bridge import gives_up

if TYPE_CHECKING:
    from hermes.policy.shapes import Shape

__all__ = [
    "Answer",
    "ApprovalRequest",
    "Approvals",
    "Approver",
    "Consult",
    "Grants",
    "Manner",
    "Secret",
    "SecretRequest",
    "Yes",
]

Mode = Literal["ask", "smart", "off"]
_MOST_REFUSALS = 3
_STOP = "The user wants you to stop: call no more tools, and ask how to go on."
_STOP_REFUSED = "Three calls in a row were refused: stop here, and ask the user how to go on."
_log = logging.getLogger("hermes.approvals")


class Manner(NamedTuple):
    """How questions are answered."""

    mode: Mode = "ask"
    timeout_seconds: float = 60.0
    expire_seconds: float = 600.0
    """How long a yes is good for, until its call runs."""
    unattended: bool = False
    """A child or a run with nobody watching: nothing is approved but by a person."""
    can_undo: bool = False
    """Whether what the workspace loses can be brought back."""


class Approvals:
    """Put questions to the approver; nobody there, no answer in time and a fault all mean no."""

    def __init__(
        self,
        approver: Approver | None = None,
        manner: Manner = Manner(),  # noqa: B008 - frozen
        grants: Grants | None = None,
        *,
        consult: Consult | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.approver = approver
        self.manner = manner
        self.on_asked: Callable[[ApprovalRequest, str | None], None] | None = None
        """Told when a person is asked (None) and what they said; whoever watches sets it."""
        self.children: dict[str, Literal["ask", "deny"]] = {}
        """Tasks whose calls nobody but a person approves, and of some not even a person."""
        self.clock = clock
        self._grants = grants or Grants()
        self._consult = consult
        self._questions: Questions[tuple[Answer, str]] = Questions()
        """Gives the answer, or why there is none."""
        self._refusals: dict[str, int] = {}

    async def ask(self, request: ApprovalRequest) -> Yes:
        """Return how the call was approved: once, session, always, smart or off.

        Raises:
            Denied: the answer is no.
        """
        digest = digest_of(request.tool, request.arguments, request.cwd, request.findings)
        word = await self._word(request, digest)
        self._refusals.pop(request.task_id, None)
        until = self.clock() + self.manner.expire_seconds
        return yes(word, digest, request.findings, until=until)

    async def secret(self, request: SecretRequest) -> Secret:
        """Ask the person for a secret; an approver that can has a method ``secret``.

        Raises:
            Denied: nobody gives it.
        """
        ask = getattr(self.approver, "secret", None)
        if ask is None or self.manner.unattended or self._is_alone(request.task_id):
            raise Denied(f"{request.what} is needed, and nobody is there to ask")
        async with self._questions.turns:
            request = request._replace(seconds=self.manner.timeout_seconds)
            given, silence = await self._heard(ask(request))
        if not isinstance(given, Secret) or not given.value:
            why = silence or "the user did not give it"
            raise Denied(f"{request.what} is needed, and {why}")
        return given

    def forget(self, task_id: str) -> None:
        """Take back what was granted for the rest of a task."""
        self._grants.forget(task_id)
        self._refusals.pop(task_id, None)
        self.children.pop(task_id, None)

    def _is_alone(self, task_id: str) -> bool:
        return self.children.get(task_id) == "deny"

    async def _word(self, request: ApprovalRequest, digest: str) -> str:
        is_unattended = self.manner.unattended or request.task_id in self.children
        mode = "ask" if is_unattended else self.manner.mode
        if any(finding.severity == "floor" for finding in request.findings):
            raise Denied(request.reason, rule=request.rule)
        if mode == "off":
            return "off"
        shape = _shape(request)
        if scope := self._granted(request, shape):
            return scope
        if mode == "smart" and await self._is_low_risk(request):
            return "smart"
        if self.approver is None or self._is_alone(request.task_id):
            raise Denied(
                f"{request.reason}, and nobody is there to ask",
                hint="Run it where a person can answer, or allow it in the permission profile.",
            )
        key = f"{request.task_id}\0{request.permissions}\0{digest}"
        put = functools.partial(self._put, request, shape)
        answer, silence = await self._questions.ask(key, put)
        if answer.word == "deny":
            raise self._denied(request, answer, silence)
        return answer.word

    def _granted(self, request: ApprovalRequest, shape: Shape) -> str | None:
        return self._grants.find(shape, request.task_id, request.deed.places)

    async def _put(self, request: ApprovalRequest, shape: Shape) -> tuple[Answer, str]:
        """Put a question whose turn has come, unless it has been answered while it waited."""
        scope = self._granted(request, shape)
        if scope is not None:
            return Answer(scope), ""  # type: ignore[arg-type]  # one of the words
        withheld = _withheld(request, shape)
        seconds = self.manner.timeout_seconds
        self._tell(request, None)
        answer = Answer("deny")
        try:
            given, silence = await self._given(request._replace(withheld=withheld, seconds=seconds))
            answer = understood(given, may_last=not withheld)
        finally:
            self._tell(request, answer.word)
        if answer.word in ("session", "always"):
            await self._grants.add(answer.word, shape, request.task_id)
        return answer, silence

    def _tell(self, request: ApprovalRequest, word: str | None) -> None:
        if self.on_asked is not None:
            self.on_asked(request, word)

    async def _given(self, request: ApprovalRequest) -> tuple[Any, str]:
        assert self.approver is not None
        return await self._heard(self.approver(request))

    async def _heard(self, asking: Awaitable[Any]) -> tuple[Any, str]:
        """Wait for an answer; returns it, or why there is none."""
        try:
            async with asyncio.timeout(self.manner.timeout_seconds):
                return await asking, ""
        except TimeoutError:
            return None, "nobody answered in time"
        except Denied:  # it knows better than we do why nobody can be asked
            raise
        except BaseException as error:
            if gives_up(error):
                raise
            _log.exception("the approver broke")
            return None, "the question could not be asked"

    async def _is_low_risk(self, request: ApprovalRequest) -> bool:
        """Say whether an auxiliary model approves what it may; any doubt goes to the person."""
        smart = load("hermes.runtime.approvals.smart")
        if self._consult is None:
            return False
        try:
            if not smart.is_low_risk(request, can_undo=self.manner.can_undo):
                return False
            async with asyncio.timeout(self.manner.timeout_seconds):
                said = await self._consult(request)
        except BaseException as error:
            if gives_up(error):
                raise
            _log.warning("the auxiliary model could not be asked", exc_info=error)
            return False
        approved: bool = smart.is_yes(said)
        return approved

    def _denied(self, request: ApprovalRequest, answer: Answer, silence: str) -> Denied:
        text, hint = "the user refused this call", "Do something else, or ask the user."
        if silence:
            text = f"{request.reason}, and {silence}"
        elif answer.message:
            text = f"{text}: {answer.message}"
        count = self._refusals[request.task_id] = self._refusals.get(request.task_id, 0) + 1
        if answer.stop or count >= _MOST_REFUSALS:
            return Denied(text, hint=_STOP if answer.stop else _STOP_REFUSED, stop=True)
        return Denied(text, hint=hint)


def _shape(request: ApprovalRequest) -> Shape:
    deed = request.deed
    if not deed.tool:
        deed = deed._replace(tool=(request.tool,))
    shapes = load("hermes.policy.shapes")
    shape: Shape = shapes.shape_of(
        deed._replace(arguments=request.arguments, findings=request.findings or deed.findings),
        request.permissions,
        request.declared,
        request.cwd,
    )
    return shape


def _withheld(request: ApprovalRequest, shape: Shape) -> str:
    text = load("hermes.base.text")
    is_hidden = any(text.hides(each) for each in _strings(request.arguments))
    why: str = load("hermes.policy.lasting").withheld(
        shape, request.deed.places, is_hidden=is_hidden
    )
    return why


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list):
        return [text for each in value for text in _strings(each)]
    return []
