"""Follow what shells were told to do when they end, with all that they know by then."""

from __future__ import annotations

from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.run import Run


def trap(interpreter: Interpreter, run: Run, text: str) -> None:
    """Follow a trap: at once where all that it names is known, and again when the shell ends."""
    tried = interpreter.aside()
    tried.run_text(text, run.span)
    if not tried.state.missed - interpreter.state.missed:
        interpreter.run_text(text, run.span, is_exact=True)
    interpreter.traps.append((text, run.span, interpreter.state))


def end(interpreter: Interpreter) -> None:
    """Run the traps that were set, each text once."""
    done: set[str] = set()
    while interpreter.traps:
        text, span, state = interpreter.traps.pop()
        if text in done:
            continue
        done.add(text)
        kept, interpreter.state = interpreter.state, state
        try:
            interpreter.run_text(text, span, is_exact=True)
        finally:
            interpreter.state = kept
