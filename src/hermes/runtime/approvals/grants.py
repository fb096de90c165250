"""What was granted: for a task, for good, and the one yes that a call runs on."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from hermes.base.errors import Denied, HermesError
from hermes.base.optional import load
from hermes.runtime.bridge import aside

if TYPE_CHECKING:
    from hermes.policy.lasting import Rule
    from hermes.policy.paths import Places
    from hermes.policy.shapes import Shape
    from hermes.policy.verdict import Finding

_log = logging.getLogger("hermes.approvals")
Remember = Callable[[str], object]


class Grants:
    """Remember yeses that reach beyond one call: of tasks here, permanent ones as rules."""

    def __init__(self, rules: Iterable[str] = (), remember: Remember | None = None) -> None:
        self._texts = list(rules)
        self._remember = remember
        self._rules: list[Rule] | None = None
        self._by_task: dict[str | None, list[Shape]] = {}
        """Under None what holds for all tasks of this runtime."""

    def find(self, shape: Shape, task_id: str, places: Places | None) -> str | None:
        """Return the scope of the grant that covers a call: session, always, or None."""
        for scope, key in (("session", task_id), ("always", None)):
            if any(granted.covers(shape) for granted in self._by_task.get(key, ())):
                return scope
        lasting = load("hermes.policy.lasting")
        if any(lasting.covers(rule, shape, places) for rule in self._lasting()):
            return "always"
        return None

    def _lasting(self) -> list[Rule]:
        if self._rules is None:
            self._rules = [rule for text in self._texts if (rule := _read(text)) is not None]
        return self._rules

    async def add(self, scope: str, shape: Shape, task_id: str) -> None:
        """Remember a yes for the rest of a task, or for good."""
        key = None if scope == "always" else task_id
        self._by_task.setdefault(key, []).append(shape)
        if scope == "always" and self._remember is not None:
            rule = load("hermes.policy.lasting").write(shape)
            remember = self._remember
            try:
                await aside(lambda: remember(rule))
            except (HermesError, OSError) as error:
                _log.error("a permanent approval holds for this run only: %s", error)

    def forget(self, task_id: str) -> None:
        """Take back what was granted for the rest of a task."""
        self._by_task.pop(task_id, None)


def _read(text: str) -> Rule | None:
    try:
        rule: Rule = load("hermes.policy.lasting").read(text)
    except ValueError as error:
        _log.warning("command_allowlist: %r covers nothing: it %s", text, error)
        return None
    return rule


class Yes(str):
    """The word a call was approved with, good for one run of exactly that call, for a while."""

    digest: str
    findings: tuple[Finding, ...]
    until: float
    is_spent = False

    def spend(self, tool: str, arguments: dict[str, Any], cwd: str, now: float) -> str:
        """Use the yes up and return its plain word.

        Raises:
            Denied: it was used before, came too long ago, or was given for something else.
        """
        if self.is_spent or self.digest != digest_of(tool, arguments, cwd, self.findings):
            raise Denied("the approval was given for another call than this one")
        self.is_spent = True
        if now > self.until:
            raise Denied("the approval came too long ago", hint="Make the call again.")
        return str(self)


def yes(word: str, digest: str, findings: tuple[Finding, ...], *, until: float) -> Yes:
    """Return a yes for the call of a digest."""
    made = Yes(word)
    made.digest, made.findings, made.until = digest, findings, until
    return made


def digest_of(tool: str, arguments: dict[str, Any], cwd: str, findings: tuple[Finding, ...]) -> str:
    """Return what no other call has: a hash over tool, arguments, folder and dangers."""
    bound: str = load("hermes.policy.shapes").exactly([tool, arguments, cwd, findings])
    return hashlib.sha256(bound.encode()).hexdigest()
