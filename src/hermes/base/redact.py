"""Take secrets out of text and JSON before anyone else reads them.

Two sources of knowledge: the exact values of secrets the runtime holds, and the shapes of
well-known credentials. One prefilter search decides the common case; it must hit wherever a rule
below could match, so a new rule needs its pivot in `_PIVOTS`.
"""

from __future__ import annotations

import base64
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from hermes.base.messages import Json

_MIN_KNOWN = 6
_MIN_ENCODED = 8
_WINDOW = 4

_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET_WORDS = frozenset(
    ["KEY", "KEYS", "TOKEN", "SECRET", "SECRETS", "PWD", "PASSWORD", "PASSWORDS", "PASSWD"],
)
_SECRET_WORDS |= {
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "AUTH",
    "AUTHORIZATION",
    "BEARER",
}
_SECRET_ENDINGS = ("PASSWORD", "PASSWD", "SECRET", "TOKEN", "APIKEY")
_PLACE_WORDS = frozenset(["FILE", "PATH", "DIR", "SOCK", "SOCKET", "HOME"])
_OPEN_WORDS = frozenset(["PUBLIC", "COUNT", "PAGE", "NEXT", "MAX", "LIMIT"])
_NEVER_SECRET = frozenset(["PWD", "OLDPWD", "GPG_KEY", "KEY"])


def is_secret_name(name: str) -> bool:
    """Say whether a variable or field of this name holds a secret, judged by its whole words."""
    if name.upper() in _NEVER_SECRET:
        return False
    words = [word.upper() for word in _NAME_WORD.findall(name)]
    if not words or words[-1] in _PLACE_WORDS or not _OPEN_WORDS.isdisjoint(words):
        return False
    return any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDINGS) for word in words)


class _Rule(NamedTuple):
    """Name a kind of credential; `gates` are literals of which one is in every match."""

    kind: str
    gates: tuple[str, ...]
    pattern: re.Pattern[str]
    accept: Callable[[str], bool]


_PLACEHOLDER = re.compile(r"([xX*.0#_-])\1{5}|(?i:your[_-]|placeholder|redacted|insert[_-])")


def _random(body: str) -> bool:
    """Tell a generated value from a placeholder or from words joined by dashes."""
    if _PLACEHOLDER.search(body):
        return False
    lower = any(char.islower() for char in body)
    upper = any(char.isupper() for char in body)
    return (lower and upper) or any(char.isdigit() for char in body)


def _always(_body: str) -> bool:
    return True


def _token(kind: str, pattern: str, *gates: str) -> _Rule:
    return _Rule(kind, gates, re.compile(rf"(?<![A-Za-z0-9])(?:{pattern})"), _random)


_RULES = (
    _Rule(
        "private key",
        ("PRIVATE KEY",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[A-Za-z0-9+/=\s:,.]|-(?!----)|\\+[nr]){40,}+"
            r"(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
        _always,
    ),
    _token("anthropic key", r"sk-ant-[A-Za-z0-9_-]{16,300}", "sk-ant-"),
    _token("openai key", r"sk-[A-Za-z0-9_-]{20,300}", "sk-"),
    _token("google key", r"AIza[A-Za-z0-9_-]{35}", "AIza"),
    _token(
        "google token",
        r"ya29\.[A-Za-z0-9_-]{20,300}|GOCSPX-[A-Za-z0-9_-]{20,60}",
        "ya29.",
        "GOCSPX-",
    ),
    _token("aws key", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9+/=])", "AKIA", "ASIA"),
    _token(
        "github token",
        r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255}",
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    ),
    _token("gitlab token", r"gl[a-z]{1,5}t-[A-Za-z0-9_-]{20,100}", "t-"),
    _token("slack token", r"(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,250}", "xox", "xapp-"),
    _token(
        "stripe key",
        r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,250}",
        *("k_live_", "k_test_", "whsec_"),
    ),
    _token("hugging face token", r"hf_[A-Za-z0-9]{30,60}", "hf_"),
    _token("npm token", r"npm_[A-Za-z0-9]{36,60}", "npm_"),
    _token("pypi token", r"pypi-[A-Za-z0-9_-]{50,400}", "pypi-"),
    _Rule(
        "jwt",
        (".eyJ",),
        re.compile(
            r"(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{8,8000}+\.eyJ[A-Za-z0-9_-]{6,8000}+"
            r"(?:\.[A-Za-z0-9_-]{0,2000}+)?"
        ),
        _always,
    ),
)

