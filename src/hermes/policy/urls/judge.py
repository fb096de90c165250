"""Judge addresses: by their text, at connect time, and after a redirect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import NamedTuple

from hermes.base.errors import Denied
from hermes.policy.urls.names import kind_of_name
from hermes.policy.urls.parse import Refused, Target, other_hosts, parse, read_host
from hermes.policy.urls.ports import OTHER_PROTOCOLS
from hermes.policy.urls.ranges import Kind, kind_of, number_of
from hermes.policy.verdict import ALLOWED, Finding, Verdict

MAX_REDIRECTS = 5

_INSIDE = (".local", ".internal", ".lan", ".localdomain")
_OPENED: frozenset[Kind] = frozenset({"loopback", "private"})
_WORDS: dict[Kind, str] = {
    "loopback": "this machine itself",
    "private": "a private network",
    "link-local": "the local wire only",
    "metadata": "a cloud's store of credentials",
    "shared": "a provider's inner network",
    "multicast": "many machines at once",
    "documentation": "an address that exists in documentation only",
    "benchmarking": "an address kept for measurements",
    "reserved": "an address that nobody has been given",
    "tunnel": "an address inside another address",
}


class UrlRules(NamedTuple):
    """Which hosts may be reached.

    A host is written ``example.com``, ``*.example.com`` or ``*``, with ``:port`` if only one is
    meant. With ``allowed_hosts`` only those are reached, and a private host named there without a
    star is opened; ``denied_hosts`` always wins. Nothing opens metadata and link-local addresses.
    """

    allow_private: bool = False
    allowed_hosts: tuple[str, ...] = ()
    denied_hosts: tuple[str, ...] = ()


class Pinned(NamedTuple):
    """A host whose addresses were judged; only these are dialled."""

    host: str
    port: int
    addresses: tuple[str, ...]


Resolver = Callable[[str, int], Iterable[str]]


@lru_cache(maxsize=512)
def judge(url: str, rules: UrlRules) -> Verdict:
    """Judge an address by its text; what a name resolves to is judged at connect time."""
    try:
        target = parse(url)
    except Refused as refused:
        return _no(str(refused), "url form")
    if any(map(_leads_astray, other_hosts(url))):
        return _no("an address with an @ behind its host is read in different ways", "url form")
    return _judge_port(target, rules) or judge_target(target.host, target.port, rules)


def _leads_astray(host: str) -> bool:
    """Say whether a careless client would go somewhere inside; a lone word is no host here."""
    bare = host.lower().rstrip(".")
    is_host = "." in bare or ":" in bare or bare.isdecimal() or bare == "localhost"
    if not is_host:
        return False
    if number_of(bare) or bare.endswith(_INSIDE):
        return _kind(bare) is not None
    # an ending that nobody knows is a file's here more often than a host's
    return bare.replace(".", "").isdecimal() or _kind(bare) in {"loopback", "metadata"}


def _judge_port(target: Target, rules: UrlRules) -> Verdict | None:
    """Refuse the port of another protocol, unless the rules name it together with its host."""
    host, port = target.host, target.port
    if port not in OTHER_PROTOCOLS:
        return None
    if any(_entry(entry.strip())[1] and _fits(entry, host, port) for entry in rules.allowed_hosts):
        return None
    return _no(f"port {port} speaks another protocol than HTTP", "url port")


def judge_target(host: str, port: int, rules: UrlRules) -> Verdict:
    """Judge a host in its plain spelling and a port."""
    if any(_fits(entry, host, port) for entry in rules.denied_hosts):
        return _no(f"{host} is a denied host", "denied_hosts")
    if rules.allowed_hosts and not any(_fits(entry, host, port) for entry in rules.allowed_hosts):
        return _no(f"{host} is not among the allowed hosts", "allowed_hosts")
    number = number_of(host)
    kind = kind_of(*number) if number else kind_of_name(host)
    return _judge_kind(kind, host, rules, is_named=_is_named(host, port, rules))


def judge_address(address: str, rules: UrlRules) -> Verdict:
    """Judge an address that is about to be dialled."""
    number = number_of(address)
    if number is None:
        return _no(f"{address[:60]!r} is no address that can be judged", "url form")
    return _judge_kind(kind_of(*number), address, rules, is_named=False)


def admit(
    host: str, port: int, addresses: Iterable[str], rules: UrlRules, own: Collection[str] = ()
) -> Pinned:
    """Return the addresses of a host that may be dialled; ``own`` are this machine's addresses.

    Raises:
        Denied: the host or every address it has is refused.
    """
    try:
        name = _host_to_dial(host)
    except Refused as refused:
        raise Denied(str(refused)) from refused
    verdict = judge_target(name, port, rules)
    if verdict.decision != "allow":
        raise Denied(verdict.reason, rule=verdict.rule)
    is_named = _is_named(name, port, rules)
    mine = {number for number in map(number_of, own) if number is not None}
    kept = []
    for address in addresses:
        verdict = _judge_found(address, rules, mine, is_named=is_named)
        if verdict.decision == "allow":
            kept.append(address)
    if not kept:
        raise Denied(verdict.reason or f"{name} has no address", rule=verdict.rule)
    return Pinned(name, port, tuple(kept))


def resolve_and_check(
    host: str, port: int, rules: UrlRules, resolver: Resolver, own: Collection[str] = ()
) -> Pinned:
    """Resolve a host once and return the addresses that may be dialled; see `admit`."""
    try:
        name = _host_to_dial(host)
    except Refused as refused:
        raise Denied(str(refused)) from refused
    if number_of(name):
        return admit(name, port, [name], rules, own)
    verdict = judge_target(name, port, rules)
    if verdict.decision != "allow":
        raise Denied(verdict.reason, rule=verdict.rule)
    return admit(name, port, resolver(name, port), rules, own)


def judge_redirect(from_url: str, to_url: str, rules: UrlRules, hop: int = 1) -> Verdict:
    """Judge where an answer sends us next; hops are counted from one."""
    if hop > MAX_REDIRECTS:
        return _no(f"more than {MAX_REDIRECTS} redirects", "redirects")
    try:
        here, there = parse(from_url), _joined(from_url, to_url)
    except Refused as refused:
        return _no(f"redirected, but {refused}", "url form")
    verdict = _judge_port(there, rules) or judge_target(there.host, there.port, rules)
    if verdict.decision != "allow":
        return verdict._replace(reason=f"redirected, but {verdict.reason}")
    if _kind(there.host) in _OPENED and _kind(here.host) not in _OPENED:
        return _no(f"{here.host} redirects into a private place, {there.host}", "redirects")
    return ALLOWED


def keeps_credentials(from_url: str, to_url: str) -> bool:
    """Say whether a redirect may carry credentials on: only to the same host, never to http."""
    try:
        here, there = parse(from_url), _joined(from_url, to_url)
    except Refused:
        return False
    if here.host != there.host:
        return False
    is_upgrade = (here.scheme, here.port, there.scheme, there.port) == ("http", 80, "https", 443)
    return is_upgrade or (here.scheme, here.port) == (there.scheme, there.port)


def _joined(from_url: str, to_url: str) -> Target:
    here = parse(from_url)
    if to_url[:1].isspace():
        raise Refused("the next address begins with a space")
    before_query = to_url.partition("?")[0].partition("#")[0]
    if ":" in before_query.partition("/")[0]:
        return parse(to_url)
    if to_url.startswith("//"):
        return parse(f"{here.scheme}:{to_url}")
    root = f"[{here.host}]" if ":" in here.host else here.host
    return parse(f"{here.scheme}://{root}:{here.port}/{to_url}")


def _judge_found(
    address: str, rules: UrlRules, own: Collection[tuple[int, int]], *, is_named: bool
) -> Verdict:
    number = number_of(address)
    if number is None:
        return judge_address(address, rules)
    kind = kind_of(*number)
    if kind is None and number in own:
        kind = "loopback"
    return _judge_kind(kind, address, rules, is_named=is_named)


def _judge_kind(kind: Kind | None, host: str, rules: UrlRules, *, is_named: bool) -> Verdict:
    if kind is None or (kind in _OPENED and (rules.allow_private or is_named)):
        return ALLOWED
    fix = "; urls.allow_private opens it" if kind in _OPENED else ""
    return _no(f"{host} leads to {_WORDS[kind]}{fix}", f"{kind} addresses")


def is_private(host: str) -> bool:
    """Say whether a host is this machine or in a private network, as far as its text tells."""
    return _kind(host) in _OPENED


def _kind(host: str) -> Kind | None:
    number = number_of(host)
    return kind_of(*number) if number else kind_of_name(host)


def _no(reason: str, rule: str) -> Verdict:
    return Verdict("deny", reason, rule, (Finding("exfiltration", reason),))


def _host_to_dial(host: str) -> str:
    return host.lower() if ":" in host and number_of(host) else read_host(host)


def _is_named(host: str, port: int, rules: UrlRules) -> bool:
    """Say whether the user opened just this private host by writing it down."""
    if _kind(host) not in _OPENED:
        return False
    return any("*" not in entry and _fits(entry, host, port) for entry in rules.allowed_hosts)


def _fits(entry: str, host: str, port: int) -> bool:
    wanted, wanted_port = _entry(entry.strip().lower())
    if wanted_port is not None and wanted_port != str(port):
        return False
    if wanted == "*":
        return True
    if wanted.startswith("*."):
        return not number_of(host) and host.endswith(_spelled(wanted[2:], prefix="."))
    spelled = _spelled(wanted)
    number = number_of(spelled)
    return spelled == host or (number is not None and number == number_of(host))


def _entry(entry: str) -> tuple[str, str | None]:
    if entry.startswith("["):
        host, _, port = entry[1:].partition("]")
        return host, port.removeprefix(":") or None
    if entry.count(":") > 1:
        return entry, None
    host, _, port = entry.partition(":")
    return host, port or None


def _spelled(host: str, prefix: str = "") -> str:
    try:
        return prefix + _host_to_dial(host)
    except Refused:
        return prefix + host
