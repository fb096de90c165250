"""The screen that asks: what will change, where data goes, what is lost, why, and the raw call."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from hermes.base.text import escaped
from hermes.policy.subjects import subjects_of
from hermes.policy.verdict import Finding
from hermes.runtime.approvals import ApprovalRequest, SecretRequest

_LOST = frozenset({"delete", "disk", "history-rewrite", "database", "exfiltration", "publish"})
_DEEDS = {
    "file:write": "writes",
    "file:delete": "deletes",
    "network:send": "sends to",
    "network:fetch": "talks to",
}
_MOST_ROWS = 40
_MOST_CHARACTERS = 8_000
_MOST_TARGETS = 30
_INDENT = "  "
_BAR = "  | "
_LABEL = 9
_RED, _BOLD, _DIM, _PLAIN = "\033[1;31m", "\033[1m", "\033[2m", "\033[0m"

Span = tuple[int, int]


class Screen(NamedTuple):
    """What a person is shown, and whether that is all there is."""

    lines: list[str]
    is_whole: bool


class Look(NamedTuple):
    """How wide the screen is, and whether it has colours."""

    width: int = 80
    has_colour: bool = False

    def style(self, text: str, code: str) -> str:
        """Return a text in a style, where there are any."""
        return f"{code}{text}{_PLAIN}" if self.has_colour and text else text


def draw(request: ApprovalRequest, look: Look) -> Screen:
    """Return the screen for a question."""
    raw, is_whole = _raw(request, look)
    deeds, are_all = _deeds(request)
    lines = [
        "",
        look.style(_cut(f"hermes asks: may {_flat(request.tool)} do this?", look), _BOLD),
        *_dangers(request, look),
        *(line for label, text in deeds for line in _fact(label, text, look)),
        *_about(request, look),
        "",
        *raw,
        "",
    ]
    return Screen(lines, is_whole and are_all)


def _flat(text: str) -> str:
    """Return a text on one line, with everything spelt out that cannot be seen."""
    return escaped(text).replace("\n", " ")


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return a span without the space at its ends."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _cut(text: str, look: Look) -> str:
    return next(iter(_wrapped(text, look.width, "")), "")


def _dangers(request: ApprovalRequest, look: Look) -> Iterator[str]:
    findings = request.findings or (Finding("", request.reason),)
    for finding in dict.fromkeys(findings):
        note = f" ({finding.category})" if finding.category else ""
        if finding.category in _LOST:
            note = f" ({finding.category}: cannot be undone)"
        text = f"{_flat(finding.what)}{note}"
        for row in _wrapped(text, look.width - len(_INDENT), "  "):
            yield _INDENT + look.style(row, _RED)


def _deeds(request: ApprovalRequest) -> tuple[list[tuple[str, str]], bool]:
    """Return what is done to which path or host, and whether all of it could be listed."""
    found: dict[tuple[str, str], None] = {}
    for need in request.deed.needs:
        if need.kind in ("path", "host", "url") and need.subject:
            label = _DEEDS.get(need.permission)
            if label is None and need.kind == "url":
                label = "talks to"
            if label is not None:
                found[label, _flat(need.subject.replace("\ufffc", "…"))] = None
    listed = list(found)
    shown = listed[:_MOST_TARGETS]
    if len(listed) > len(shown):
        shown.append(("", f"… and {len(listed) - len(shown)} more"))
    return shown, len(listed) <= _MOST_TARGETS


def _about(request: ApprovalRequest, look: Look) -> Iterator[str]:
    told = {request.reason} if not request.findings else {one.what for one in request.findings}
    why = "" if request.reason in told else request.reason
    if request.rule:
        why = f"{why} (rule {request.rule})" if why else f"rule {request.rule}"
    needed = f" ({', '.join(request.permissions)})" if request.permissions else ""
    facts = [
        ("why", why),
        ("tool", f"{request.tool}{needed}, for task {request.task_id}"),
        ("in", request.cwd),
        ("for", request.user_task or ""),
    ]
    for label, text in facts:
        if text:
            yield from _fact(label, _flat(text), look)


def _fact(label: str, text: str, look: Look) -> Iterator[str]:
    room = max(look.width - len(_INDENT) - _LABEL, 12)
    for row in _wrapped(text, room, ""):
        yield f"{_INDENT}{look.style(f'{label:<{_LABEL}}', _DIM)}{row}"
        label = ""


def _raw(request: ApprovalRequest, look: Look) -> tuple[list[str], bool]:
    """Return the call as the model made it, its dangerous part marked."""
    subjects = subjects_of(request.arguments, request.declared)
    marked = [one for one in subjects if one.kind == "command" or one.kind.startswith("code")]
    lines: list[str] = []
    is_whole = True
    for name, value in request.arguments.items():
        text = value if isinstance(value, str) else _json(value)
        if len(marked) == 1 and marked[0].name == name and marked[0].text == text:
            spans = [_trimmed(text, *finding.span) for finding in request.findings]
            rows = list(_rows(text[:_MOST_CHARACTERS], spans, look))
            lines.append(_INDENT + look.style(_cut(_flat(str(name)), look), _DIM))
        else:
            rows = list(_rows(f"{name}: {text}"[:_MOST_CHARACTERS], (), look))
        is_whole = is_whole and len(text) <= _MOST_CHARACTERS and len(rows) <= _MOST_ROWS
        lines += [line for row in _shortened(rows) for line in row]
    return lines, is_whole


def _shortened(rows: list[list[str]]) -> list[list[str]]:
    if len(rows) <= _MOST_ROWS:
        return rows
    left_out = f"{_INDENT}… {len(rows) - _MOST_ROWS} lines are not shown …"
    return [*rows[: _MOST_ROWS - 10], [left_out], *rows[-10:]]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)


def _rows(text: str, spans: Iterable[Span], look: Look) -> Iterator[list[str]]:
    """Yield a raw text row by row, each with a line of marks where there is no colour."""
    room = max(look.width - len(_BAR), 8)
    at = [start for start, _ in spans], [end for _, end in spans]
    cells: list[tuple[str, bool]] = []
    used = 0
    for index, char in enumerate(text):
        is_marked = any(start <= index < end for start, end in zip(at[0], at[1], strict=True))
        piece = escaped(char)
        size = sum(map(_size, piece))
        if char == "\n" or used + size > room:
            yield _row(cells, look)
            cells, used = [], 0
        if char != "\n":
            cells.append((piece, is_marked))
            used += size
    yield _row(cells, look)


def _row(cells: list[tuple[str, bool]], look: Look) -> list[str]:
    if look.has_colour:
        text = "".join(f"{_RED}{piece}{_PLAIN}" if marked else piece for piece, marked in cells)
        return [_BAR + text.replace(f"{_PLAIN}{_RED}", "")]
    lines = [_BAR + "".join(piece for piece, _ in cells)]
    if any(marked for _, marked in cells):
        marks = "".join(
            ("^" if marked else " ") * sum(map(_size, piece)) for piece, marked in cells
        )
        lines.append(f"{' ' * len(_BAR)}{marks}".rstrip())
    return lines


def _size(char: str) -> int:
    """Return how many columns a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _wrapped(text: str, width: int, indent: str) -> Iterator[str]:
    """Yield a text in rows of at most a width; a word that is longer is broken."""
    row, used = "", 0
    for word in text.split(" "):
        size = sum(map(_size, word))
        if used and used + 1 + size > width:
            yield row
            row, used = indent, len(indent)
        elif used:
            row, used = f"{row} ", used + 1
        for char in word:
            if used + _size(char) > width:
                yield row
                row, used = indent, len(indent)
            row, used = row + char, used + _size(char)
    yield row


