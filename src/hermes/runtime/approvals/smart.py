"""Which questions an auxiliary model may answer with yes, and what counts as one."""

from __future__ import annotations

import os.path

from hermes.policy.need import Need
from hermes.policy.paths.places import Places
from hermes.policy.shell.command_lines import is_interpreter
from hermes.runtime.approvals.request import ApprovalRequest

_YES = frozenset({"yes", "approve", "approved"})
_UNDOABLE = frozenset({"delete"})
"""Dangers that a copy of the workspace makes good."""
_RUNNING = ("execute", "run")


def is_low_risk(request: ApprovalRequest, *, can_undo: bool) -> bool:
    """Say whether all that a call does is inside the workspace and can be undone.

    Secrets, rights, remote state, what is planted or fetched to run, what hides and what is not
    understood are never; without a way to undo, no danger is.
    """
    places = request.deed.places
    undoable = _UNDOABLE if can_undo else frozenset[str]()
    for finding in (*request.findings, *request.deed.findings):
        if finding.severity != "ask" or finding.category not in undoable:
            return False
    needs = [need for need in request.deed.needs if need.finding is None]
    return places is not None and bool(needs) and all(_is_inside(each, places) for each in needs)


def _is_inside(need: Need, places: Places) -> bool:
    if need.kind == "command":
        is_run = need.is_understood and need.permission.rpartition(":")[2] in _RUNNING
        return is_run and not any(is_interpreter(words[0]) for words in need.commands if words)
    if need.kind != "path" or not need.permission.startswith("file:"):
        return False
    path = os.path.realpath(need.subject)
    roots = (os.path.realpath(root) for root in places.workspace)
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)


def is_yes(text: object) -> bool:
    """Say whether a model's words are a clear yes; anything else is not."""
    return isinstance(text, str) and text.strip().rstrip(".!").lower() in _YES
