"""Show a person why a call gets its verdict: the dangerous part, the rules, and what to do."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hermes.base.optional import load
from hermes.cli import output
from hermes.policy.subjects import subjects_of

if TYPE_CHECKING:
    from hermes.app.checking import Checked
    from hermes.policy.verdict import Finding

Span = tuple[int, int]
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_LINE = 100
_BEFORE = 20
_WORDS = {"allow": "allowed", "ask": "asked about first", "deny": "denied"}
_STYLES = {"allow": "green", "ask": "yellow", "deny": "red"}


def show(checked: Checked) -> None:
    """Print the whole explanation."""
    output.print_lines(_lines(checked))


def levels(checked: Checked) -> list[dict[str, str]]:
    """Return what every level of the rules says of a call."""
    if checked.profile.refusal or checked.verdict.rule.startswith("floor:"):
        return []
    return [
        {
            "level": level.level,
            "profile": level.name,
            "verdict": verdict.decision,
            "rule": verdict.rule or "allow",
            "reason": verdict.reason,
        }
        for level, verdict in checked.profile.words(checked.deed)
    ]


def _lines(checked: Checked) -> Iterator[str]:
    verdict, profile = checked.verdict, checked.profile
    word = styled(_WORDS[verdict.decision], _STYLES[verdict.decision])
    yield f"{word} under the profile {visible(profile.name)}"
    if verdict.reason:
        yield f"  {visible(verdict.reason)}"
    texts = _texts(checked)
    for finding in verdict.findings:
        yield ""
        yield from _marked(finding, texts)
        severity = " (under every profile)" if finding.severity == "floor" else ""
        yield f"  {finding.category}: {visible(finding.what)}{severity}"
    yield ""
    yield f"rule: {visible(verdict.rule or 'allow')}"
    for each in levels(checked):
        yield f"  {each['level']:<8} {each['profile']:<20} {each['verdict']:<6} {each['rule']}"
    if checked.note:
        yield f"note: {visible(checked.note)}"
    yield from _advice(checked)


def _texts(checked: Checked) -> list[str]:
    arguments: Mapping[str, Any] = checked.deed.arguments
    return [subject.text for subject in subjects_of(arguments, None)]


def _marked(finding: Finding, texts: list[str]) -> Iterator[str]:
    """Yield the part of a command that does it, marked, in as much of its line as there is room."""
    start, end = finding.span
    text = next((each for each in texts if 0 <= start < end <= len(each)), None)
    if text is None:
        return
    first = text.rfind("\n", 0, start) + 1
    first = max(first, start - _BEFORE) if end - first > _LINE else first
    last = text.find("\n", start)
    last = min(len(text) if last < 0 else last, first + _LINE)
    end = max(min(end, last), start)
    before, part, after = visible(text[first:start]), visible(text[start:end]), text[end:last]
    if output.is_terminal():
        yield f"  {before}{styled(part, 'bold underline red')}{visible(after)}"
    else:
        yield f"  {before}{part}{visible(after)}"
        yield f"  {' ' * _width(before)}{'^' * max(1, _width(part))}"


def _advice(checked: Checked) -> Iterator[str]:
    rule = checked.verdict.rule
    if checked.verdict.decision == "allow":
        return
    if rule.startswith("floor:"):
        yield "No profile and no answer allows this; do it yourself if you mean it."
    elif checked.profile.refusal:
        yield "Mend the permissions file; until then every call is denied."
    elif rule.startswith("urls:"):
        yield "To open addresses of your own network: hermes config set urls.allow_private true"
    elif checked.verdict.decision == "ask":
        yield "A person can say yes when the call comes; a profile without that rule never asks."
    else:
        yield "To allow it, change that rule in hermes_permissions.yaml, or use another --profile."


def visible(text: str) -> str:
    """Return a text with everything that could hide or move others written as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(char) for char in text)


def _escaped(char: str) -> str:
    if char == "\n":
        return "\\n"
    if char == "\t":
        return "\\t"
    if unicodedata.category(char) not in _HIDDEN:
        return char
    code = ord(char)
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def _width(text: str) -> int:
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


def styled(text: str, style: str) -> str:
    """Return a text in colour where a person reads it on a terminal that shows any."""
    if not output.is_terminal():
        return text
    shown: str = load("hermes.cli.pretty").styled(text, style)
    return shown
