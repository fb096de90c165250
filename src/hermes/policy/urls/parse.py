"""Take an address apart the one way that every client does, or refuse it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from hermes.policy.urls.ranges import number_of

_LONGEST = 65_536
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]|\\s\\Z")
_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
_AUTHORITY = re.compile(r"//([^/?#]*)")
_PORT = re.compile(r"[0-9]{0,5}", re.ASCII)
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_STOPS = re.compile("[\u3002\uff0e\uff61]")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Target(NamedTuple):
    """Whom an address leads to."""

    scheme: str
    host: str
    """Lower case; a name in its ASCII form without a final dot, or a plainly written address."""
    port: int


class Refused(ValueError):
    """Say why an address cannot be judged and is therefore not used."""


def parse(url: str) -> Target:
    """Return whom an http(s) address leads to.

    Raises:
        Refused: it is no such address, or clients could read it in different ways.
    """
    _check_characters(url)
    scheme = _SCHEME.match(url)
    if scheme is None:
        raise Refused("the address must begin with http:// or https://")
    name = scheme[1].lower()
    if name not in _DEFAULT_PORTS:
        raise Refused(f"only http and https are fetched, not {name[:20]}")
    rest = url[scheme.end() :]
    before_query = rest.partition("?")[0].partition("#")[0]
    if "\\" in before_query:
        raise Refused("a backslash in an address is read in different ways")
    authority = _AUTHORITY.match(rest)
    if authority is None or not authority[1]:
        raise Refused("the address names no host, or not after exactly two slashes")
    host, port = _split(authority[1])
    return Target(name, host, port if port is not None else _DEFAULT_PORTS[name])


def other_hosts(url: str) -> Iterator[str]:
    """Yield the hosts that careless clients take, where an @ stands behind the real one.

    ``http://example.com#@127.0.0.1/`` leads to example.com; who splits at some @ goes astray.
    """
    rest = url.partition(":")[2].removeprefix("//").partition("/")[0]
    for astray in rest.split("@")[1:]:
        host = re.split(r"[\\?#]", astray, maxsplit=1)[0]
        yield host.partition("]")[0][1:] if host.startswith("[") else host.partition(":")[0]


def _check_characters(url: str) -> None:
    if len(url) > _LONGEST:
        raise Refused("the address is too long")
    found = _CONTROL.search(url)
    if found is not None:
        raise Refused(f"the address holds the character U+{ord(found[0]):04X}; encode or drop it")


def _split(authority: str) -> tuple[str, int | None]:
    if "@" in authority:
        raise Refused("a user name or password in an address hides its host")
    if authority.startswith("["):
        inside, closed, tail = authority[1:].partition("]")
        if not closed or (tail and not tail.startswith(":")):
            raise Refused("the address in brackets is not written properly")
        return _six(inside), _port(tail[1:])
    host, _, port = authority.partition(":")
    return read_host(host), _port(port)


def _port(text: str) -> int | None:
    if not text:
        return None
    if not _PORT.fullmatch(text) or not 0 < int(text) <= 65535:
        raise Refused(f"{text[:20]!r} is no port")
    return int(text)


def _six(text: str) -> str:
    if "%" in text:
        raise Refused("an address with a zone belongs to this machine's own wires")
    if ":" not in text or number_of(text) is None:
        raise Refused("the address in brackets is not written properly")
    return text.lower()


def read_host(host: str) -> str:
    """Return a host in the one spelling that is compared and dialled.

    Raises:
        Refused: it is no host, or clients could read it in different ways.
    """
    if "%" in host:
        raise Refused("a percent sign in a host is read in different ways")
    host = host.lower() if host.isascii() else _mapped(host)
    bare = host[:-1] if host.endswith(".") else host
    labels = bare.split(".")
    if len(bare) > 253 or not all(_NAME.fullmatch(label) for label in labels):
        raise Refused("the host is not written properly")
    if _NUMERIC.fullmatch(labels[-1]):
        if number_of(host) is None:
            raise Refused("an address in numbers must be four plain decimal numbers")
        return host
    for label in labels:
        if label.startswith("xn--"):
            _check_encoded(label)
    return bare


def _mapped(host: str) -> str:
    """Return the ASCII form of a name in another script; refuse disguised ASCII."""
    if _INVISIBLE.search(host):
        raise Refused("the host holds invisible characters")
    plain = _STOPS.sub(".", host).lower()
    if plain.isascii() or not all(map(_is_settled, plain)):
        raise Refused("the host holds look-alike characters that clients replace")
    return ".".join(_encoded(unicodedata.normalize("NFC", label)) for label in plain.split("."))


def _is_settled(char: str) -> bool:
    """Say whether every client leaves a character as it is; two may be folded by old ones."""
    if char in "\u00df\u03c2":
        return True
    return unicodedata.normalize("NFKC", char) == char == char.casefold()


def _encoded(label: str) -> str:
    if label.isascii():
        return label
    if label.isdecimal() or not all(_is_word(char) for char in label):
        raise Refused("the host holds characters that no name can have")
    return "xn--" + label.encode("punycode").decode("ascii")


def _is_word(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] in "LMN" or category == "So" or char in "-\u00b7\u30fb\u0375\u05f3\u05f4"


def _check_encoded(label: str) -> None:
    try:
        decoded = label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError, OverflowError) as error:
        raise Refused("the host's xn-- part cannot be read") from error
    is_odd = decoded.isascii() or not all(map(_is_settled, decoded))
    is_odd = is_odd or any(unicodedata.category(char)[0] in "CZ" for char in decoded)
    if is_odd or _INVISIBLE.search(decoded):
        raise Refused("the host's xn-- part hides other characters")
