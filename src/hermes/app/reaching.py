"""Which hosts the programs of a profile reach, judged at the moment they connect."""

from __future__ import annotations

import asyncio
import functools
import socket
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import psutil

from hermes.environments.sandbox.proxy import Allowed, Check, Proxy
from hermes.policy.shipped import CODE_HOSTS, PACKAGE_HOSTS
from hermes.policy.urls import Resolver, UrlRules, resolve_and_check
from hermes.runtime.reach import Reach

if TYPE_CHECKING:
    from hermes.app.boundaries import Boxes
    from hermes.config.settings import Urls
    from hermes.policy.limits import Limits
    from hermes.policy.permissions import Profile
    from hermes.runtime.call_policy import Surroundings

_PORTS = (80, 443)
_PERMISSION = "network:fetch"


def reach(urls: Urls) -> Reach:
    """Return what requests of tools may reach, as the settings say."""
    return Reach(urls.allow_private, own_addresses)


def proxy(profile: Profile, around: Surroundings) -> Proxy:
    """Return what passes on the requests of a box; whoever asked closes it."""
    rules = rules_of(profile, allows_private=around.allows_private)
    ports = {port for each in rules for host in each.allowed_hosts for port in _port(host)}
    # the check knows hosts by all their spellings, so it alone decides about them
    return Proxy(Allowed(hosts=("*",), ports=(*_PORTS, *sorted(ports))), check(rules))


def rules_of(profile: Profile, *, allows_private: bool) -> tuple[UrlRules, ...]:
    """Return what every level says of hosts; without a word, the hosts of packages and code."""
    found = [
        _told(limits, allows_private=allows_private)
        for level in profile.levels()
        for pattern, limits in level.restrictions
        if fnmatchcase(_PERMISSION, pattern) and limits.limits_hosts
    ]
    if not any(each.allowed_hosts or "*" in each.denied_hosts for each in found):
        found.append(UrlRules(allows_private, (*PACKAGE_HOSTS, *CODE_HOSTS)))
    return tuple(found)


def _told(limits: Limits, *, allows_private: bool) -> UrlRules:
    if limits.allowed_hosts == ():
        return UrlRules(denied_hosts=("*",))  # an empty list allows nothing
    return UrlRules(allows_private, limits.allowed_hosts or (), limits.denied_hosts)


def is_open(boundary: Boxes) -> bool:
    """Say whether a profile leaves the network open where no proxy can stand before it.

    One that names the hosts to be reached, or keeps the network off, does not.
    """
    if boundary.rules.network not in ("proxy", "on"):
        return False
    return not any(
        fnmatchcase(_PERMISSION, pattern) and limits.limits_hosts
        for level in boundary.profile.levels()
        for pattern, limits in level.restrictions
    )


def check(rules: tuple[UrlRules, ...]) -> Check:
    """Return what judges a host and gives the one address that is connected to."""

    async def address(host: str, port: int) -> str:
        return await asyncio.to_thread(_address, host, port, rules)

    return address


def _address(host: str, port: int, rules: tuple[UrlRules, ...]) -> str:
    own = own_addresses()
    resolve: Resolver = _resolved
    kept: tuple[str, ...] = ()
    for each in rules:
        kept = resolve_and_check(host, port, each, resolve, own).addresses
        resolve = functools.partial(_these, kept)
    return kept[0]


def _these(addresses: tuple[str, ...], _host: str, _port: int) -> tuple[str, ...]:
    return addresses


def _resolved(host: str, port: int) -> tuple[str, ...]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


def own_addresses() -> frozenset[str]:
    """Return the addresses of this machine's own network cards."""
    every = psutil.net_if_addrs().values()
    return frozenset(each.address.partition("%")[0] for many in every for each in many)


def _port(host: str) -> tuple[int, ...]:
    """Return the port that an entry names, if it names one."""
    text = host.rpartition(":")[2] if host.count(":") == 1 or "]:" in host else ""
    return (int(text),) if text.isdecimal() else ()
