"""The status bar: which model, how much of its context and of the budget, what is to be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hermes.cli.chat.safe import one_line
from hermes.llm.contract import Usage

if TYPE_CHECKING:
    from hermes.agent.events import Spent
    from hermes.services.todo import Todo

_MARKS = {"pending": "☐", "in_progress": "▸", "completed": "☑", "cancelled": "☒"}
_NEARLY_FULL = 80


class Budget(NamedTuple):
    """What is in use by now."""

    total: Usage = Usage()
    context: int = 0
    window: int = 0
    base: Usage = Usage()
    """What agents before this one cost."""

    def after(self, event: Spent) -> Budget:
        """Return the budget after a round."""
        return Budget(plus(self.base, event.total), event.context, event.window, self.base)

    def handed_on(self) -> Budget:
        """Return the budget that another agent goes on with."""
        return self._replace(context=0, base=self.total)

    @property
    def percent(self) -> int | None:
        """How much of the model's context is used; None when nobody knows."""
        return round(100 * self.context / self.window) if self.window else None

    @property
    def is_nearly_full(self) -> bool:
        """Say whether the conversation will soon have to be shortened."""
        return (self.percent or 0) >= _NEARLY_FULL


def plus(one: Usage, other: Usage) -> Usage:
    """Return what two cost together; a price that is not known counts as nothing."""
    dollars = None
    if one.dollars is not None or other.dollars is not None:
        dollars = (one.dollars or 0.0) + (other.dollars or 0.0)
    return Usage(
        one.input + other.input,
        one.output + other.output,
        one.cached + other.cached,
        one.reasoning + other.reasoning,
        dollars,
    )


def amount(tokens: int) -> str:
    """Return a number of tokens in few characters."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 999_500:
        return f"{tokens / 1_000:.1f}k" if tokens < 9_950 else f"{tokens / 1_000:.0f}k"
    return f"{tokens / 1_000_000:.1f}M"


def cost(usage: Usage) -> str:
    """Return what was paid, or nothing where the price is not known."""
    if usage.dollars is None:
        return ""
    return f"${usage.dollars:.4f}" if 0 < usage.dollars < 0.01 else f"${usage.dollars:.2f}"


def parts(model: str, budget: Budget, profile: str = "") -> list[str]:
    """Return the parts of the bar, the most important first."""
    found = [one_line(model, 40)]
    used = budget.total.input + budget.total.output
    if budget.percent is not None and budget.context:
        found.append(f"context {budget.percent}% of {amount(budget.window)}")
    elif budget.context:
        found.append(f"context {amount(budget.context)}")
    if used:
        found.append(f"{amount(used)} tokens")
    if paid := cost(budget.total):
        found.append(paid)
    if profile:
        found.append(one_line(profile, 24))
    return found


def todo_line(todos: Sequence[Todo], width: int) -> str:
    """Return where the work stands, or nothing when there is nothing to do."""
    todos = [todo for todo in todos if todo.status != "cancelled"]
    done = sum(todo.status == "completed" for todo in todos)
    if not todos or done == len(todos):
        return ""
    waiting = next((todo for todo in todos if todo.status == "pending"), None)
    now = next((todo for todo in todos if todo.status == "in_progress"), waiting)
    told = f"todo {done}/{len(todos)}"
    return (
        f"{told} {_MARKS[now.status]} {one_line(now.content, max(width - 14, 8))}" if now else told
    )


def todo_lines(todos: Sequence[Todo]) -> list[str]:
    """Return the whole list, one line each."""
    return [f"{_MARKS[todo.status]} {one_line(todo.content, 200)}" for todo in todos]


Segment = tuple[str, str]
"""A line of the bar: what it is (bar, full or todo), and its text."""


def lines(
    model: str, budget: Budget, todos: Sequence[Todo], width: int, profile: str = ""
) -> list[Segment]:
    """Return the lines of the bar for a width; the least important parts give way."""
    shown = parts(model, budget, profile)
    while len(shown) > 1 and len(" · ".join(shown)) > width - 3:
        shown.pop()
    found = [("full" if budget.is_nearly_full else "bar", f"  {' · '.join(shown)}")]
    if line := todo_line(todos, width - 2):
        found.insert(0, ("todo", f"  {line}"))
    return found
