"""Read a docstring of any style: Google's with all its variants, NumPy's and Sphinx's."""

from __future__ import annotations

import re

_PARAMETERS = frozenset(
    (
        "args",
        "arguments",
        "params",
        "parameters",
        "keyword args",
        "keyword arguments",
        "other parameters",
        "attributes",
    )
)
_RETURNS = frozenset(("returns", "return", "yields", "yield"))
_DROPPED = frozenset(
    ("raises", "raise", "except", "exceptions", "warns", "see also", "references", "todo")
)
_KEPT = frozenset(
    ("note", "notes", "example", "examples", "warning", "warnings", "important", "tip", "usage")
)
_TITLES = _PARAMETERS | _RETURNS | _DROPPED | _KEPT
_LONGEST = max(map(len, _TITLES)) + 2
_FIELD_PARAMETERS = frozenset(
    ("param", "parameter", "arg", "argument", "key", "keyword", "var", "ivar", "cvar")
)
_FIELD_RETURNS = frozenset(("return", "returns", "yield", "yields"))
_FIELDS = _FIELD_PARAMETERS | _FIELD_RETURNS
_FIELDS |= {"type", "vartype", "rtype", "raise", "raises", "except", "exception"}
_FIELD = re.compile(r"\s*[:@](\w+)([^:]*):\s*(.*)")
_ENTRY = re.compile(r"(?:[-+•] )?([\w`*, ]+?) ?(?:\(.*?\))? ?(?::(?!:)| --? | \u2013 ) ?(.*)")
_RETURN_TYPE = re.compile(r"^[\w.]+(?:\[[^:]*\])?:\s+")


def read(doc: str) -> tuple[str, str, dict[str, str], str]:
    """Return the first paragraph, all free text, the words per parameter and those on the return.

    Any text is accepted.
    """
    lines = _dedent(doc)
    prose: list[str] = []
    found: dict[str, str] = {}
    returns: list[str] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        if section := _section_at(lines, index):
            title, start, end = section
            _take(title, lines[start:end], found, returns, prose)
            index = end
        elif field := _field_at(line):
            index = _take_field(field, lines, index, found, returns)
        else:
            prose.append(line)
            index += 1
    paragraphs = _paragraphs(prose)
    summary = paragraphs[0] if paragraphs else ""
    return summary, "\n\n".join(paragraphs), found, " ".join(returns)


