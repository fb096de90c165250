"""Take secrets out of text and JSON before anyone else reads them.

Two sources of knowledge: the exact values of secrets the runtime holds, and the shapes of
well-known credentials. One prefilter search decides the common case; it must hit wherever a rule
of `credentials.py` could match, so a new rule needs its pivot in `_PIVOTS`.
"""

from __future__ import annotations

import base64
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus, unquote

from hermes.base.messages import Json
from hermes.base.optional import load
from hermes.base.secret_names import is_secret_name, masked, secret_part

__all__ = ["Redactor", "is_secret_name"]

_MIN_KNOWN = 6
_MIN_ENCODED = 8
_WINDOW = 4
_SHORT_TEXT = 64
_MOST_CLEAN = 10_000
_LONG_TEXT = 50_000

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
    # One look back for all the rest, since it costs more than a look at the next letter.
    r"(?<=[-_J@])(?:(?<=@)|(?:(?<=(?:sk|[a-z]t|pi|pp|PX)-)|(?<=ox[a-z]-)|(?<=eyJ)"  # sk-, glpat-, …
    r"|(?<=(?:h[fpousr]|pm|at|ve|st|ec)_))[A-Za-z0-9_-]{8})",  # hf_, ghp_, …, sk_live_, whsec_
)


class _Known(NamedTuple):
    """Hold the known secrets with everything made from them; replaced as a whole."""

    forms: Mapping[str, str]
    suspect: Callable[[str], object]
    suspect_bytes: Callable[[bytes], object]
    clean: set[str]


class Redactor:
    """Replace known secrets and well-known credentials by a word that says what was there."""

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self._lock = threading.Lock()
        forms: dict[str, str] = {}
        for name, value in (known or {}).items():
            forms.update(dict.fromkeys(_forms(name, value), name))
        self._learn(forms)

    def add(self, name: str, value: str) -> None:
        """Learn one more secret; calls in other threads see the old set or the new."""
        with self._lock:
            forms = dict(self._known.forms)
            forms.update(dict.fromkeys(_forms(name, value), name))
            self._learn(forms)

    def _learn(self, forms: Mapping[str, str]) -> None:
        self._known = known = _compile(forms)
        self.suspect: Callable[[bytes], object | None] = known.suspect_bytes
        """Search encoded JSON for anything like a secret; None means that there is none."""
        self.suspect_text: Callable[[str], object | None] = known.suspect
        """Search a text in the same way."""
        self.longest = max(map(len, forms), default=0)
        """How long a known secret is at most, however it is written."""
        self.clean = known.clean
        """Short texts that `is_clean` found clean; forgotten with every new secret."""

    def is_clean(self, text: str) -> bool:
        """Say whether there is no secret in a text."""
        known = self._known
        if text in known.clean:
            return True
        if known.suspect(text) is not None and self.text(text) != text:
            return False
        if len(text) <= _SHORT_TEXT and len(known.clean) < _MOST_CLEAN:
            known.clean.add(text)
        return True

    def text(self, text: str) -> str:
        """Return the text with every secret replaced."""
        known = self._known
        # In a long text the many fast searches below take less time than the one clever one.
        if len(text) < _LONG_TEXT and known.suspect(text) is None:
            return text
        here = [form for form in known.forms if form in text]
        if here:
            any_of_them = "|".join(map(re.escape, sorted(here, key=len, reverse=True)))
            text = re.sub(any_of_them, lambda hit: f"[redacted {known.forms[hit[0]]}]", text)
        return str(_shapes().replace_all(text))

    def value(self, value: Json, *, strict: bool = False) -> Json:
        """Return the JSON value with every secret replaced; the given value is not touched.

        ``strict`` replaces whatever stands under a secret's name, even if it does not look like a
        secret: right for a record, too much for a result that a model has to work with.
        """
        match value:
            case str():
                return self.text(value)
            case dict():
                names = _secret_names(value)
                return {
                    self._key(key): self._field(names.get(key, key), item, strict=strict)
                    for key, item in value.items()
                }
            case list() | tuple():
                return [self.value(item, strict=strict) for item in value]
        return value

    def _key(self, key: object) -> object:
        return self.text(key) if isinstance(key, str) else key

    def _field(self, name: object, item: Json, *, strict: bool) -> Json:
        if not isinstance(name, str) or not is_secret_name(name):
            return self.value(item, strict=strict)
        if strict:
            return self._masked(name, item)
        if not isinstance(item, str):
            return self.value(item)
        clean = self.text(item)
        is_whole = clean == item and secret_part(name, item) == item
        if is_whole and len(item) >= _MIN_KNOWN and _shapes().looks_real(item, quoted=True):
            return f"[redacted {name}]"
        return clean

    def _masked(self, name: str, item: Json) -> Json:
        """Replace all that stands under a secret's name; in an address only the password."""
        match item:
            case None | bool() | "":
                return item
            case str():
                return self.text(masked(name, item, f"[redacted {name}]"))
            case dict():
                return {self._key(key): self._masked(name, inner) for key, inner in item.items()}
            case list() | tuple():
                return [self._masked(name, inner) for inner in item]
        return f"[redacted {name}]"


def _shapes() -> Any:
    """Return the shapes of credentials; making them takes longer than most calls ever need."""
    return load("hermes.base.credentials")


def _secret_names(fields: Mapping[Any, Json]) -> dict[str, str]:
    """Return the name of what a pair such as {"name": "DB_TOKEN", "value": …} holds."""
    name = fields.get("name") or fields.get("key")
    return {"value": name} if isinstance(name, str) and is_secret_name(name) else {}


def _forms(name: str, value: str) -> Iterable[str]:
    """Yield the ways a secret may be written."""
    secret = secret_part(name, value)
    if secret != value and value.count(secret) > 1:
        return  # a password that is also the user's name or the server's cannot be kept secret
    for written in {secret, unquote(secret)}:
        if len(written) >= _MIN_KNOWN:
            yield from _spellings(written)


def _spellings(secret: str) -> Iterable[str]:
    yield secret
    yield from (encode_basestring(secret)[1:-1], encode_basestring_ascii(secret)[1:-1])
    yield from (quote(secret, safe=""), quote(secret), quote_plus(secret))
    raw = secret.encode("utf-8", "replace")
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
    # Latin-1 gives every byte of the encoded form a character of its own.
    as_bytes = [form.encode("utf-8", "replace").decode("latin-1") for form in forms]
    return _Known(
        forms,
        re.compile(_prefilter(forms)).search,
        re.compile(_prefilter(as_bytes).encode("latin-1")).search,
        set(),
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
