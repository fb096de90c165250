"""What ``hermes`` says when it is asked nothing."""

from __future__ import annotations

from collections.abc import Iterator

import hermes
from hermes.app import Runtime
from hermes.base.optional import load
from hermes.base.text import plural
from hermes.cli import output
from hermes.cli.invoked import program
from hermes.cli.layout import pairs, wrapped

_FIRST = (
    ("chat", "talk with an agent that has them"),
    ("tool list", "what there is"),
    ("tool call system_info", "a first call"),
    ("tool search wait", "find one by what it does"),
)


def show() -> int:
    """Print what hermes is, what it can do here, and what to try first."""
    with Runtime() as runtime:
        statuses = runtime.status()
        broken = len({where for where, _ in runtime.problems() if "/" in where})
        home = str(runtime.settings.home)
    ready = sum(status.available for status in statuses)
    title, count = f"hermes {hermes.__version__}", f"{plural(ready, 'tool')} ready"
    state = [count + _waiting(len(statuses) - ready), *_broken(broken)]
    lines = list(_lines(title, state, home))
    if output.is_terminal():
        commands = [f"{program()} {words}" for words, _ in _FIRST]
        styles = dict.fromkeys([*commands, _doctor(), f"{program()} --help"], "cyan")
        styles |= {title: "bold", count: "green", "cannot be used": "red"}
        load("hermes.cli.pretty").print_styled(lines, styles)
    else:
        output.print_lines(lines)
    return 0


def _lines(title: str, state: list[str], home: str) -> Iterator[str]:
    width = output.reading_width()
    about = "Tools declared once, offered to any model, and called through one safe pipeline."
    yield from wrapped(f"{title} — hands for language models\n{about}", width)
    yield ""
    yield from wrapped("\n".join(state), width)
    yield from ("", "Try first:")
    first = [(f"{program()} {words}", about) for words, about in _FIRST]
    yield from pairs(first, width, left=max(len(command) for command, _ in first))
    yield ""
    yield from wrapped(f"State lives in {home} (HERMES_HOME).\nHelp: {program()} --help", width)


def _waiting(count: int) -> str:
    return f", {count} unavailable ({_doctor()} says why)" if count else ""


def _broken(count: int) -> list[str]:
    return [f"{plural(count, 'tool file')} cannot be used: {_doctor()}"] if count else []


def _doctor() -> str:
    return f"{program()} tool doctor"