def _dedent(doc: str) -> list[str]:
    lines = doc.expandtabs().splitlines()
    margin = min([len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()], default=0)
    return [lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _section_at(lines: list[str], index: int) -> tuple[str, int, int] | None:
    """Return (title, first line, line after the last) of the section that starts here."""
    text = lines[index].lstrip()
    if len(text) > _LONGEST or not text:
        return None
    title = text.rstrip(": ").lower()
    if title not in _TITLES:
        return None
    if index + 1 < len(lines) and _is_underline(lines[index + 1]):
        return title, index + 2, _numpy_end(lines, index + 2)
    if text[-1] != ":":
        return None
    end = _google_end(lines, index + 1, _indent(lines[index]), title in _PARAMETERS)
    return (title, index + 1, end) if end > index + 1 else None


def _is_underline(line: str) -> bool:
    text = line.strip()
    return len(text) >= 3 and text in ("-" * len(text), "=" * len(text))


def _field_at(line: str) -> re.Match[str] | None:
    if line.lstrip()[:1] not in (":", "@"):
        return None
    field = _FIELD.match(line)
    return field if field and field[1] in _FIELDS else None


def _is_title(line: str) -> bool:
    return line.endswith(":") and line.strip(": ").lower() in _TITLES


def _numpy_end(lines: list[str], start: int) -> int:
    for index in range(start, len(lines) - 1):
        if lines[index].strip() and _is_underline(lines[index + 1]):
            return index
    return len(lines)


def _google_end(lines: list[str], start: int, margin: int, has_entries: bool) -> int:
    """Return the line after an indented block; entries that nobody indented end at a blank line."""
    first = next((index for index in range(start, len(lines)) if lines[index]), len(lines))
    if first == len(lines):
        return first if has_entries else start
    flush = _indent(lines[first]) <= margin
    if flush and not (has_entries and first == start and _ENTRY.match(lines[first].lstrip())):
        return start
    for index in range(first, len(lines)):
        line = lines[index]
        if flush and (not line or _is_title(line)):
            return index
        if not flush and line and _indent(line) <= margin:
            return index
    return len(lines)


def _take(
    title: str, block: list[str], found: dict[str, str], returns: list[str], prose: list[str]
) -> None:
    """Put a section where it belongs: parameters, return, free text or nowhere."""
    if title in _PARAMETERS:
        _take_entries(block, found)
    elif title in _RETURNS:
        returns.append(_RETURN_TYPE.sub("", _joined(block), count=1))
    elif title in _KEPT:
        prose += ["", f"{title.capitalize()}:", *block, ""]
    else:
        prose.append("")


def _take_entries(block: list[str], found: dict[str, str]) -> None:
    """Read ``name (type): text`` (Google) or ``name : type`` over indented text (NumPy)."""
    filled = [line for line in block if line]
    margin = min(map(_indent, filled), default=0)
    names: list[str] = []
    texts: list[str] = []
    for position, line in enumerate(filled):
        entry = None
        if _indent(line) == margin:
            following = filled[position + 1] if position + 1 < len(filled) else ""
            entry = _entry(" ".join(line.split()), has_body=_indent(following) > margin)
        if entry is None:
            texts.append(line)
            continue
        _store(names, texts, found)
        names, texts = entry
    _store(names, texts, found)


def _entry(line: str, *, has_body: bool) -> tuple[list[str], list[str]] | None:
    """Return the names and the first words of an entry, or None for a line that is none."""
    head, colon, _ = line.partition(":")
    if has_body and (not colon or head.endswith(" ")):
        text = []
    elif found := _ENTRY.fullmatch(line):
        head, text = found[1], [found[2]]
    else:
        return None
    names = [name.strip(" `*") for name in head.split(",")]
    return (names, text) if all(name.isidentifier() for name in names) else None


def _store(names: list[str], texts: list[str], found: dict[str, str]) -> None:
    text = _joined(texts)
    for name in names:
        if text:
            found.setdefault(name, text)


def _take_field(
    field: re.Match[str], lines: list[str], index: int, found: dict[str, str], returns: list[str]
) -> int:
    """Read one ``:param type name: text`` with the lines that go on from it; return the next."""
    end = index + 1
    while end < len(lines) and _goes_on(lines, end):
        end += 1
    text = _joined([field[3], *lines[index + 1 : end]])
    words = field[2].split()
    if field[1] in _FIELD_PARAMETERS:
        _store([word.strip("*`") for word in words[-1:]], [text], found)
    elif field[1] in _FIELD_RETURNS and text:
        returns.append(text)
    return end


def _goes_on(lines: list[str], index: int) -> bool:
    line = lines[index]
    if line:
        return not _field_at(line) and _section_at(lines, index) is None
    return index + 1 < len(lines) and lines[index + 1].startswith(" ")


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _paragraphs(lines: list[str]) -> list[str]:
    """Return the paragraphs, each on one line but for lists, examples and code."""
    paragraphs: list[str] = []
    current: list[str] = []
    for line in [*lines, ""]:
        if line:
            current.append(line)
        elif current:
            paragraphs.append(_paragraph(current))
            current = []
    return paragraphs


def _paragraph(lines: list[str]) -> str:
    if lines[0].startswith((" ", ">>>", "```")):
        margin = min(map(_indent, lines))
        return "\n".join(line[margin:] for line in lines)
    text = ""
    is_code = False
    for line in lines:
        stripped = " ".join(line.split())
        is_code = is_code or stripped.startswith((">>>", "```"))
        if not text:
            text = stripped
        elif is_code or _is_bullet(stripped):
            text += "\n" + stripped
        else:
            text += " " + stripped
    return text


def _is_bullet(line: str) -> bool:
    mark, _, rest = line.partition(" ")
    return bool(rest) and (
        mark in ("-", "*", "+", "•") or (mark[-1] in ".)" and mark[:-1].isdigit())
    )
