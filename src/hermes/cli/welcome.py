"""What ``hermes`` says when it is asked nothing."""

from __future__ import annotations

import hermes
from hermes.app import Runtime
from hermes.base.optional import load
from hermes.base.text import plural
from hermes.cli import output


def show() -> int:
    """Print what hermes is, what it can do here, and what to try first."""
    with Runtime() as runtime:
        statuses = runtime.status()
        home = runtime.settings.home
    ready = sum(status.available for status in statuses)
    waiting = len(statuses) - ready
    lines = [
        f"[bold]hermes {hermes.__version__}[/] — hands for language models",
        "Tools declared once, offered to any model, and called through one safe pipeline.",
        "",
        f"[green]{plural(ready, 'tool')} ready[/]"
        + (f", {waiting} unavailable ([cyan]hermes tool doctor[/] says why)" if waiting else ""),
        "",
        "[dim]Try first:[/]",
        "  [cyan]hermes tool list[/]                what there is",
        "  [cyan]hermes tool call system_info[/]    a first call",
        "  [cyan]hermes tool search wait[/]         find a tool by what it does",
        "",
        f"[dim]State lives in[/] {home} [dim](HERMES_HOME). Help:[/] [cyan]hermes --help[/]",
    ]
    if output.is_terminal():
        load("hermes.cli.pretty").print_marked(lines)
    else:
        output.print_lines(_unmarked(line) for line in lines)
    return 0


def _unmarked(line: str) -> str:
    for mark in ("[bold]", "[green]", "[cyan]", "[dim]", "[/]"):
        line = line.replace(mark, "")
    return line