_BEARER = re.compile(
    r"(?i:(?P<scheme>\b(?:bearer|authorization\W{1,6}(?:basic|token|bearer)))\s{1,4})"
    r"(?P<value>[A-Za-z0-9_.~+/=-]{8,4000}+)"
)
_URL_USER = re.compile(
    r"(?P<before>://[^\s/@:?#\"'<>\\]{0,100}:)(?P<value>[^\s/@?#\"'<>\\]{3,256})(?=@)"
)
_ASSIGNMENT = re.compile(
    r"(?i:(?P<word>pass(?:word|wd)|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|token|"
    r"(?:api|access|private|auth|account|encryption|signing|master)[_-]?key|credentials?))"
    r"(?P<sign>\\*[\"']?\s{0,4}(?:=>|:=|[=:])\s{0,4}|(?<=--.{5})\s|(?<=--.{6})\s|(?<=--.{7})\s"
    r"|(?<=--.{8})\s)"
    r"(?:(?P<quote>\\*[\"'])(?P<quoted>(?:[^\s\"'\\]|\\.){6,512}?)(?P=quote)"
    r"|(?P<bare>[^\s\"'\\,;&|<>(){}\[\]`]{6,512}+)(?![(\[{]))"
)
_CODE_VALUE = re.compile(r"[A-Za-z_][A-Za-z_]*(?:(?:\.|::|->)[A-Za-z_]+)*")
_STAND_IN = re.compile(r"[<$%{*\[]|\.\.\.|x{4}|X{4}|…")
_OPEN_PREFIX = re.compile(r"(?i:page|next|continuation|count|max|csrf|public|sync)[_-]?$")


def _looks_real(value: str, *, quoted: bool) -> bool:
    """Tell a secret's value from code, a placeholder or a plain word."""
    if _STAND_IN.search(value[:1]) or _STAND_IN.search(value) or _PLACEHOLDER.search(value):
        return False
    if value.upper() == value and "_" in value and value[0].isalpha():
        return False  # the name of a variable
    digit = any(char.isdigit() for char in value)
    letter = any(char.isalpha() for char in value)
    if digit and letter:
        return True
    if not quoted or _CODE_VALUE.fullmatch(value):
        return False
    return digit or not value.replace("-", "").replace(" ", "").isalpha()


# The rarest letter of each shape: every pivot met in clean text costs as much as twenty characters.
_PIVOTS = "-_@9ABJkKwWcCzZ"
_STATIC_CHECKS = (
    r"[eE][yYnN](?<=[kK]..)",  # key, token
    r"[rR][eE][tTdD](?<=[cC]...)",  # secret, credential
    r"[oO][rR][dD](?<=[sS][wW]...)",  # password
    r"[dD](?<=[sSpP][wW].)",  # passwd, pwd
    r"[aA][tT][iI][oO](?<=[zZ]....)",  # authorization
    r"earer|EGIN |[KS]IA|Iza",  # Bearer, a key block, AWS, Google
    r"\.[A-Za-z0-9_-](?<=29..)",  # Google's ya29.
    r"[A-Za-z0-9_-]{8}(?:(?<=[ktipX]-.{8})|(?<=[pousrtfmkc]_.{8})|(?<=ox[a-z]-.{8})|(?<=eyJ.{8}))",
    r"(?<=@)",
)


class _Known(NamedTuple):
    """Hold the known secrets with everything compiled from them; replaced as a whole."""

    forms: Mapping[str, str]
    exact: re.Pattern[str] | None
    suspect: Callable[[str], object]
    suspect_bytes: Callable[[bytes], object]


