"""Ask the domain name system."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

import dns.asyncresolver
import dns.exception
import dns.flags
import dns.name
import dns.resolver
import dns.reversename

from hermes.base.errors import InvalidArguments, TimedOut, ToolError

TYPES = ("A", "AAAA", "MX", "TXT", "CNAME", "NS", "SOA", "SRV", "PTR", "CAA", "ANY")
# services refuse the true ANY; people who ask for it want everything there is
_EVERYTHING = ("A", "AAAA", "CNAME", "MX", "NS", "TXT", "SOA", "CAA")
_OF_ADDRESSES = re.compile(r"[/:@?#\s]")
_SECONDS = 5.0
_LIFETIME = 10.0


async def look_up(name: str, kind: str = "A", server: str | None = None) -> dict[str, Any]:
    """Return the records of a name.

    Raises:
        ToolError: there are none, or nobody answers; says which.
    """
    resolver = _resolver(server)
    asked = _asked(name, kind)
    kinds = _EVERYTHING if kind == "ANY" else (kind,)
    records: list[dict[str, Any]] = []
    failed: dict[str, Exception] = {}
    answer: dict[str, Any] = {"name": str(asked).rstrip("."), "type": kind}
    for each in kinds:
        try:
            found = await _resolved(resolver, asked, each)
        except (dns.exception.DNSException, OSError) as error:
            failed[each] = error
            if len(failed) == len(kinds):
                raise _failed(str(asked), error) from None
            continue
        answer.setdefault("server", str(found.nameserver))
        if str(found.canonical_name) != str(asked):
            answer["canonical_name"] = str(found.canonical_name).rstrip(".")
        if found.rrset is not None:
            records += [_record(each, data, found.rrset.ttl) for data in found.rrset]
        if found.response.flags & dns.flags.AD:
            answer["authenticated"] = True
    answer["records"] = records
    if failed:
        answer["note"] = f"No server says anything about its {', '.join(failed)} records."
    elif not records:
        answer["note"] = f"The name exists and has no {kind} records."
    return answer


async def _resolved(resolver: Any, asked: dns.name.Name, kind: str) -> Any:
    """Return what the servers say about one kind of records."""
    try:
        return await resolver.resolve(asked, kind, raise_on_no_answer=False)
    except dns.resolver.NXDOMAIN:
        raise ToolError(
            f"there is no name {asked}", code="nxdomain", hint="Check its spelling."
        ) from None
    except dns.exception.Timeout:
        raise TimedOut(
            f"no server answered about {asked} within {_LIFETIME:g} s",
            hint="Name another one with server, or try again later.",
        ) from None


def _resolver(server: str | None) -> dns.asyncresolver.Resolver:
    resolver = dns.asyncresolver.Resolver(configure=server is None)
    resolver.timeout, resolver.lifetime = _SECONDS, _LIFETIME
    if server is not None:
        host, port = _place(server)
        resolver.nameservers = [host]
        resolver.port = port
    return resolver


def host_of(server: str) -> str:
    """Return the host of a server's address, as an address on the web spells it."""
    host, _ = _place(server)
    return f"[{host}]" if ":" in host else host


def _place(server: str) -> tuple[str, int]:
    host, _, port = server.rpartition(":") if server.count(":") == 1 else (server, "", "53")
    if server.startswith("[") and "]" in server:
        host, _, rest = server[1:].partition("]")
        port = rest.lstrip(":") or "53"
    try:
        place = str(ipaddress.ip_address(host)), int(port)
        if not 0 < place[1] < 65_536:
            raise ValueError(port)
        return place
    except ValueError:
        raise InvalidArguments(
            f"{server!r} is no address of a server", hint="Write it like 9.9.9.9 or 127.0.0.1:5353."
        ) from None


def _asked(name: str, kind: str) -> dns.name.Name:
    text = name.strip()
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        if not text or _OF_ADDRESSES.search(text):
            hint = "Write the name alone, like example.com."
            raise InvalidArguments(f"{name!r} is no name", hint=hint) from None
    else:
        if kind in ("PTR", "A", "ANY"):
            return dns.reversename.from_address(str(address))
    try:
        return dns.name.from_text(text)
    except dns.exception.DNSException as error:
        raise InvalidArguments(
            f"{name!r} is no name: {error}", hint="Write it like example.com."
        ) from None


def _record(kind: str, data: Any, ttl: int) -> dict[str, Any]:
    found: dict[str, Any] = {"type": kind, "ttl": ttl}
    if kind == "MX":
        return found | {"priority": data.preference, "value": str(data.exchange).rstrip(".")}
    if kind == "TXT":
        return found | {"value": b"".join(data.strings).decode("utf-8", "replace")}
    if kind == "SRV":
        where = {"priority": data.priority, "weight": data.weight, "port": data.port}
        return found | where | {"value": str(data.target).rstrip(".")}
    if kind == "SOA":
        who = {"mname": str(data.mname).rstrip("."), "rname": str(data.rname).rstrip(".")}
        times = {each: getattr(data, each) for each in ("serial", "refresh", "retry", "expire")}
        return found | who | times | {"minimum": data.minimum}
    if kind == "CAA":
        text = f"{data.tag.decode()} {data.value.decode('utf-8', 'replace')}"
        return found | {"flags": data.flags, "value": text}
    return found | {"value": data.to_text().rstrip(".")}


def _failed(name: str, error: Exception) -> ToolError:
    return ToolError(
        f"no server can say anything about {name}: {error}",
        code="dns_failure",
        hint="Name another server, or try again later.",
    )
