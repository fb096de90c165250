"""Tell whom an address leads to, and what a request to it does there."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from typing import NamedTuple

from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.flow import Flow
from hermes.policy.urls.names import kind_of_name
from hermes.policy.urls.ranges import kind_of, number_of

_URL = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):/+)?(?:[^/?#@]*@)?"
    r"(?P<host>\[[^\]]*\]|[^/:?#]*)(?::(?P<port>[^/?#]*))?(?P<path>.*)",
    re.DOTALL,
)
_ECHOES = re.compile(
    r"(?:.*\.)?(?:httpbin\.org|httpbingo\.org|postman-echo\.com|reqres\.in"
    r"|jsonplaceholder\.typicode\.com)"
)
_CHATS = re.compile(
    r"(?:hooks\.slack\.com|slack\.com|discord(?:app)?\.com|api\.telegram\.org|ntfy\.sh"
    r"|(?:.*\.)?webhook\.office\.com|api\.twitter\.com|api\.x\.com|api\.github\.com"
    r"|api\.pushover\.net|api\.mailgun\.net|api\.sendgrid\.com)"
)
_STORES = frozenset(
    {
        "2375", "2376", "2379", "5984", "6333", "6443", "7474", "8086", "8098", "8123", "8200",
        "8500", "8529", "8983", "9000", "9092", "9200", "9201", "9300", "10250", "10255", "15672",
        "27017", "6379", "11211", "19530", "7700", "8108", "9090", "9093", "3100", "8001", "2019",
    }
)  # fmt: skip
"""Ports of databases, clusters and the like: what is deleted there is not a fixture."""
_ONE = re.compile(
    r".*/(?:\d+|[0-9a-f]{8,}(?:-[0-9a-f]+)*|[\w-]*(?:test|tmp|demo)[\w-]*)/?(?:\?.*)?$"
)
_ENDING = re.compile(
    r"_delete_by_query|_shutdown|/shutdown\b|/quitquitquit|delete_series|/truncate\b|/drop\b"
    r"|/reset\b|_close\b|_restore\b|_rollover\b|/flushall|/restart\b|_cluster/settings|/-/quit|/terminate\b|/purge\b",
    re.IGNORECASE,
)
_LOSING = re.compile(
    r"\b(?:drop\s+(?:table|database|schema|index|collection|measurement|user)|delete\s+from"
    r"|truncate\s+table|flush_?all|flushdb|alter\s+table|dropdatabase|deletecollection)\b"
    r"|<delete>|\"delete\"\s*:\s*\{\s*\"query\"",
    re.IGNORECASE,
)


class Address(NamedTuple):
    """A host with what else an address says."""

    host: str
    port: str
    path: str
    scheme: str

    @property
    def file(self) -> str:
        """The name that a download of it gets, empty when the path ends in a slash."""
        return self.path.partition("?")[0].rpartition("/")[2]


def address_of(text: str) -> Address:
    """Return an address taken apart; never raises."""
    found = _URL.fullmatch(text)
    if found is None:
        return Address(text, "", "", "")
    host = found["host"].strip("[]").rstrip(".").lower()
    return Address(host, found["port"] or "", found["path"] or "", (found["scheme"] or "").lower())


def _kind(host: str) -> str | None:
    number = number_of(host)
    if number is None and re.fullmatch(r"[0-9a-fx.]+", host):
        try:  # 0x7f.1, 2130706433, 0177.0.0.1: clients read these as addresses
            number = (4, int.from_bytes(socket.inet_aton(host), "big"))
        except OSError:
            return None
    return kind_of(*number) if number else kind_of_name(host)


def is_local(host: str) -> bool:
    """Say whether a host is this very machine, by its text."""
    if host in ("0.0.0.0", "::", "host.docker.internal", "own-host") or host.endswith(".test"):
        return True
    return UNKNOWN not in host and bool(host) and _kind(host) == "loopback"


def is_metadata(host: str) -> bool:
    """Say whether a host hands out the credentials of a cloud machine."""
    known = host.partition(UNKNOWN)[0]
    return bool(known) and _kind(known) == "metadata"


def is_fed(piped: Flow) -> bool:
    """Say whether something comes in on standard input."""
    return piped.text != "" and "file:/dev/null" not in piped.origins


_QUERIES = re.compile(r"[?&](?:query|sql|statement|command|cmd)=", re.IGNORECASE)


def loses(text: str) -> bool:
    """Say whether a text that is sent to a database deletes something there."""
    return bool(_LOSING.search(text))


def requested(url: str, method: str, sent: str | None) -> Iterator[Effect]:
    """Yield what a request does to its host; ``sent`` is its data, None when that is not known."""
    address = address_of(url)
    host = address.host
    yield Effect("net", host)
    if is_metadata(host):
        yield danger("exfiltration", f"fetches this machine's cloud credentials from {host}")
    asked = address.path if method != "GET" or _QUERIES.search(address.path) else ""
    data = (sent or "") if method != "GET" else ""
    if loses(f"{asked.replace('+', ' ').replace('%20', ' ')} {data}"):
        yield danger("database", f"deletes data of the database at {host}")
    if method in ("GET", "HEAD", "OPTIONS", "TRACE"):
        return
    if is_local(host):
        yield from _changed_here(address, method)
    elif sent is None:
        yield Effect("send", host)
        yield danger("exfiltration", f"sends data of this machine to {host or 'a host'}")
    elif _CHATS.fullmatch(host):
        yield danger("publish", f"posts something on {host}")
    elif not _ECHOES.fullmatch(host):
        verb = "deletes" if method == "DELETE" else "changes"
        yield danger("infrastructure", f"{verb} something on {shown(host)}")


def _changed_here(address: Address, method: str) -> Iterator[Effect]:
    where = f"{address.host}:{address.port or '80'}{address.path}"[:80]
    is_store = address.port in _STORES
    if method == "DELETE" and (is_store or not _ONE.fullmatch(address.path)):
        yield danger("database", f"deletes {where}")
    elif _ENDING.search(address.path):
        yield danger("database", f"ends or empties {where}")
    elif address.port in ("2375", "2376", "10250", "6443", "8001"):
        yield danger("infrastructure", f"changes containers through {where}")


def shown(host: str) -> str:
    """Return a host as a person reads it."""
    return "a host that cannot be known" if UNKNOWN in host or not host else host
