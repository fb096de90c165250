"""Our table of addresses and our reading of URLs agree with independent ones."""

from __future__ import annotations

import ipaddress
import random
import socket
from urllib.parse import urlsplit

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.policy.urls import Refused, UrlRules, judge, judge_address, judge_redirect, parse
from hermes.policy.urls.ranges import number_of

STRICT = UrlRules()
ADDRESSES = 100_000

FOLDED = set("\u00df\u1e9e\u03c2\u03a3")  # sharp s and sigma: the standard of 2003 replaces them

STRICTER = [
    ipaddress.ip_network(text)
    for text in (
        *("100.64.0.0/10", "168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "224.0.0.0/4"),
        *("2001::/23", "2002::/16", "3fff::/20", "64:ff9b:1::/48", "ff00::/8", "fec0::/10"),
    )
]
ALLOCATED = ipaddress.ip_network("2000::/3")
NAT64 = ipaddress.ip_network("64:ff9b::/96")
EDGES = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4 168.63.129.16/32 8.8.8.0/24
    ::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/32 2001::/23
    2001:2::/48 2001:db8::/32 2002::/16 2000::/3 3fff::/20 fc00::/7 fe80::/10 fec0::/10 ff00::/8
    fd00:ec2::/64 2606:4700::/32
"""


def is_public(address):
    """The oracle: the standard library's opinion, and what we are stricter about."""
    if address.version == 6:
        if address.ipv4_mapped:
            return is_public(address.ipv4_mapped)
        if address in NAT64:
            return is_public(ipaddress.ip_address(int(address) & 0xFFFF_FFFF))
        if address not in ALLOCATED:
            return False
        if int(address) >> 32 & 0xFFFF_FFFF in {0x5EFE, 0x0200_5EFE}:
            return is_public(ipaddress.ip_address(int(address) & 0xFFFF_FFFF))
    if any(address in network for network in STRICTER if network.version == address.version):
        return False
    return address.is_global


def generated(seed):
    chance = random.Random(seed)
    networks = [ipaddress.ip_network(text) for text in EDGES.split()]
    for _ in range(ADDRESSES // 4):
        network = chance.choice(networks)
        first, last = int(network[0]), int(network[-1])
        kind = type(network[0])
        top = (1 << network.max_prefixlen) - 1
        near = chance.choice((first, last)) + chance.randint(-2, 2)
        yield kind(min(max(near, 0), top))
        yield kind(chance.randint(first, last))
        yield ipaddress.IPv4Address(chance.getrandbits(32))
        yield ipaddress.IPv6Address(chance.getrandbits(125) | 1 << 125)


@pytest.mark.parametrize("seed", range(2))
def test_a_hundred_thousand_addresses_are_judged_as_the_oracle_does(seed):
    wrong = [
        str(address)
        for address in generated(seed)
        if (judge_address(str(address), STRICT).decision == "allow") != is_public(address)
    ]
    assert wrong == []


def test_the_oracle_sees_both_kinds():
    counts = [0, 0]
    for address in generated(0):
        counts[is_public(address)] += 1
    assert min(counts) > ADDRESSES // 10


@given(st.text(alphabet="0123456789abcdefABCDEF:.%xg", max_size=45))
@settings(max_examples=2_000)
def test_addresses_are_read_as_the_system_reads_them(text):
    try:
        family = socket.AF_INET6 if ":" in text else socket.AF_INET
        expected = int.from_bytes(socket.inet_pton(family, text), "big")
    except OSError:
        expected = None
    found = number_of(text)
    assert (found[1] if found else None) == expected


@given(st.ip_addresses(v=6))
def test_every_spelling_of_an_address_is_the_same_address(address):
    spellings = (str(address), address.exploded, address.exploded.upper())
    assert {number_of(text) for text in spellings} == {(6, int(address))}


@given(st.text(alphabet="0123456789abcdefxX.", min_size=1, max_size=20))
@settings(max_examples=2_000)
def test_what_the_system_takes_for_an_address_is_plainly_written_or_refused(host):
    try:
        number = int.from_bytes(socket.inet_aton(host), "big")
    except OSError:
        return
    try:
        assert number_of(parse(f"http://{host}/").host) == (4, number)
    except Refused:
        assert judge(f"http://{host}/", STRICT).decision == "deny"


@given(st.text())
@settings(max_examples=1_000)
def test_no_text_breaks_the_judge(text):
    for url in (text, f"http://{text}", f"https://{text}/", f"http://example.com{text}"):
        assert judge(url, STRICT).decision in {"allow", "deny"}
        assert judge_redirect("https://example.com/", url, STRICT).decision in {"allow", "deny"}
    assert judge_address(text, STRICT).decision in {"allow", "deny"}
    rules = UrlRules(allowed_hosts=(text,), denied_hosts=(text,))
    assert judge("https://example.com/", rules).decision == "deny"


PIECES = (
    *("http", "https", "HTTP", ":", "/", "//", "\\", "@", "?", "#", "[", "]", "%", "%2e", "%40"),
    *("example.com", "127.0.0.1", "localhost", "evil.org", "[::1]", "::1", "8.8.8.8", "0x7f", "1"),
    *(
        ".",
        ":80",
        ":443",
        ":0",
        "\t",
        "\n",
        " ",
        "\r",
        "\0",
        ";",
        "&",
        "=",
        ",",
        "user",
        "user:pw@",
    ),
    *("\u3002", "\uff0e", "\uff61", "\uff11", "\u2024", "\u212a", "\u00ad", "\u200b", "\u00df"),
    *("\u00fc", "xn--", "xn--mnchen-3ya", "\u202e", "-", "_", "a", "\ufe0e", "\u2100", "\uff0f"),
)


def dialled(read, url):
    """The host that a client would talk to; None when it refuses."""
    try:
        return read(url) or None
    except (ValueError, httpx2.InvalidURL, UnicodeError):
        return None


def by_urllib(url):
    host = urlsplit(url).hostname
    if host is None or host.isascii():
        return host and host.rstrip(".")
    return host.encode("idna").decode("ascii").rstrip(".")


def by_httpx(url):
    parsed = httpx2.URL(url)
    return parsed.raw_host.decode("ascii").strip("[]").rstrip(".")


def check_clients(url):
    if judge(url, STRICT).decision != "allow":
        return
    host = parse(url).host
    for read in (by_urllib, by_httpx):
        client = dialled(read, url)
        is_folded = not FOLDED.isdisjoint(url)
        assert client is None or client.lower() == host or is_folded


@given(st.lists(st.sampled_from(PIECES), max_size=12))
@settings(max_examples=3_000)
def test_the_host_that_is_judged_is_the_host_that_clients_dial(pieces):
    text = "".join(pieces)
    check_clients(text)
    check_clients(f"http://{text}")
    check_clients(f"https://example.com{text}")
    check_clients(f"https://{text}.example.com/")


@given(st.text(max_size=30))
@settings(max_examples=1_000)
def test_any_host_that_passes_is_the_host_that_clients_dial(text):
    check_clients(f"https://{text}")
    check_clients(f"https://{text}.com/x")