def secret_question(request: SecretRequest, look: Look) -> list[str]:
    """Return the lines that ask for a secret; it is typed behind the last one."""
    asks = look.style(_cut(f"hermes asks for {_flat(request.what)}", look), _BOLD)
    facts = [("command", request.command), ("task", request.task_id)]
    return [
        asks,
        *(line for label, text in facts for line in _fact(label, _flat(text), look)),
        f"{_INDENT}It is not shown, nor told to the model. No answer in {request.seconds:g} s "
        "means no.",
        f"{_INDENT}Password:",
    ]


def choices(request: ApprovalRequest, look: Look, *, is_whole: bool) -> list[str]:
    """Return the lines that say what may be answered."""
    why_not = request.withheld or ("" if is_whole else "not all of it fits on the screen")
    offered = [
        ("o", "once"),
        ("s", "for the rest of this task, for exactly this"),
        ("a", "always: writes a rule into config.yaml"),
        ("d", "deny; words behind it are told to the model, as in: d use the test data"),
    ]
    lines: list[str] = []
    for key, text in offered:
        if key == "a" and why_not:
            key, text = "-", f"no 'always': {why_not}"
        mark = f"[{key}] "
        rows = list(_wrapped(_flat(text), max(look.width - len(_INDENT) - 4, 12), ""))
        lines.append(f"{_INDENT}{look.style(mark, _BOLD)}{rows[0]}")
        lines += [f"{_INDENT}    {row}" for row in rows[1:]]
    lines.append(f"{_INDENT}No answer in {request.seconds:g} s means no.")
    return lines
