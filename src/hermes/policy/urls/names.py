"""Host names that lead to this machine or to a private network, as data and as one question."""

from __future__ import annotations

import re

from hermes.policy.urls.ranges import Kind, kind_of, number_of
from hermes.policy.urls.top_level import is_public_ending

_METADATA = frozenset(
    {
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "metadata.azure.internal",
        "metadata.azure.com",
        "metadata.packet.net",
        "metadata.platformequinix.com",
        "metadata.tencentyun.com",
        "metadata.ec2.internal",
        "metadata.oraclecloud.com",
        "api.metadata.cloud.ibm.com",
        "instance-data",
        "instance-data.ec2.internal",
        "rancher-metadata",
        "rancher-metadata.rancher.internal",
    }
)
_LOOPBACK = frozenset(
    {
        "localhost",
        "localhost.localdomain",
        "localhost6",
        "localhost6.localdomain6",
        "ip6-localhost",
        "ip6-loopback",
        "loopback",
        "broadcasthost",
    }
)
_TO_LOOPBACK = (
    "localtest.me",
    "lvh.me",
    "vcap.me",
    "lacolhost.com",
    "localho.st",
    "yoogle.com",
    "fuf.me",
    "42foo.com",
    "beweb.com",
    "bugbounty.click",
    "local.gd",
    "localhost.direct",
    "traefik.me",
    "lcl.host",
    "localdev.me",
    "lndo.site",
    "ddev.site",
    "spoofed.burpcollaborator.net",
    "bugbounty.dod.network",
    "mail.ebc.apple.com",
    "localdomain.pw",
    "localh.st",
    "metadata.nicob.net",
    "r3dir.me",
)
_PRIVATE_ENDINGS = (
    "mshome.net",
    "fritz.box",
    "routerlogin.net",
    "tplinkwifi.net",
    "tplinklogin.net",
)
_EMBEDDING = (
    "nip.io",
    "nip.lol",
    "sslip.io",
    "xip.io",
    "xip.name",
    "backname.io",
    "ip.addr.tools",
    "1u.ms",
    "rbndr.us",
    "rebind.network",
    "rebind.it",
    "plex.direct",
    "local-ip.co",
    "local-ip.sh",
    "local-ip.dev",
    "myip.direct",
)
_DOTTED = re.compile(
    r"(?:^|(?<=[.-]))(?=(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?:[.-]|$))", re.ASCII
)
_HEX = re.compile(r"(?:^|[.-])([0-9a-f]{8})(?=[.-]|$)")


def kind_of_name(host: str) -> Kind | None:
    """Return where a lower-case name leads by its text alone; None when only DNS can say."""
    if host in _METADATA:
        return "metadata"
    if host in _LOOPBACK or host.endswith(".localhost") or _is_under(host, _TO_LOOPBACK):
        return "loopback"
    if _is_under(host, _EMBEDDING):
        return _kind_inside(host)
    first, _, ending = host.rpartition(".")
    if not first or not is_public_ending(ending) or _is_under(host, _PRIVATE_ENDINGS):
        return "private"
    return None


def _spelled(host: str) -> list[tuple[int, int]]:
    """Return every address that some labels of a name spell, overlapping ones too."""
    found = (number_of(".".join(match.groups())) for match in _DOTTED.finditer(host))
    return [address for address in found if address is not None]


def _is_under(host: str, endings: tuple[str, ...]) -> bool:
    return any(host == ending or host.endswith(f".{ending}") for ending in endings)


def _kind_inside(host: str) -> Kind | None:
    """Judge the address that such a name spells; one that cannot be read counts as private."""
    if addresses := _spelled(host):
        return next((kind for kind in (kind_of(*each) for each in addresses) if kind), None)
    if found := _HEX.search(host):
        return kind_of(4, int(found[1], 16))
    return "private" if host not in _EMBEDDING and not host.startswith("www.") else None
