"""Cut SQL into statements and words, leaving texts, names and comments whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

from hermes.policy.shell.effects import UNKNOWN

_TOKEN = re.compile(
    rf"""
    (?P<space>\s+|--[^\n]*|(?:(?<=\s)|^)\#[^\n]*)
    | (?P<hint>/\*[!+]\d*)
    | (?P<comment>/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))
    | (?P<text>[NnEeBbXx]?'(?:[^'\\]|''|\\.)*(?:'|\Z))
    | (?P<name>"(?:[^"]|"")*(?:"|\Z)|`[^`]*(?:`|\Z)|\[[A-Za-z_][\w ]*\])
    | (?P<body>\$(?P<tag>\w*)\$(?:.*?\$(?P=tag)\$|.*\Z))
    | (?P<meta>\\[^\n]*)
    | (?P<word>[\w{UNKNOWN}@$]+)
    | (?P<end>;|\bGO\b)
    | (?P<sign>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_LINE_COMMAND = re.compile(
    r"\s*(?P<command>\.[a-z]+\b[^\n]*|(?:system|source|tee|pager)[ \t][^\n;]*)", re.IGNORECASE
)
_MOST = 200_000


class Token(NamedTuple):
    """One word, name, text or sign of a statement."""

    kind: Literal["word", "name", "text", "body", "sign"]
    text: str

    @property
    def upper(self) -> str:
        """Return the token as keywords are written."""
        return self.text.upper()


class Statement(NamedTuple):
    """One statement, or one command of a client when it has no tokens."""

    tokens: list[Token]
    command: str = ""
    depth: int = 0

    @property
    def words(self) -> list[str]:
        """Return all tokens as keywords are written."""
        return [token.upper for token in self.tokens]

    def pairs(self) -> Iterator[tuple[Token, Token]]:
        """Return each token with the one after it."""
        return pairwise([*self.tokens, Token("sign", "")])


def statements(code: str, *, depth: int = 0) -> Iterator[Statement]:
    """Yield the statements and client commands of SQL in their order."""
    tokens: list[Token] = []
    at, end = 0, len(code)
    is_line_start = True
    for _ in range(_MOST):
        if at >= end:
            break
        command = _LINE_COMMAND.match(code, at) if is_line_start and not tokens else None
        if command:
            yield Statement([], command["command"].strip(), depth)
            at = command.end()
            continue
        found = _TOKEN.match(code, at)
        if found is None:
            break
        at = found.end()
        is_line_start = "\n" in found[0] or found.lastgroup == "end"
        if found.lastgroup == "meta":
            yield Statement([], found[0].strip(), depth)
        elif found.lastgroup == "end":
            yield Statement(tokens, depth=depth)
            tokens = []
        else:
            _add(tokens, found)
    yield Statement(tokens, depth=depth)


def _add(tokens: list[Token], found: re.Match[str]) -> None:
    text = found[0]
    match found.lastgroup:
        case "text":
            tokens.append(
                Token("text", text.lstrip("NnEeBbXx")[1:].removesuffix("'").replace("''", "'"))
            )
        case "name":
            tokens.append(Token("name", text[1:-1]))
        case "body" | "tag":
            mark = text[: text.index("$", 1) + 1]
            tokens.append(Token("body", text[len(mark) :].removesuffix(mark)))
        case "word":
            tokens.append(Token("word", text))
        case "sign":
            tokens.append(Token("sign", text))
        case _:
            pass
