"""Read docstrings: words for the model, words per parameter.

The usual form, free text and then ``Args:``, is read here, in one pass and without patterns;
any other text is left to ``docstring_styles``.
"""

from __future__ import annotations

from hermes.base.optional import load


class _Unusual(Exception):
    """Say that a docstring has another form."""


class Docstring:
    """The parts of a docstring: its first paragraph, all free text, parameters, the return."""

    __slots__ = ("description", "parameters", "returns", "summary")

    def __init__(
        self, summary: str, description: str, parameters: dict[str, str], returns: str
    ) -> None:
        self.summary = summary
        self.description = description
        self.parameters = parameters
        self.returns = returns

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Docstring) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )


def parse(doc: str | None) -> Docstring:
    """Return the parts of a docstring in Google, NumPy or Sphinx style; any text is accepted."""
    if not doc or doc.isspace():
        return Docstring("", "", {}, "")
    try:
        return _usual(doc)
    except _Unusual:
        return Docstring(*load("hermes.schema.docstring_styles").read(doc))


def _usual(doc: str) -> Docstring:
    """Return the parts of free text with sections after it."""
    if "---" in doc or "===" in doc or "\t" in doc:  # the lines under NumPy's titles; tabs
        raise _Unusual
    lines = doc.splitlines()
    paragraphs, margin, end = _free_text(lines)
    parameters: dict[str, str] = {}
    if end < len(lines) and lines[end].strip() == "Args:":
        parameters, end = _entries(lines, margin, end + 1)
    returns = _returns(lines[end:], margin) if end < len(lines) else ""
    summary = paragraphs[0] if paragraphs else ""
    return Docstring(summary, "\n\n".join(paragraphs), parameters, returns)


def _free_text(lines: list[str]) -> tuple[list[str], int, int]:
    """Return the paragraphs before the first title, their margin, and where the title stands."""
    paragraphs: list[str] = []
    current: list[str] = []
    margin = -1
    for number, line in enumerate(lines):
        text = line.strip()
        if not text:
            paragraphs.append(" ".join(current))
            current = []
            continue
        if number and (indent := line.index(text)) != margin:
            if margin >= 0:
                raise _Unusual
            margin = indent
        if text[-1] == ":" and number:
            break
        if text[-1] == ":" or not text[0].isalpha():  # a title, field, bullet or code
            raise _Unusual
        current.append(text)
    else:
        number = len(lines)
    paragraphs.append(" ".join(current))
    return [_single_spaced(text) for text in paragraphs if text], margin, number


def _single_spaced(text: str) -> str:
    return " ".join(text.split()) if "  " in text else text


def _entries(lines: list[str], margin: int, start: int) -> tuple[dict[str, str], int]:
    """Return the words of ``name: words`` and ``name (type): words``, and where they end."""
    found: dict[str, str] = {}
    name = ""
    own_margin = -1
    for number in range(start, len(lines)):
        line = lines[number]
        text = line.strip()
        if not text:
            continue
        indent = line.index(text)
        if indent <= margin:
            break
        if own_margin < 0:
            own_margin = indent
        if indent > own_margin:
            found[name] = _single_spaced(f"{found[name]} {text}".lstrip())
            continue
        name, _, words = text.partition(":")
        if not name.isidentifier():
            name = _typed_name(name)
        if indent < own_margin or name in found or words[:1] == ":":
            raise _Unusual
        found[name] = _single_spaced(words.strip())
    else:
        number = len(lines)
    if not found or not all(found.values()):
        raise _Unusual
    return found, number


def _typed_name(head: str) -> str:
    """Return the name in ``name (type)``."""
    name, _, kind = head.partition(" (")
    if not name.isidentifier() or kind.count(")") != 1 or kind[-1] != ")":
        raise _Unusual
    return name


def _returns(lines: list[str], margin: int) -> str:
    """Return the words under ``Returns:``; what is raised is nothing for a model."""
    sections: dict[str, list[str]] = {}
    block: list[str] = []
    for line in lines:
        text = line.strip()
        if not text:
            continue
        indent = line.index(text)
        if indent > margin and sections:
            block.append(text)
        elif indent == margin and text in ("Returns:", "Raises:") and text not in sections:
            block = sections[text] = []
        else:
            raise _Unusual
    returns = " ".join(sections.get("Returns:", ()))
    if not all(sections.values()) or ":" in returns:  # perhaps a type before the words
        raise _Unusual
    return _single_spaced(returns)
