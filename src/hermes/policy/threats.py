"""Words that would turn a model against the person it works for, in text that it will read later.

What is stored and read again (notes, skills, the prompts of jobs) speaks to a model in every later
session, so it must not carry hidden text, pose as a message, or give orders over the person's head.
"""

from __future__ import annotations

import base64
import binascii
import functools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple


class Threat(NamedTuple):
    """One suspicious thing about a text."""

    kind: str
    what: str
    """In words for a person or a model: ``it …``."""
    excerpt: str


_EXCERPT = 60
_MOST_DECODED = 20
_TAGS = range(0xE0000, 0xE0080)
_FLAG = "\U0001f3f4"
_ALWAYS_HIDDEN = frozenset(
    "\u200b\u2060\u2061\u2062\u2063\u2064\ufeff\u180e\u115f\u1160\u3164\uffa0"
)
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAKS = str.maketrans("", "", "\n\t\r")
_JOINERS = frozenset("\u200c\u200d")
_LOOKALIKES = str.maketrans(
    "аеорсухіѕјԁһӏɡαεορτυχικνАВЕКМНОРСТУХІЅЈΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxisjdhlgaeoptuxikvabekmhopctyxisjabezhikmnoptyx",
)
_RULES = "(?:instructions?|rules?|prompts?|guidelines?|directives?|orders|constraints?|policies)"
_SECRETS = (
    r"(?:api[ _-]?keys?|credentials?|secrets?|passwords?|(?:access |auth )?tokens?|ssh keys?|"
    r"private keys?|\.env\b|id_rsa|environment variables?|system prompt|conversations?|"
    r"chat history|cookies)"
)
_PERSON = "(?:users?|persons?|humans?|operators?|owners?|people|anyone|anybody)"
_DROP = r"\b(?:ignore|disregard|forget|override|overrule|discard|bypass|neglect)\b"
_NOT = r"\bdo(?: not|n'?t)\b"
_ALL = r"\b(?:previous|prior|above|earlier|preceding|former|your|system|safety|all)\b"
_KINDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "role",
        "it poses as a message of the system or of a model",
        (
            r"</?\s*(?:system|assistant|tool_call|tool_response|tool_result|function_calls?|"
            r"function_results?)(?:\s[^<>\n]{0,80})?>",
            r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>",
            r"(?:^|\n)#{2,6} ?(?:system|instruction|assistant)s?:",
        ),
    ),
    (
        "override",
        "it tells the reader to drop the instructions it has",
        (
            rf"{_DROP}[^.\n]{{0,40}}{_ALL}[^.\n]{{0,20}}\b{_RULES}\b",
            rf"{_NOT}[^.\n]{{0,12}}\b(?:follow|obey|adhere to)\b[^.\n]{{0,20}}{_ALL}"
            rf"[^.\n]{{0,20}}\b{_RULES}\b",
            rf"{_DROP} (?:everything|all)\b[^.\n]{{0,20}}\b(?:above|before|told|said|so far)\b",
            r"\b(?:new|updated|real|actual) (?:system )?(?:instructions|prompt|directives?)\s*:",
            r"\byou are (?:now|no longer)\b[^.\n]{0,30}\b(?:dan\b|jailbroken|unrestricted|"
            r"unfiltered|uncensored|developer mode|bound by|restricted)",
            r"\bignorier\w*\b[^.\n]{0,40}\b(?:anweisung|regel|vorgabe)",
            r"\bignor[ae]\w*\b[^.\n]{0,30}\binstruc\w+ (?:anterior|previa|precedent)",
            r"\bignor\w*\b[^.\n]{0,30}\b(?:instructions|consignes) pr[eé]c[eé]dentes",
            r"игнориру\w*[^.\n]{0,40}(?:инструкци|правил)",
            r"(?:忽略|无视|無視)[^。\n]{0,12}(?:指令|指示|说明|規則|规则|命令)",
        ),
    ),
    (
        "conceal",
        "it wants something kept from the person",
        (
            rf"(?:{_NOT}|\bnever\b)[^.\n]{{0,16}}\b(?:tell|inform|notify|alert|warn|reveal)\b"
            rf"[^.\n]{{0,30}}\bthe {_PERSON}\b",
            rf"\bwithout (?:telling|informing|notifying|alerting|asking) the {_PERSON}\b",
            rf"\b(?:hide|conceal|keep)\b[^.\n]{{0,30}}\bfrom the {_PERSON}\b",
        ),
    ),
    (
        "exfiltrate",
        "it would have secrets sent away",
        (
            r"\b(?:send|post|upload|forward|transmit|leak|e-?mail|copy|report|submit|append|"
            rf"include|embed)\b[^.\n]{{0,60}}{_SECRETS}[^\n]{{0,60}}(?:https?://|\bto\b[^\n]{{0,20}}"
            r"(?:@|webhook|server|endpoint|url|address|gist|pastebin))",
            r"\bexfiltrat\w+",
            r"\b(?:curl|wget|nc|fetch)\b[^\n]{0,200}(?:\$\{?\w*(?:key|token|secret|passw)|id_rsa|"
            r"\.env\b|\.ssh/|/etc/(?:passwd|shadow))",
            r"\b(?:reveal|print|repeat|output|disclose) (?:\w+ ){0,2}(?:your|the) system prompt\b",
        ),
    ),
    (
        "authority",
        "it would have safeguards skipped",
        (
            r"\b(?:skip|bypass|disable|turn off|circumvent|evade)\b[^.\n]{0,24}\b(?:approvals?|"
            r"confirmations?|permissions?|permission checks?|safety|safeguards?|"
            r"sandbox(?:es|ing)?|guard ?rails?|security checks?)\b",
            r"\b(?:auto-?approve|always approve|approve all)\b",
        ),
    ),
)


