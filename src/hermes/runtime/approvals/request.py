"""What a person is asked, and what they may answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, NamedTuple

from hermes.base.text import harmless
from hermes.policy.need import Deed
from hermes.policy.verdict import Finding

Word = Literal["once", "session", "always", "deny"]
_WORDS = frozenset({"once", "session", "always"})


class ApprovalRequest(NamedTuple):
    """What a person is asked: which tool, with what, for whom, and why a rule wants a yes."""

    tool: str
    arguments: dict[str, Any]
    permissions: tuple[str, ...]
    reason: str
    rule: str
    task_id: str
    call_id: str
    findings: tuple[Finding, ...] = ()
    """The dangers that were found, worst first."""
    deed: Deed = Deed()
    """What the call would do: its permissions, each with its path, host or command."""
    declared: Mapping[str, str] | None = None
    """Which arguments are commands, paths and addresses; None means: as their names say."""
    cwd: str = ""
    user_task: str | None = None
    withheld: str = ""
    """Why ``always`` is not on offer; nothing when it is."""
    seconds: float = 0.0
    """How long the question waits for an answer."""


class Answer(NamedTuple):
    """A person's answer; a refusal may tell the model why, and that it should stop."""

    word: Word
    message: str = ""
    stop: bool = False


Approver = Callable[[ApprovalRequest], Awaitable[Any]]
"""Gives an ``Answer``, or its word alone; anything but a yes means no. Where nobody can be asked it
may raise ``Denied``, and say why."""
Consult = Callable[[ApprovalRequest], Awaitable[str]]
"""Asks an auxiliary model whether a call is low risk, and gives its words."""

REFUSED = Answer("deny")


def understood(given: Any, *, may_last: bool) -> Answer:
    """Return an approver's answer in its settled form; what is no clear yes is a no."""
    word = given.word if type(given) is Answer else given
    if type(word) is not str or word not in _WORDS:
        return _refusal(given)
    if word == "always" and not may_last:
        return Answer("once")
    return Answer(word)  # type: ignore[arg-type]  # one of the words


def _refusal(given: Any) -> Answer:
    if type(given) is not Answer:
        return REFUSED
    message = harmless(given.message) if isinstance(given.message, str) else ""
    return Answer("deny", " ".join(message.split()), given.stop is True)
