"""Draw the parts of the chat with rich: lines of calls, diffs, children, answers in full."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from rich.text import Text

from hermes.base.messages import Json
from hermes.cli.chat.calls import Call, arguments_of, diff_of, parsed, trouble
from hermes.cli.chat.safe import one_line, safe
from hermes.cli.chat.work import Child, Running
from hermes.cli.moments import took

_INDENT = "  "
_MOST_DIFF_LINES = 30
_MOST_LINES = 2_000
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_ENDINGS = {"answered": ("✓", "green"), "interrupted": ("⊘", "yellow")}


def call_lines(call: Call, width: int = 100) -> Iterator[Text]:
    """Yield a call that was answered: its line, and its error or the change it made beneath it."""
    line = Text(_INDENT)
    line.append(f"{call.icon or '•'} ")
    line.append(one_line(call.name, 60), style="bold red" if call.is_error else "bold")
    facts = Text(f"  {call.facts}  #{call.number}", style="dim")
    what = Text(f" {call.what}".rstrip())
    # one column is left for signs that a terminal draws wider than they are
    what.truncate(max(width - line.cell_len - facts.cell_len - 1, 8), overflow="ellipsis")
    yield Text.assemble(line, what, facts)
    if call.is_error:
        problem = trouble(call.result)
        mark = "⊘ " if problem.code == "denied" else "✗ "
        yield Text(f"{_INDENT}   {mark}{one_line(problem.message, 300)}", style="red")
    elif diff := diff_of(call.result):
        yield from diff_lines(diff, call.number)


def diff_lines(diff: str, number: int, limit: int = _MOST_DIFF_LINES) -> Iterator[Text]:
    """Yield a unified diff in colours; what is beyond the limit is left to ``/show``."""
    lines = safe(diff).expandtabs(4).splitlines()
    for line in lines[:limit]:
        yield Text(f"{_INDENT}   {line}", style=_diff_style(line))
    if len(lines) > limit:
        more = len(lines) - limit
        yield Text(f"{_INDENT}   … {more} more lines: /show {number}", style="dim")


def _diff_style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    if line.startswith("@@"):
        return "cyan"
    return {"+": "green", "-": "red"}.get(line[:1], "")


def running_line(call: Running, now: float, frame: int) -> Text:
    """Return a call that runs, with how far it has come."""
    line = Text(_INDENT)
    line.append(f"{_SPINNER[frame % len(_SPINNER)]} ", style="cyan")
    line.append(f"{call.icon or '•'} ")
    line.append(safe(call.name), style="bold")
    line.append(f" {call.what}".rstrip())
    line.append(f"  {took(_tenths(now - call.since))}", style="dim")
    if call.progress:
        line.append(f"  {one_line(call.progress, 120)}", style="dim italic")
    return line


def _tenths(seconds: float) -> float:
    return max(round(seconds, 1), 0.1)


def child_line(child: Child, now: float, frame: int) -> Text:
    """Return what a child does, or how it ended."""
    line = Text(f"{_INDENT}   ")
    if child.ending:
        mark, style = _ENDINGS.get(child.ending, ("✗", "red"))
        line.append(f"{mark} ", style=style)
    else:
        line.append(f"{_SPINNER[frame % len(_SPINNER)]} ", style="cyan")
    line.append(one_line(child.goal, 50))
    seconds = child.seconds if child.ending else _tenths(now - child.since)
    counted = f"{child.calls} call{'' if child.calls == 1 else 's'}"
    line.append(f"  {counted} · {took(seconds)}", style="dim")
    if child.now:
        line.append(f"  {one_line(child.now, 120)}", style="red" if child.ending else "dim italic")
    return line


def thinking_line(text: str, seconds: float, frame: int) -> Text:
    """Return that the model works, and the end of what it thinks."""
    line = Text(f"{_INDENT}{_SPINNER[frame % len(_SPINNER)]} ", style="cyan")
    line.append(f"thinking {took(_tenths(seconds))}", style="dim")
    last = text.rstrip().rpartition("\n")[2]
    if last:
        line.append(f"  {one_line(last[-160:], 160)}", style="dim italic")
    return line


def whole_call(call: Call) -> Iterator[Text]:
    """Yield everything about a call: its arguments and its answer."""
    head = Text(f"{call.icon or '•'} ")
    head.append(one_line(call.name, 60), style="bold")
    head.append(f"  {call.facts}  #{call.number}", style="dim")
    yield head
    for name, value in arguments_of(call.args).items():
        yield from _named(name or "arguments", value)
    yield Text("error" if call.is_error else "answer", style="red" if call.is_error else "green")
    value = parsed(call.result)
    if not isinstance(value, dict):
        yield from _block(_as_text(value))
        return
    for name, part in value.items():
        if name == "diff" and isinstance(part, str):
            yield Text(f"{_INDENT}diff", style="cyan")
            yield from diff_lines(part, call.number, _MOST_LINES)
        else:
            yield from _named(name, part)


def _named(name: str, value: Json) -> Iterator[Text]:
    text = _as_text(value)
    line = Text(_INDENT)
    line.append(one_line(name, 40), style="cyan")
    if "\n" not in text and len(text) <= 200:
        line.append(f"  {safe(text)}")
        yield line
        return
    yield line
    yield from _block(text)


def _block(text: str) -> Iterator[Text]:
    lines = safe(text).expandtabs(4).splitlines()
    for line in lines[:_MOST_LINES]:
        yield Text(f"{_INDENT}{_INDENT}{line}")
    if len(lines) > _MOST_LINES:
        yield Text(f"{_INDENT}{_INDENT}… {len(lines) - _MOST_LINES} more lines", style="dim")


def _as_text(value: Json) -> str:
    if isinstance(value, str):
        return value
    flat = json.dumps(value, ensure_ascii=False, default=str)
    return (
        flat if len(flat) <= 120 else json.dumps(value, ensure_ascii=False, indent=2, default=str)
    )


def plainly(lines: Iterable[Text]) -> list[str]:
    """Return drawn lines without their colours."""
    return [line.plain.rstrip() for line in lines]
