"""What is wrong with a tool's definition: unseen characters, orders to the model, stolen names.

A definition speaks to the model on every turn, so it is read as what it is: a stranger's words. The
whole of it is looked at, every text of its schemas too, since a parameter's description or a name
in an enumeration reaches the model just as well.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from hermes.base.text import head_and_tail
from hermes.mcp.definitions import Json, ToolDefinition
from hermes.policy.threats import threats_in, visible

Severity = Literal["danger", "warning", "note"]

LONGEST_TEXT = 8_000
"""Characters of one text that are kept; the rest is left out in its middle."""
DEEPEST = 60
"""How deep a schema may be nested; what lies deeper is left out."""
_NAME = re.compile(r"[A-Za-z0-9_.\-/:]{1,128}", re.ASCII)
_WARNINGS = frozenset({"authority"})
_EXCERPT = 60
_END = 16_000
_MOST_SCANNED = 2 * _END
_NO_CODE = re.compile(r"[^A-Za-z0-9+/]+")
_CODED = 24
"""Characters from which on a word may be base64."""
_MOST_CODED = 20
"""So many texts in base64 are looked into at once."""
_MARKED = re.compile(r"<\s*/?\s*(?:important|critical|secret|instructions?|hidden)\s*>", re.I)
_KEYS = r"(?:\.ssh/|id_rsa|id_ed25519|\.aws/credentials|\.netrc|/etc/shadow|mcp\.json)"
_PRYING = re.compile(
    rf"\b(?:read|cat|open|load|fetch)\b[^.\n]{{0,60}}{_KEYS}|"
    rf"{_KEYS}[^\n]{{0,120}}?\b(?:pass|send|include|provide)\b[^\n]{{0,20}}\bcontents?\b",
    re.I,
)
_COPYING = re.compile(
    r"\b(?:whole|entire|full|complete|all (?:of )?(?:the )?(?:previous)?)\s*(?:chat|conversation|"
    r"message|system prompt|context)[^.\n]{0,30}(?:history|so far|messages|here|prompt|verbatim)",
    re.I,
)
_RULING = (
    r"(?:instead of|rather than|in place of|before (?:using|calling|running|any)|"
    r"after (?:using|calling|running|any)|whenever|when(?:ever)? (?:using|calling)|"
    r"(?:do not|don't|never|stop) (?:use|using|call|calling)|replaces?|overrides?|supersedes?|"
    r"takes precedence over|must (?:first |always )?(?:use|call)|preferred? (?:over|to))"
)


class Finding(NamedTuple):
    """One suspicious thing in a definition; a danger keeps the tool off until a person says yes."""

    kind: str
    severity: Severity
    where: str
    """Which part of the definition: ``description``, ``inputSchema.properties.path``."""
    what: str
    excerpt: str = ""

    def sentence(self) -> str:
        """Return the finding as one line for a person."""
        shown = f": {self.excerpt!r}" if self.excerpt else ""
        return f"{self.where}: {self.what}{shown}"


def cleaned(definition: ToolDefinition) -> ToolDefinition:
    """Return a definition without unseen characters anywhere and without texts of any length."""
    output = definition.output_schema
    return definition._replace(
        title=_kept(definition.title),
        description=_kept(definition.description),
        input_schema=_clean(definition.input_schema),
        output_schema=None if output is None else _clean(output),
        annotations=_clean(definition.annotations),
    )


def findings(
    definition: ToolDefinition, builtin_names: Collection[str] = ()
) -> tuple[Finding, ...]:
    """Return what is suspicious about a definition, the worst first; nothing for a harmless one."""
    found: dict[tuple[str, str], Finding] = {}
    for finding in _said(list(texts_of(definition)), frozenset(builtin_names)):
        found.setdefault((finding.kind, finding.where), finding)
    if reason := bad_name(definition.name):
        found["name", "name"] = Finding("name", "danger", "name", reason)
    if definition.name.lower() in {name.lower() for name in builtin_names}:
        what = "has the name of a built-in tool, which keeps it; this one has its server's before"
        found["same name", "name"] = Finding("same name", "note", "name", what, definition.name)
    order = ("danger", "warning", "note")
    return tuple(sorted(found.values(), key=lambda finding: order.index(finding.severity)))


def bad_name(name: str) -> str:
    """Return why a tool of this name cannot be offered; nothing when it can."""
    if _NAME.fullmatch(name):
        return ""
    return "a tool's name has letters, digits and _ - . / : only, 128 of them at most"


def collisions(names: Collection[str]) -> Mapping[str, str]:
    """Return the names that an earlier one takes, each with that; case makes no difference."""
    taken: dict[str, str] = {}
    lost: dict[str, str] = {}
    for name in names:
        first = taken.setdefault(name.lower(), name)
        if first != name:
            lost[name] = first
    return lost


def texts_of(definition: ToolDefinition) -> Iterator[tuple[str, str]]:
    """Yield every text of a definition that a model may come to read, with its place."""
    yield "name", definition.name
    yield "title", definition.title
    yield "description", definition.description
    yield from _texts("inputSchema", definition.input_schema, 0)
    yield from _texts("outputSchema", definition.output_schema, 0)
    yield from _texts("annotations", definition.annotations, 0)


def _texts(where: str, value: Json, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield where, value
    elif depth >= DEEPEST:
        return
    elif isinstance(value, Mapping):
        for key, item in value.items():
            place = f"{where}.{_excerpt(str(key))}"
            yield place, str(key)
            yield from _texts(place, item, depth + 1)
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from _texts(f"{where}[{number}]", item, depth + 1)


def _said(texts: list[tuple[str, str]], names: frozenset[str]) -> Iterator[Finding]:
    """Yield what is suspicious about texts; looked at together first, which is all most need."""
    parts = [(where, seen) for where, text in texts for seen in _looked_at(text)]
    whole = "\n".join(seen for _, seen in parts)
    is_sure = sum(len(word) >= _CODED for word in _NO_CODE.split(whole)) <= _MOST_CODED
    if is_sure and not any((*_threats("", whole), *_shadows("", whole, names))):
        return
    for where, seen in parts:
        yield from _threats(where, seen)
        yield from _shadows(where, seen, names)


def _looked_at(text: str) -> tuple[str, ...]:
    """Return what is scanned of a text: its ends as they came, and what a model would be shown."""
    ends = text if len(text) <= _MOST_SCANNED else f"{text[:_END]}\n{text[-_END:]}"
    shown = _kept(text)
    return (ends,) if shown == ends else (ends, shown)


def _threats(where: str, text: str) -> Iterator[Finding]:
    for threat in threats_in(text):
        severity: Severity = "warning" if threat.kind in _WARNINGS else "danger"
        if threat.kind == "hidden" and not _is_sly(text):
            severity = "warning"
        yield Finding(threat.kind, severity, where, threat.what, threat.excerpt)
    for kind, pattern, what in (
        ("marked", _MARKED, "it is marked as if it were an order of the system"),
        ("prying", _PRYING, "it would have files with secrets read"),
        ("copying", _COPYING, "it wants the conversation handed over"),
    ):
        if hit := pattern.search(text):
            yield Finding(kind, "danger", where, what, _excerpt(hit[0]))


def _shadows(where: str, text: str, builtin_names: frozenset[str]) -> Iterator[Finding]:
    """Yield where a text rules how another tool is to be used."""
    pattern = _shadowing(builtin_names) if builtin_names and where != "name" else None
    if pattern is not None and (hit := pattern.search(text)):
        what = "it says how a tool that is not the server's is to be used"
        yield Finding("shadowing", "danger", where, what, _excerpt(hit[0]))


@functools.lru_cache(maxsize=16)
def _shadowing(names: frozenset[str]) -> re.Pattern[str] | None:
    """Return what finds orders about other tools; a common word counts only when it is marked."""
    plain = [re.escape(name) for name in sorted(names) if "_" in name]
    words = [re.escape(name) for name in sorted(names) if "_" not in name]
    named = [rf"\b(?:{'|'.join(plain)})\b"] if plain else []
    if words:
        any_word = "|".join(words)
        named.append(rf"[`'\"](?:{any_word})[`'\"]|\b(?:{any_word}) tool\b")
    return re.compile(rf"{_RULING}\b[^.\n]{{0,60}}?(?:{'|'.join(named)})", re.I) if named else None


def _is_sly(text: str) -> bool:
    """Say whether unseen characters carry a message or turn the text around."""
    return any(
        0xE0000 <= ord(char) < 0xE0080 or char in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068"
        for char in text
        if not char.isascii()
    )


def _clean(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return _kept(value)
    if depth >= DEEPEST and isinstance(value, (Mapping, list, tuple)):
        return {}
    if isinstance(value, Mapping):
        return {visible(str(key)): _clean(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item, depth + 1) for item in value]
    return value


def _kept(text: str) -> str:
    return head_and_tail(visible(text), LONGEST_TEXT)


def _excerpt(text: str) -> str:
    return " ".join(visible(text).split())[:_EXCERPT]