class Redactor:
    """Replace known secrets and well-known credentials by a word that says what was there."""

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self._lock = threading.Lock()
        forms: dict[str, str] = {}
        for name, value in (known or {}).items():
            forms.update(dict.fromkeys(_forms(value), name))
        self._learn(forms)

    def add(self, name: str, value: str) -> None:
        """Learn one more secret; calls in other threads see the old set or the new."""
        with self._lock:
            forms = dict(self._known.forms)
            forms.update(dict.fromkeys(_forms(value), name))
            self._learn(forms)

    def _learn(self, forms: Mapping[str, str]) -> None:
        self._known = known = _compile(forms)
        self.suspect: Callable[[bytes], object | None] = known.suspect_bytes
        """Search encoded JSON for anything like a secret; None means that there is none."""

    def text(self, text: str) -> str:
        """Return the text with every secret replaced."""
        known = self._known
        if known.suspect(text) is None:
            return text
        if known.exact is not None:
            text = known.exact.sub(lambda hit: f"[redacted {known.forms[hit[0]]}]", text)
        for rule in _RULES:
            if any(gate in text for gate in rule.gates):
                text = rule.pattern.sub(_replacer(rule), text)
        text = _BEARER.sub(_bearer, text)
        if "://" in text:
            text = _URL_USER.sub(_url_password, text)
        return _ASSIGNMENT.sub(_assignment, text)

    def value(self, value: Json) -> Json:
        """Return the JSON value with every secret replaced; the given value is not touched."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self._key(key): self._field(key, item) for key, item in value.items()}
            case list() | tuple():
                return [self.value(item) for item in value]
        return value

    def _key(self, key: object) -> object:
        return self.text(key) if isinstance(key, str) else key

    def _field(self, key: object, item: Json) -> Json:
        if not isinstance(item, str) or not isinstance(key, str) or not is_secret_name(key):
            return self.value(item)
        clean = self.text(item)
        if clean != item or len(item) < _MIN_KNOWN or not _looks_real(item, quoted=True):
            return clean
        return f"[redacted {key}]"


def _replacer(rule: _Rule) -> Callable[[re.Match[str]], str]:
    def replace(hit: re.Match[str]) -> str:
        return _word(rule.kind, hit[0]) if rule.accept(hit[0]) else hit[0]

    return replace


def _word(kind: str, secret: str) -> str:
    tail = secret[-4:]
    shown = f" …{tail}" if len(secret) >= 16 and tail.isalnum() else ""
    return f"[redacted {kind}{shown}]"


def _bearer(hit: re.Match[str]) -> str:
    if not _random(hit["value"]) or _STAND_IN.search(hit["value"]):
        return hit[0]
    return hit[0][: hit.start("value") - hit.start()] + _word("authorization", hit["value"])


def _url_password(hit: re.Match[str]) -> str:
    if _STAND_IN.search(hit["value"]) or hit["value"].lower() in {"password", "pass", "passwd"}:
        return hit[0]
    return f"{hit['before']}[redacted password]"


def _assignment(hit: re.Match[str]) -> str:
    quoted = hit["quoted"] is not None
    value = hit["quoted"] if quoted else hit["bare"]
    before = hit.string[max(0, hit.start() - 16) : hit.start()]
    if not _looks_real(value, quoted=quoted) or _OPEN_PREFIX.search(before):
        return hit[0]
    quote_mark = hit["quote"] or ""
    kind = hit["word"].lower().replace("_", " ").replace("-", " ")
    return f"{hit['word']}{hit['sign']}{quote_mark}[redacted {kind}]{quote_mark}"


def _forms(value: str) -> Iterable[str]:
    """Yield the ways a secret's value may be written."""
    if len(value) < _MIN_KNOWN:
        return
    yield value
    yield from (encode_basestring(value)[1:-1], encode_basestring_ascii(value)[1:-1])
    yield from (quote(value, safe=""), quote(value), quote_plus(value))
    raw = value.encode("utf-8", "replace")
    for shift in range(3):
        # Inside a longer text the secret starts at any of three offsets; only the characters that
        # depend on nothing but the secret are compared.
        first = -(-shift * 8 // 6)
        last = (shift + len(raw)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            form = encode(bytes(shift) + raw).decode()[first:last]
            if len(form) >= _MIN_ENCODED:
                yield form


def _compile(forms: Mapping[str, str]) -> _Known:
    longest_first = sorted(forms, key=len, reverse=True)
    exact = re.compile("|".join(map(re.escape, longest_first))) if forms else None
    # Latin-1 gives every byte of the encoded form a character of its own.
    as_bytes = [form.encode("utf-8", "replace").decode("latin-1") for form in forms]
    return _Known(
        forms,
        exact,
        re.compile(_prefilter(forms)).search,
        re.compile(_prefilter(as_bytes).encode("latin-1")).search,
    )


def _prefilter(forms: Iterable[str]) -> str:
    """Return the pattern that hits wherever a rule or a known form could."""
    pivots, checks = re.escape(_PIVOTS), list(_STATIC_CHECKS)
    windows = [_rarest(form) for form in forms]
    if windows:
        first, *others = (
            re.escape("".join({window[at] for window in windows})) for at in range(_WINDOW)
        )
        pivots += first
        checks.append("".join(f"[{chars}]" for chars in others) + f"(?<=[{first}]...)")
    return f"(?s)[{pivots}](?:{'|'.join(checks)})"


def _rarest(form: str) -> str:
    """Return the characters of a secret that ordinary text is least likely to hold in a row."""
    windows = [form[at : at + _WINDOW] for at in range(len(form) - _WINDOW + 1)]
    return max(windows, key=lambda window: (not window[0].islower(), sum(map(_rarity, window))))


def _rarity(char: str) -> int:
    if not char.isascii():
        return 0
    if char.isdigit() or char.isupper():
        return 3
    return 1 if char.islower() else 2
