"""Cut code of script languages into words, texts and signs, so that no text is taken for code."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from hermes.policy.shell.effects import UNKNOWN

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_ESCAPE = re.compile(
    r"\\(x[0-9a-fA-F]{1,2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|[0-7]{1,3}|.)", re.DOTALL
)
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "a": "\a", "\n": ""}
_MOST_TOKENS = 150_000


class Token(NamedTuple):
    """One piece of code; ``holes`` are the expressions inside a text."""

    kind: Literal["word", "number", "text", "shell", "sign"]
    text: str
    holes: tuple[str, ...] = ()


class Syntax(NamedTuple):
    """How a language writes comments, texts, words and expressions inside texts."""

    pattern: re.Pattern[str]
    hole: re.Pattern[str] | None = None
    quotes: re.Pattern[str] | None = None
    """Quotes with any delimiter, such as ``q(…)`` and ``%x{…}``; group ``quote`` names the kind."""
    has_slash_patterns: bool = False


def syntax(
    *,
    comments: str,
    raw: str,
    texts: str,
    word: str = r"[A-Za-z_]\w*[?!]?",
    hole: str = "",
    quotes: str = "",
    has_slash_patterns: bool = False,
) -> Syntax:
    """Return the syntax of a language from the pieces that differ."""
    # A group that matches nothing keeps the shape of the pattern the same for every language.
    pattern = (
        rf"(?P<space>[ \t\r\f\v]+|\\\n|{comments})|(?P<line>\n)|(?P<raw>{raw})|(?P<text>{texts})"
        rf"|(?P<shell>`(?:[^`\\]|\\.)*(?:`|\Z))|(?P<word>{word}|{UNKNOWN}+)"
        r"|(?P<number>\d[\w.]*)|(?P<sign>===|!==|==|!=|=>|=~|\?\.|->|::|\.\.\.?|\|&|\|\||&&|>>|<=|>=|.)"
    )
    return Syntax(
        re.compile(pattern, re.DOTALL),
        re.compile(hole) if hole else None,
        re.compile(quotes) if quotes else None,
        has_slash_patterns,
    )


def scan(code: str, how: Syntax) -> list[Token]:
    """Return the pieces of code; at most a bounded number of them."""
    tokens: list[Token] = []
    at, end = 0, len(code)
    while at < end and len(tokens) < _MOST_TOKENS:
        if how.quotes is not None:
            quoted = how.quotes.match(code, at)
            if quoted is not None and not _is_member(tokens):
                at = _quote(code, quoted, tokens, how)
                continue
        if how.has_slash_patterns and code[at] == "/" and code[at : at + 2] not in {"//", "/*"}:
            after = _slash_end(code, at, tokens)
            if after:
                tokens.append(Token("text", UNKNOWN))
                at = after
                continue
        found = how.pattern.match(code, at)
        if found is None:
            break
        at = found.end()
        _add(tokens, found, how)
    return tokens


def _is_member(tokens: list[Token]) -> bool:
    return bool(tokens) and tokens[-1].text in {"->", ".", "::", "$", "@", "%", "{"}


def _add(tokens: list[Token], found: re.Match[str], how: Syntax) -> None:
    text = found[0]
    match found.lastgroup:
        case "line":
            tokens.append(Token("sign", "\n"))
        case "raw":
            tokens.append(Token("text", re.sub(r"\\(['\\])", r"\1", _inside(text))))
        case "text":
            tokens.append(interpolated(_inside(text), how))
        case "shell":
            inner = interpolated(_inside(text), how)
            tokens.append(Token("shell", inner.text, inner.holes))
        case "word" | "number" | "sign":
            tokens.append(Token(found.lastgroup, text))
        case _:
            pass


def _inside(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[-1] == text[0] else text[1:]


def interpolated(text: str, how: Syntax, kind: Literal["text", "shell"] = "text") -> Token:
    """Return a text token with its expressions cut out and its escapes resolved."""
    holes: list[str] = []
    if how.hole is not None:

        def keep(found: re.Match[str]) -> str:
            holes.append(next((group for group in found.groups() if group is not None), found[0]))
            return UNKNOWN

        text = how.hole.sub(keep, text.replace(UNKNOWN, ""))
    return Token(kind, unescaped(text), tuple(holes))


def unescaped(text: str) -> str:
    """Return a text with its backslash escapes resolved."""
    return _ESCAPE.sub(_resolve, text) if "\\" in text else text


def _resolve(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xu" and len(code) > 1:
        number = int(code.strip("xu{}") or "0", 16)
        return chr(number) if number < 0x110000 else UNKNOWN
    if code.isdigit():
        return chr(int(code, 8)) if set(code) <= set("01234567") else code
    return _PLAIN_ESCAPES.get(code, code)


def _slash_end(code: str, at: int, tokens: list[Token]) -> int:
    """Return where a pattern between slashes ends, 0 when the slash divides."""
    before = next((token for token in reversed(tokens[-3:]) if token.text != "\n"), None)
    if (
        before is not None
        and before.kind != "sign"
        and before.text not in {"return", "and", "or", "if", "not", "unless", "split", "grep"}
    ):
        return 0
    if before is not None and before.text in {")", "]"}:
        return 0
    found = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*").match(code, at)
    return found.end() if found else 0


def _quote(code: str, quoted: re.Match[str], tokens: list[Token], how: Syntax) -> int:
    """Read a quote with its own delimiters, and return where it ends."""
    kind = quoted["quote"]
    body, at = delimited(code, quoted.end() - 1)
    if kind in {"s", "tr", "y"}:
        if code[quoted.end() - 1] in _CLOSING:
            while at < len(code) and code[at].isspace():
                at += 1
            second, at = delimited(code, at) if at < len(code) else ("", at)
        else:
            second, at = delimited(code, at - 1)
        flags = re.compile(r"[a-z]*").match(code, at)
        at = flags.end() if flags else at
        holes = (second,) if kind == "s" and flags and "e" in flags[0] else ()
        tokens.append(Token("text", UNKNOWN, holes))
    elif kind in {"m", "qr", "r"}:
        tokens.append(Token("text", UNKNOWN))
        flags = re.compile(r"[a-z]*").match(code, at)
        at = flags.end() if flags else at
    elif kind in {"qx", "x"}:
        tokens.append(interpolated(body, how, "shell"))
    elif kind in {"qw", "w", "W", "i"}:
        _words(body, tokens)
    elif kind in {"q"}:
        tokens.append(Token("text", body))
    else:
        tokens.append(interpolated(body, how))
    return at


def _words(body: str, tokens: list[Token]) -> None:
    tokens.append(Token("sign", "["))
    for word in body.split():
        tokens += [Token("text", word), Token("sign", ",")]
    tokens.append(Token("sign", "]"))


def delimited(code: str, start: int) -> tuple[str, int]:
    """Return what stands between a delimiter and its partner, and where it ends."""
    opening = code[start]
    closing = _CLOSING.get(opening, opening)
    depth, at, end = 0, start + 1, len(code)
    while at < end:
        sign = code[at]
        if sign == "\\":
            at += 1
        elif sign == closing and depth == 0:
            return code[start + 1 : at], at + 1
        elif sign == opening and closing != opening:
            depth += 1
        elif sign == closing:
            depth -= 1
        at += 1
    return code[start + 1 :], end
