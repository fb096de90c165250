"""Understand a shell command: what it does, what of that is dangerous, and where it says so."""

from __future__ import annotations

from typing import NamedTuple

from hermes.policy.shell import judging
from hermes.policy.shell.blocks import block
from hermes.policy.shell.carried import suspect_planted
from hermes.policy.shell.ending import end
from hermes.policy.shell.flow import NOTHING
from hermes.policy.shell.grammar.lexer import NotShell
from hermes.policy.shell.grammar.parse import parse
from hermes.policy.shell.hidden import hidden
from hermes.policy.shell.interpret import Interpreter, TooMuch, Ways
from hermes.policy.shell.programs import understand_program
from hermes.policy.shell.run import Run
from hermes.policy.shell.running import run_code
from hermes.policy.shell.state import Place, State
from hermes.policy.shell.variables import look
from hermes.policy.verdict import Finding

LONGEST = 100_000
_WAYS = Ways(understand_program, block, look)


class Meaning(NamedTuple):
    """What a command does, as far as that can be known before it runs."""

    findings: tuple[Finding, ...]
    """Its dangers, worst first."""
    needs: tuple[tuple[str, str], ...]
    """The permissions it needs, each with its subject: a path or a host."""
    commands: tuple[tuple[str, ...], ...]
    """Every simple command in it, as words."""
    is_understood: bool


def understand(command: str, place: Place) -> Meaning:
    """Return the meaning of a command; whatever cannot be understood is a finding, not an error."""
    whole = (0, len(command))
    if len(command) > LONGEST:
        what = f"is too long to be understood: {len(command):,} characters"
        return Meaning((Finding("opaque", what, whole, "floor"),), (), (), False)
    interpreter = Interpreter(State(place), _WAYS, command)
    found = hidden(command)
    is_understood = not found
    try:
        interpreter.script(parse(command))
        end(interpreter)
        if interpreter.state.files:
            suspect_planted(interpreter)
    except NotShell as error:
        what = f"is not understood: {error.message}"
        span = (min(error.place, len(command)), len(command))  # an escape may end past the end
        found.append(Finding("opaque", what, span, "floor"))
        is_understood = False
    except (TooMuch, RecursionError):
        found.append(Finding("opaque", "does more than can be followed", whole, "floor"))
        is_understood = False
    return _meaning(interpreter, found, is_understood=is_understood)


def understand_code(language: str, code: str, place: Place) -> Meaning:
    """Return the meaning of code that a call runs as it stands."""
    interpreter = Interpreter(State(place), _WAYS)
    run = Run(language, (), NOTHING, frozenset(), (0, len(code)))
    try:
        run_code(interpreter, run, language, code)
        end(interpreter)
    except (TooMuch, RecursionError):
        what = "does more than can be followed"
        return Meaning((Finding("opaque", what, run.span, "floor"),), (), (), False)
    return _meaning(interpreter, [], is_understood=True)


def _meaning(interpreter: Interpreter, found: list[Finding], *, is_understood: bool) -> Meaning:
    found += judging.findings(interpreter.noted, interpreter.state)
    return Meaning(
        tuple(found),
        tuple(judging.needs(interpreter.noted, interpreter.state)),
        tuple(interpreter.ran),
        is_understood,
    )
