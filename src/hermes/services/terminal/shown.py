"""Turn what a command printed into what a model reads."""

from __future__ import annotations

from typing import Any

from hermes.environments.capture import Capture, Kept
from hermes.environments.contract import Outcome
from hermes.services.terminal.exit_codes import meaning
from hermes.services.terminal.text import readable

_ASK = (
    "The sandbox held it back. Do without, or call again with exactly what is needed: `writable` "
    "for paths, `access` for the network or for no sandbox at all; the user is asked."
)


def result(command: str, outcome: Outcome, capture: Capture, before: str) -> dict[str, Any]:
    """Return the answer for a command that has ended."""
    answer: dict[str, Any] = {"exit_code": outcome.exit_code, **streams(capture)}
    is_late = outcome.how == "timed out"
    if not is_late and outcome.exit_code is not None:
        said = meaning(command, outcome.exit_code)
        answer |= {"meaning": said} if said else {}
    if is_late:
        answer["timed_out"] = True
        answer["note"] = f"Stopped after {outcome.seconds:.0f} s. {outcome.note}".strip()
    elif outcome.note:
        answer["note"] = outcome.note
    if outcome.cwd and outcome.cwd != before:
        answer["cwd"] = outcome.cwd
    if outcome.denied_by:
        answer |= {"denied_by": outcome.denied_by, "hint": _ASK}
    return answer


def streams(capture: Capture) -> dict[str, Any]:
    """Return both streams, cut in the middle if need be, and where all of it is."""
    output, errors = capture.streams
    shown: dict[str, Any] = {"stdout": _text(output)}
    if errors.size:
        shown["stderr"] = _text(errors)
    if output.dropped or errors.dropped:
        shown["truncated"] = True
        if capture.path is not None:
            shown["saved"] = str(capture.path)
    if capture.trouble:
        shown["saved_note"] = capture.trouble
    return shown


def _text(kept: Kept) -> str:
    head, tail = kept.ends()
    if not kept.dropped:
        return readable(head)
    left_out = f"\n… {kept.dropped:,} bytes left out …\n"
    return f"{readable(head)}{left_out}{readable(tail)}"
