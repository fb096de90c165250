"""Know the shapes of well-known credentials in text, and replace them in one linear pass each.

Every pattern begins with a letter or a literal that is rare in ordinary text, and looks back from
there: Python's `re` skips to such a beginning ten times faster than it tries a pattern everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import NamedTuple


class Rule(NamedTuple):
    """Name a kind of credential; `gate` is a literal that is in every match."""

    kind: str
    gate: str
    pattern: re.Pattern[str]
    accept: Callable[[str], bool]


def _cased(word: str) -> str:
    """Return a pattern for a word in any case; unlike ``(?i:`` it may begin a fast search."""
    return "".join(f"[{char}{char.upper()}]" for char in word)


def _around(pivot: str, word: str) -> str:
    """Return a pattern for a word whose pivot letter was just matched."""
    before, _, after = word.partition(pivot)
    return f"{_cased(after)}(?<={_cased(before + pivot)}{'.' * len(after)})"


_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_CODE_VALUE = re.compile(r"[A-Za-z_][A-Za-z_]*(?:(?:\.|::|->)[A-Za-z_]+)*")
_FILLERS = (
    *(f"[{char}]{{5}}(?<=[{char}]{{6}})" for char in "xX*.0#_-"),
    f"{_around('y', 'your')}[_-]",
    _around("p", "placeholder"),
    _around("r", "redacted"),
    f"{_around('i', 'insert')}[_-]",
)
_GAPS = (r"(?<=[<$%{*\[…])", r"\.\.(?<=\.{3})", "xxx(?<=x{4})", "XXX(?<=X{4})")
_PLACEHOLDER = re.compile(rf"[xX*.0#_yYpPrRiI-](?:{'|'.join(_FILLERS)})")
_STAND_IN = re.compile(rf"[xX*.0#_yYpPrRiI<$%{{\[…-](?:{'|'.join((*_FILLERS, *_GAPS))})")
_KEY_WORDS = "api access private auth account encryption signing master"
_OPEN_TOKENS = tuple(
    f"{word}{join}to"
    for word in ("page", "next", "continuation", "count", "max", "csrf", "public", "sync")
    for join in ("", "_", "-")
)
_LONGEST_NAME = 16


def _random(body: str) -> bool:
    """Tell a generated value from a placeholder or from words joined by dashes."""
    if _PLACEHOLDER.search(body):
        return False
    has_both_cases = body.lower() != body != body.upper()
    return has_both_cases or _DIGIT.search(body) is not None


def _always(_body: str) -> bool:
    return True


def _token(kind: str, begin: str, rest: str) -> Rule:
    first = re.escape(begin)
    return Rule(kind, begin, re.compile(rf"{first}(?<![A-Za-z0-9]{first}){rest}"), _random)


RULES = (
    Rule(
        "private key",
        "PRIVATE KEY",
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[A-Za-z0-9+/=\s:,.]|-(?!----)|\\+[nr]){40,}+"
            r"(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
        _always,
    ),
    _token("anthropic key", "sk-ant-", r"[A-Za-z0-9_-]{16,300}"),
    _token("openai key", "sk-", r"[A-Za-z0-9_-]{20,300}"),
    _token("google key", "AIza", r"[A-Za-z0-9_-]{35}"),
    _token("google token", "ya29.", r"[A-Za-z0-9_-]{20,300}"),
    _token("google token", "GOCSPX-", r"[A-Za-z0-9_-]{20,60}"),
    _token("aws key", "AKIA", r"[A-Z0-9]{16}(?![A-Za-z0-9+/=])"),
    _token("aws key", "ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9+/=])"),
    _token("github token", "gh", r"[pousr]_[A-Za-z0-9]{30,255}"),
    _token("github token", "github_pat_", r"[A-Za-z0-9_]{22,255}"),
    _token("gitlab token", "gl", r"[a-z]{1,5}t-[A-Za-z0-9_-]{20,100}"),
    _token("slack token", "xox", r"[a-z]-[A-Za-z0-9-]{10,250}"),
    _token("slack token", "xapp-", r"[A-Za-z0-9-]{10,250}"),
    _token("stripe key", "sk_", r"(?:live|test)_[A-Za-z0-9]{16,250}"),
    _token("stripe key", "rk_", r"(?:live|test)_[A-Za-z0-9]{16,250}"),
    _token("stripe key", "whsec_", r"[A-Za-z0-9]{16,250}"),
    _token("hugging face token", "hf_", r"[A-Za-z0-9]{30,60}"),
    _token("npm token", "npm_", r"[A-Za-z0-9]{36,60}"),
    _token("pypi token", "pypi-", r"[A-Za-z0-9_-]{50,400}"),
    Rule(
        "jwt",
        ".eyJ",
        re.compile(
            r"eyJ(?<![A-Za-z0-9_.-]eyJ)[A-Za-z0-9_-]{8,8000}+\.eyJ[A-Za-z0-9_-]{6,8000}+"
            r"(?:\.[A-Za-z0-9_-]{0,2000}+)?"
        ),
        _always,
    ),
)


def _keys() -> str:
    words = [f"{_cased(word)}{join}" for word in _KEY_WORDS.split() for join in ("", "[_-]")]
    return f"{_cased('ey')}(?:{'|'.join(f'(?<={word}...)' for word in words)})"


_VALUE = r"(?P<value>[A-Za-z0-9_.~+/=-]{8,4000}+)"
_BEARER = re.compile(rf"[bB](?<!\w[bB]){_cased('earer')}\s{{1,4}}{_VALUE}")
_HEADER = re.compile(
    rf"[zZ]{_around('z', 'authorization')}\W{{1,6}}(?i:basic|token|bearer)\s{{1,4}}{_VALUE}"
)
_URL_USER = re.compile(
    r"(?P<before>://[^\s/@:?#\"'<>\\]{0,100}:)(?P<value>[^\s/@?#\"'<>\\]{3,256})(?=@)"
)
_NAMES = (
    _around("w", "password"),
    _around("w", "passwd"),
    _around("w", "pwd"),
    rf"{_around('c', 'secret')}(?:[_-]?(?:(?i:access)[_-]?)?(?i:key))?",
    rf"{_around('c', 'credential')}[sS]?",
    _around("k", "token"),
    _keys(),
)
_ASSIGNMENT = re.compile(
    rf"[wWkKcC](?:{'|'.join(_NAMES)})"
    r"(?:\\*[\"']?\s{0,4}(?:=>|:=|[=:])\s{0,4}"
    r"|(?<=--.{5})\s|(?<=--.{6})\s|(?<=--.{7})\s|(?<=--.{8})\s)"
    r"(?:(?P<quote>\\*[\"'])(?P<quoted>(?:[^\s\"'\\]|\\.){6,512}?)(?P=quote)"
    r"|(?P<bare>[^\s\"'\\,;&|<>(){}\[\]`]{6,512}+)(?![(\[{]))"
)
_SHELL_FOLDER = re.compile(r"(?:^|[\s;'\"(])(?:OLD)?PWD=[\"']?/[^=]*$")
_WORDS = ("passw", "pwd", "secret", "credential", "token", "key")
_KINDS = {"re": "secret", "en": "token", "ey": "key"}


def replace_all(text: str) -> str:
    """Return the text with everything replaced that has the shape of a credential."""
    for rule in RULES:
        if rule.gate in text:
            text = rule.pattern.sub(_replacer(rule), text)
    lower = text.lower()
    if "bearer" in lower:
        text = _BEARER.sub(_header, text)
    if "authorization" in lower:
        text = _HEADER.sub(_header, text)
    if "://" in text:
        text = _URL_USER.sub(_url_password, text)
    if any(word in lower for word in _WORDS):
        text = _ASSIGNMENT.sub(_assignment, text)
    return text


def kind_of_credential(text: str, but: Collection[str] = ()) -> str | None:
    """Return what kind of well-known credential a text holds, but for some that do not count."""
    for rule in RULES:
        if rule.gate not in text or rule.kind in but:
            continue
        if any(rule.accept(hit[0]) for hit in rule.pattern.finditer(text)):
            return rule.kind
    return None


def looks_real(value: str, *, quoted: bool) -> bool:
    """Tell a secret's value from code, a placeholder or a plain word."""
    if _STAND_IN.search(value):
        return False
    if value.isalnum():
        return not value.isalpha() and (quoted or not value.isdigit())
    if "_" in value and value[0].isalpha() and value.upper() == value:
        return False  # the name of a variable
    digit, letter = _DIGIT.search(value), _LETTER.search(value)
    if digit and letter:
        return True
    if not quoted or _CODE_VALUE.fullmatch(value):
        return False
    return bool(digit) or not value.replace("-", "").replace(" ", "").isalpha()


def _replacer(rule: Rule) -> Callable[[re.Match[str]], str]:
    def replace(hit: re.Match[str]) -> str:
        return _word(rule.kind, hit[0]) if rule.accept(hit[0]) else hit[0]

    return replace


def _word(kind: str, secret: str) -> str:
    tail = secret[-4:]
    shown = f" …{tail}" if len(secret) >= 16 and tail.isalnum() else ""
    return f"[redacted {kind}{shown}]"


def _header(hit: re.Match[str]) -> str:
    value = hit["value"]
    if not _random(value) or _STAND_IN.search(value):
        return hit[0]
    return hit[0][: -len(value)] + _word("authorization", value)


def _url_password(hit: re.Match[str]) -> str:
    value = hit["value"]
    if _STAND_IN.search(value) or value.lower() in {"password", "pass", "passwd"}:
        return hit[0]
    return f"{hit['before']}[redacted password]"


def _assignment(hit: re.Match[str]) -> str:
    mark, quoted, bare = hit.groups()
    whole, value = hit[0], bare or quoted
    if not looks_real(value, quoted=bare is None) or _is_folder(hit, value):
        return whole
    kind = _KINDS.get(whole[1:3].lower(), "password")
    if kind == "token" and _is_open(hit):
        return whole
    if bare is not None:
        return f"{whole[: -len(bare)]}[redacted {kind}]"
    return f"{whole[: -len(quoted) - len(mark)]}[redacted {kind}]{mark}"


def _is_folder(hit: re.Match[str], value: str) -> bool:
    """Tell the folder of a shell, as it prints its variables, from a password."""
    named = hit.string[max(0, hit.start() - _LONGEST_NAME) : hit.end()]
    return value.startswith("/") and _SHELL_FOLDER.search(named) is not None


def _is_open(hit: re.Match[str]) -> bool:
    """Tell the token of a next page from a secret one."""
    start = hit.start()
    return hit.string[max(0, start - _LONGEST_NAME) : start].lower().endswith(_OPEN_TOKENS)
