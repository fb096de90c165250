"""Judge programs that work on shared state: what does not only look is a danger."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hermes.policy.shell.effects import Category, Effect, danger
from hermes.policy.shell.model import Call, pattern

Handler = Callable[[Call], Iterator[Effect]]


def changes_unless(
    looks: str, category: Category = "infrastructure", where: str = "shared state"
) -> Handler:
    """Return a handler that finds a danger in every call that no line of a text matches.

    The lines are patterns without the program's name: ``get|describe``, ``config get-*``. A call
    without operands only prints help.
    """
    patterns = tuple(pattern(f"x {line}") for line in looks.splitlines() if line.strip())

    def judge(call: Call) -> Iterator[Effect]:
        if not call.operands or call.operands[0] in ("help", "version", "completion"):
            return
        if not any(found.match(call) is not None for found in patterns):
            words = " ".join(word for word in call.operands[:2] if word.isprintable())
            yield danger(category, f"{call.name} {words} changes {where}")

    return judge


def both(*handlers: Handler) -> Handler:
    """Return a handler that yields what several handlers find."""

    def judge(call: Call) -> Iterator[Effect]:
        for handler in handlers:
            yield from handler(call)

    return judge


def behind(call: Call, *subcommands: str) -> tuple[str, ...]:
    """Return the operands of a call behind the words of its subcommand."""
    operands = call.operands
    while operands and operands[0] in subcommands:
        operands, subcommands = operands[1:], tuple(w for w in subcommands if w != operands[0])
    return operands
