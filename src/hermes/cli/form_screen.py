"""How the form of an MCP server looks: its words behind a bar, so that they cannot pose as ours."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from hermes.base.text import escaped, head_and_tail
from hermes.cli.asking_screen import Look
from hermes.mcp.people import Field, Form

_BAR = "  | "
_BOLD, _RED, _DIM = "\033[1m", "\033[1;31m", "\033[2m"
_LONGEST = 2_000


def head(form: Form, look: Look) -> list[str]:
    """Return what stands above the fields: who asks, in whose words, and how to say no."""
    title = f"The MCP server {form.server} asks you:"
    hint = "Do not give it secrets. Enter leaves a field as it is; Ctrl-C declines."
    return [
        "",
        look.style(title, _BOLD),
        *_quoted(form.message, look),
        *(look.style(f"  {escaped(problem)}", _RED) for problem in form.problems),
        look.style(f"  {hint}", _DIM),
    ]


def question(field: Field, look: Look) -> list[str]:
    """Return the lines that ask for one field; the answer is typed behind the last."""
    title = " ".join(escaped(field.title).split())
    lines = ["", *_quoted(title, look), *(_quoted(field.about, look) if field.about else ())]
    for number, (_, words) in enumerate(field.choices, 1):
        lines += _quoted(f"{number}  {words}", look)
    return [*lines, f"  {_expected(field)}:"]


def last_word(form: Form) -> str:
    """Return the last question: whether all this may be sent."""
    return f"\n  Send this to {form.server}? y or n:"


def _expected(field: Field) -> str:
    words = {
        "boolean": "yes or no",
        "integer": "a whole number",
        "number": "a number",
        "one": "one of them",
        "many": "some of them, with commas",
    }.get(field.kind, "text")
    need = " (needed)" if field.is_required and field.default is None else ""
    default = f" [{_shown(field.default)}]" if field.default is not None else ""
    return f"{words}{need}{default}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return escaped(head_and_tail(" ".join(text.split()), 80))


def _quoted(text: str, look: Look) -> Iterator[str]:
    """Yield a server's words, each line behind a bar."""
    for line in escaped(head_and_tail(text, _LONGEST)).splitlines():
        for part in textwrap.wrap(line, max(look.width - len(_BAR) - 1, 20)) or [""]:
            yield f"{_BAR}{part}"
