"""Our own table of addresses that are not the public internet, and what each of them is."""

from __future__ import annotations

import functools
import re
from typing import Literal, NamedTuple

Kind = Literal[
    "loopback",  # this machine
    "private",  # a network of one's own
    "link-local",  # the wire this machine hangs on
    "metadata",  # a cloud's keeper of credentials
    "shared",  # a provider's inner network
    "multicast",
    "documentation",
    "benchmarking",
    "reserved",
    "tunnel",  # carries another address inside
]

_METADATA = (
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "fd00:42::42",
)

_FOUR: tuple[tuple[str, Kind], ...] = (
    ("0.0.0.0/32", "loopback"),
    ("0.0.0.0/8", "reserved"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared"),
    ("127.0.0.0/8", "loopback"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "reserved"),
    ("192.0.2.0/24", "documentation"),
    ("192.88.99.0/24", "tunnel"),
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
)

_SIX: tuple[tuple[str, Kind], ...] = (
    ("::/128", "loopback"),
    ("::1/128", "loopback"),
    ("::/96", "tunnel"),
    ("::ffff:0:0:0/96", "tunnel"),
    ("64:ff9b:1::/48", "tunnel"),
    ("100::/64", "reserved"),
    ("2001::/32", "tunnel"),
    ("2001:2::/48", "benchmarking"),
    ("2001::/23", "reserved"),
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "tunnel"),
    ("3fff::/20", "documentation"),
    ("fc00::/7", "private"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "private"),
    ("ff00::/8", "multicast"),
)

_MAPPED = 0xFFFF << 32
_NAT64 = 0x0064_FF9B << 96
_LOW = (1 << 32) - 1
_DOTTED = re.compile(r"(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})", re.ASCII)
_GROUP = re.compile(r"[0-9a-fA-F]{1,4}", re.ASCII)


class _Range(NamedTuple):
    start: int
    shift: int
    kind: Kind


def _number(text: str) -> int:
    return _six(text) if ":" in text else _four(text)


def _four(text: str) -> int:
    if not _DOTTED.fullmatch(text):
        raise ValueError(text)
    number = 0
    for part in text.split("."):
        if int(part) > 255:
            raise ValueError(text)
        number = number << 8 | int(part)
    return number


def _six(text: str) -> int:
    head, gap, tail = text.partition("::")
    first = _groups(head, is_last=not gap)
    last = _groups(tail, is_last=True)
    missing = 8 - len(first) - len(last)
    if missing < 1 if gap else missing:
        raise ValueError(text)
    number = 0
    for group in (*first, *([0] * missing), *last):
        number = number << 16 | group
    return number


def _groups(text: str, *, is_last: bool) -> list[int]:
    if not text:
        return []
    parts = text.split(":")
    groups = []
    if is_last and "." in parts[-1]:
        four = _four(parts.pop())
        groups = [four >> 16, four & 0xFFFF]
    if not all(_GROUP.fullmatch(part) for part in parts):
        raise ValueError(text)
    return [int(part, 16) for part in parts] + groups


def _table(listed: tuple[tuple[str, Kind], ...], bits: int) -> tuple[_Range, ...]:
    table = []
    for text, kind in listed:
        address, _, length = text.partition("/")
        shift = bits - int(length)
        table.append(_Range(_number(address) >> shift, shift, kind))
    return tuple(table)


@functools.cache
def _ranges() -> tuple[tuple[_Range, ...], tuple[_Range, ...]]:
    return _table(_FOUR, 32), _table(_SIX, 128)


@functools.cache
def _keepers() -> frozenset[int]:
    return frozenset(_number(text) for text in _METADATA)


def number_of(text: str) -> tuple[int, int] | None:
    """Return an address as its version and number; None when it is no plainly written address."""
    try:
        return (6 if ":" in text else 4), _number(text)
    except ValueError:
        return None


def kind_of(version: int, number: int) -> Kind | None:
    """Return what an address is; None for one of the public internet.

    An address inside another is judged for itself: what a gateway takes out is what is reached.
    """
    if version == 4:
        return _kind_of_four(number)
    if number in _keepers():
        return "metadata"
    if number >> 32 == _MAPPED >> 32 or number >> 32 == _NAT64 >> 32:
        return _kind_of_four(number & _LOW)
    for start, shift, kind in _ranges()[1]:
        if number >> shift == start:
            return _inner_kind(number) or kind if kind == "tunnel" else kind
    if number >> 125 != 1:  # only 2000::/3 has been given out
        return "reserved"
    if (number >> 32) & 0xFDFF_FFFF == 0x5EFE:  # ISATAP: an address of four bytes at the end
        return _kind_of_four(number & _LOW)
    return None


def _kind_of_four(number: int) -> Kind | None:
    if number in _keepers():
        return "metadata"
    for start, shift, kind in _ranges()[0]:
        if number >> shift == start:
            return kind
    return None


def _inner_kind(number: int) -> Kind | None:
    """Return metadata when a tunnel hides it; any other tunnel is named as one."""
    inner = {number & _LOW, (number >> 80) & _LOW, ~number & _LOW, (number >> 64) & _LOW}
    return "metadata" if inner & _keepers() else None
