"""Put how a script went into the words that a model reads."""

from __future__ import annotations

from typing import Any

from hermes.services.scripting.limits import MEGABYTE, Limits
from hermes.services.scripting.runs import Told

_HINTS = {
    "time": "Do less in one script.",
    "calls": "Make fewer calls: search before reading, and read only what is needed.",
    "output": "Print a summary; write what is long to a file.",
    "disk": "Write less, or remove what is not needed.",
}


def answer(told: Told, limits: Limits, backend: str) -> dict[str, Any]:
    """Return what a run came to."""
    code = told.outcome.exit_code if told.outcome is not None else None
    is_well = code == 0 and not told.reason
    found: dict[str, Any] = {"status": "success" if is_well else "error"}
    if told.reason:
        found["status"] = "timeout" if told.kind == "time" else "stopped"
        found["reason"] = f"The script was stopped: {told.reason}."
        if told.kind in _HINTS:
            found["hint"] = _HINTS[told.kind]
    found["exit_code"] = code
    found["stdout"], dropped = told.stdout
    if dropped:
        found["stdout_bytes_left_out"] = dropped
    if told.stderr[0]:
        found["stderr"] = told.stderr[0]
    found["tool_calls_made"] = told.calls
    found["duration_seconds"] = round(told.seconds, 3)
    found["backend"] = backend
    if not is_well and (notes := _notes(told, limits)):
        found["note"] = " ".join(notes)
    return found


def _notes(told: Told, limits: Limits) -> list[str]:
    """Return what a failure means that has to do with the limits or the sandbox."""
    errors, outcome = told.stderr[0], told.outcome
    found = []
    if told.denied_by:
        found.append(told.denied_by)
    if outcome is not None and outcome.note:
        found.append(outcome.note)
    if outcome is not None and not told.reason and (outcome.exit_code or 0) < 0:
        found.append(f"The script was ended by signal {-(outcome.exit_code or 0)}.")
    if "MemoryError" in errors:
        found.append(f"A script may use {limits.memory_bytes // MEGABYTE:,} MB of memory.")
    if "Resource temporarily unavailable" in errors or "can't start new thread" in errors:
        found.append(f"A script may have {limits.processes:,} processes and threads.")
    if "File too large" in errors:
        found.append(f"A script may write files of {limits.disk_bytes // MEGABYTE:,} MB.")
    return found