def threats_in(text: str) -> tuple[Threat, ...]:
    """Return what is suspicious about a text, each kind once; nothing for a harmless one."""
    found = {threat.kind: threat for threat in _said(text)}
    hidden = _hidden(text)
    if hidden is not None:
        found["hidden"] = hidden
    for plain in _decoded(text):
        for threat in _said(plain):
            what = f"{threat.what}, in base64"
            found.setdefault(threat.kind, threat._replace(what=what))
    return tuple(found.values())


def visible(text: str) -> str:
    """Return a text without the characters that a reader cannot see and no script needs there."""
    if _is_plain(text):
        return text
    kept: list[str] = []
    in_flag = False
    for char in text:
        in_flag = char == _FLAG or (in_flag and ord(char) in _TAGS)
        if not _is_hidden(char, kept[-1] if kept else "", in_flag=in_flag):
            kept.append(char)
    return "".join(kept)


def _said(text: str) -> Iterator[Threat]:
    folded = _folded(text)
    for kind, what, pattern in _compiled():
        hit = pattern.search(folded)
        if hit is not None:
            excerpt = " ".join(hit[0].split())
            yield Threat(kind, what, excerpt[:_EXCERPT])


@functools.cache
def _compiled() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((kind, what, re.compile("|".join(patterns))) for kind, what, patterns in _KINDS)


def _folded(text: str) -> str:
    """Return a text as a reader takes it: one case, no unseen characters, no lookalikes."""
    if text.isascii():
        return re.sub(r"[^\S\n]+", " ", text.lower())
    plain = unicodedata.normalize("NFKC", text).lower()
    seen = "".join(char for char in plain if char in "\n\t" or unicodedata.category(char) != "Cf")
    mixed = re.sub(r"\w+", _in_latin, seen)
    return re.sub(r"[^\S\n]+", " ", mixed.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def _in_latin(word: re.Match[str]) -> str:
    """Return a word with Latin letters in it without the letters that only look like those."""
    return word[0].translate(_LOOKALIKES) if re.search("[a-z]", word[0]) else word[0]


def _hidden(text: str) -> Threat | None:
    """Return the first character that a reader cannot see and that no script needs there."""
    if _is_plain(text):
        return None
    before = ""
    in_flag = False
    for char in text:
        code = ord(char)
        in_flag = char == _FLAG or (in_flag and code in _TAGS)
        if _is_hidden(char, before, in_flag=in_flag):
            return Threat("hidden", f"it holds the unseen character U+{code:04X}", f"U+{code:04X}")
        before = char
    return None


def _is_plain(text: str) -> bool:
    """Say at once of most texts that there is nothing unseen in them."""
    return text.isascii() and text.translate(_BREAKS).isprintable()


def _is_hidden(char: str, before: str, *, in_flag: bool) -> bool:
    code = ord(char)
    if char in _ALWAYS_HIDDEN or char in _TURNING or char == "\x7f":
        return True
    if code < 0x20:
        return char not in "\n\t\r"
    if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000:
        return True
    if char in _JOINERS or 0xE0100 <= code <= 0xE01EF:
        return not before or before.isascii()  # other scripts and emoji need them
    return code in _TAGS and not in_flag


def _decoded(text: str) -> Iterator[str]:
    """Yield the texts that stand in base64 in a text."""
    for number, hit in enumerate(re.finditer(r"[A-Za-z0-9+/]{24,4000}={0,2}", text)):
        if number == _MOST_DECODED:
            return
        code = hit[0].rstrip("=")
        try:
            plain = base64.b64decode(code + "=" * (-len(code) % 4)).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        yield plain
