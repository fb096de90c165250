"""Addresses that lead inside are refused however they are written; ordinary ones pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.base.errors import Denied
from hermes.policy.urls import (
    Pinned,
    UrlRules,
    admit,
    judge,
    judge_address,
    judge_redirect,
    keeps_credentials,
    resolve_and_check,
)

STRICT = UrlRules()
LOCAL = UrlRules(allow_private=True)


def listed(name):
    return (Path(__file__).parent / f"{name}.txt").read_text("utf-8").split()


INSIDE = listed("inside")

NEVER = listed("never")

MALFORMED = [
    *listed("malformed"),
    "",
    " ",
    " http://example.com/",
    "http://example.com/ ",
    "http://example.com/\n",
    "http://exa\tmple.com/",
    "ht\ntp://example.com/",
    "http://example.com\r\nHost: evil/",
    "http://exam ple.com/",
    "http://example.com/\x00",
    "\x01http://example.com/",
    "http://exam\u00adple.com/",
    "http://exam\u200bple.com/",
    "http://\u202eexample.com/",
    "http://\ufeffexample.com/",
    "http://\ud800.com/",
    "http://" + "a" * 64 + ".com/",
    "http://" + "a." * 130 + "com/",
    "http://example.com/" + "a" * 70_000,
]

ORDINARY = [
    *listed("ordinary"),
    "https://www.google.com/search?q=hello world",
    "https://example.com/" + "a/" * 2_000,
]


@pytest.mark.proves("url-one-host")
@pytest.mark.parametrize("url", INSIDE + NEVER + MALFORMED)
def test_what_leads_inside_or_can_be_read_in_two_ways_is_denied(url):
    verdict = judge(url, STRICT)
    assert verdict.decision == "deny"
    assert verdict.reason
    assert verdict.rule


@pytest.mark.parametrize("url", ORDINARY)
def test_ordinary_addresses_pass(url):
    assert judge(url, STRICT).decision == "allow"


@pytest.mark.parametrize("url", INSIDE + ORDINARY)
def test_local_development_opens_private_places(url):
    assert judge(url, LOCAL).decision == "allow"


@pytest.mark.parametrize("url", NEVER + MALFORMED)
def test_local_development_opens_nothing_else(url):
    assert judge(url, LOCAL).decision == "deny"


def test_the_reason_names_the_place_and_the_setting_that_opens_it():
    assert judge("http://localhost:3000/", STRICT).reason == (
        "localhost leads to this machine itself; urls.allow_private opens it"
    )
    assert judge("http://169.254.169.254/", STRICT).reason == (
        "169.254.169.254 leads to a cloud's store of credentials"
    )


@pytest.mark.parametrize(
    ("entries", "url", "decision"),
    [
        (("example.com",), "https://example.com/", "allow"),
        (("example.com",), "https://www.example.com/", "deny"),
        (("example.com",), "https://notexample.com/", "deny"),
        (("*.example.com",), "https://a.b.example.com/", "allow"),
        (("*.example.com",), "https://example.com/", "deny"),
        (("*.example.com",), "https://evilexample.com/", "deny"),
        (("example.com:8443",), "https://example.com:8443/", "allow"),
        (("example.com:8443",), "https://example.com/", "deny"),
        (("EXAMPLE.com.",), "https://example.com/", "allow"),
        (("münchen.de",), "https://xn--mnchen-3ya.de/", "allow"),
        (("xn--mnchen-3ya.de",), "https://MÜNCHEN.de/", "allow"),
        (("*",), "https://example.com/", "allow"),
        (("*",), "http://localhost/", "deny"),
        (("*.internal",), "http://db.internal/", "deny"),
        (("localhost",), "http://localhost:3000/", "allow"),
        (("localhost:3000",), "http://localhost:3000/", "allow"),
        (("localhost:3000",), "http://localhost:3001/", "deny"),
        (("127.0.0.1",), "http://127.0.0.1:9000/", "allow"),
        (("[::1]:80",), "http://[0::1]/", "allow"),
        (("::1",), "http://[::1]:99/", "allow"),
        (("169.254.169.254",), "http://169.254.169.254/", "deny"),
        (("metadata.google.internal",), "http://metadata.google.internal/", "deny"),
        (("fe80::1",), "http://[fe80::1]/", "deny"),
        (("", "..", "%"), "https://example.com/", "deny"),
        (("example.com:22",), "http://example.com:22/", "allow"),
        (("example.com",), "http://example.com:22/", "deny"),
        (("api.test",), "http://api.test/", "allow"),
        (("*.test",), "http://api.test/", "deny"),
    ],
)
def test_allowed_hosts(entries, url, decision):
    assert judge(url, UrlRules(allowed_hosts=entries)).decision == decision


@pytest.mark.parametrize(
    ("entry", "url", "decision"),
    [
        ("example.com", "https://example.com/", "deny"),
        ("example.com", "https://EXAMPLE.COM./", "deny"),
        ("*.example.com", "https://a.example.com/", "deny"),
        ("*.example.com", "https://example.com/", "allow"),
        ("8.8.8.8", "https://8.8.8.8/", "deny"),
        ("2001:4860:4860::8888", "https://[2001:4860:4860:0::8888]/", "deny"),
        ("*", "https://example.org/", "deny"),
    ],
)
def test_denied_hosts_win(entry, url, decision):
    rules = UrlRules(allowed_hosts=("*",), denied_hosts=(entry,))
    assert judge(url, rules).decision == decision


@pytest.mark.parametrize(
    ("address", "strict", "local"),
    [
        ("93.184.215.14", "allow", "allow"),
        ("2606:4700::1111", "allow", "allow"),
        ("10.0.0.1", "deny", "allow"),
        ("::1", "deny", "allow"),
        ("169.254.169.254", "deny", "deny"),
        ("fe80::1", "deny", "deny"),
        ("fe80::1%eth0", "deny", "deny"),
        ("example.com", "deny", "deny"),
        ("0177.0.0.1", "deny", "deny"),
        ("", "deny", "deny"),
    ],
)
def test_a_resolved_address_is_judged_by_itself(address, strict, local):
    assert judge_address(address, STRICT).decision == strict
    assert judge_address(address, LOCAL).decision == local


def resolver(*addresses):
    asked = []

    def resolve(host, port):
        asked.append((host, port))
        return addresses

    resolve.asked = asked
    return resolve


@pytest.mark.proves("url-pinned")
def test_a_host_is_resolved_once_and_pinned():
    resolve = resolver("93.184.215.14", "2606:2800:21f::1")
    pinned = resolve_and_check("Example.COM.", 443, STRICT, resolve)
    assert pinned == Pinned("example.com", 443, ("93.184.215.14", "2606:2800:21f::1"))
    assert resolve.asked == [("example.com", 443)]


@pytest.mark.proves("url-pinned")
def test_private_answers_are_dropped_and_the_rest_is_dialled():
    pinned = resolve_and_check(
        "example.com", 80, STRICT, resolver("127.0.0.1", "93.184.215.14", "::ffff:10.0.0.1")
    )
    assert pinned.addresses == ("93.184.215.14",)


@pytest.mark.parametrize("addresses", [(), ("10.0.0.1",), ("127.0.0.1", "::1"), ("garbage",)])
def test_a_host_without_a_public_answer_is_denied(addresses):
    with pytest.raises(Denied):
        resolve_and_check("rebind.example.com", 80, STRICT, resolver(*addresses))


def test_a_refused_host_is_never_resolved():
    resolve = resolver("93.184.215.14")
    for host in ("localhost", "metadata.google.internal", "127.1", "exa mple.com", "a@b.com"):
        with pytest.raises(Denied):
            resolve_and_check(host, 80, STRICT, resolve)
    assert resolve.asked == []


def test_a_literal_address_needs_no_resolver():
    resolve = resolver()
    assert resolve_and_check("8.8.8.8", 53, STRICT, resolve).addresses == ("8.8.8.8",)
    assert resolve_and_check("2606:4700::1111", 53, STRICT, resolve).port == 53
    with pytest.raises(Denied):
        resolve_and_check("::1", 80, STRICT, resolve)
    assert resolve.asked == []


def test_public_addresses_of_this_machine_count_as_this_machine():
    own = ("93.184.215.14", "fe80::1%eth0")
    with pytest.raises(Denied, match="this machine itself"):
        admit("example.com", 80, ["93.184.215.14"], STRICT, own)
    assert admit("example.com", 80, ["93.184.215.14"], LOCAL, own).addresses == ("93.184.215.14",)


def test_an_allowed_name_opens_private_answers_only_when_it_is_a_private_name():
    named = UrlRules(allowed_hosts=("db.internal", "example.com"))
    assert admit("db.internal", 80, ["10.0.0.5"], named).addresses == ("10.0.0.5",)
    with pytest.raises(Denied):
        admit("example.com", 80, ["10.0.0.5"], named)
    with pytest.raises(Denied):
        admit("db.internal", 80, ["169.254.169.254"], named)


@pytest.mark.proves("url-pinned")
@pytest.mark.parametrize(
    ("here", "there", "decision"),
    [
        ("https://example.com/a", "/b?c", "allow"),
        ("https://example.com/a", "b:c", "deny"),
        ("https://example.com/a", "?x=a:b", "allow"),
        ("https://example.com/a", "", "allow"),
        ("https://example.com/a", "//example.org/x", "allow"),
        ("https://example.com/a", "https://example.org:8443/x", "allow"),
        ("https://example.com/a", "http://example.com/a", "allow"),
        ("https://example.com/a", "//127.0.0.1/x", "deny"),
        ("https://example.com/a", "/\\127.0.0.1/x", "deny"),
        ("https://example.com/a", "\\\\127.0.0.1/x", "deny"),
        ("https://example.com/a", " //127.0.0.1/x", "deny"),
        ("https://example.com/a", "/\t/127.0.0.1/x", "deny"),
        ("https://example.com/a", "///127.0.0.1/x", "deny"),
        ("https://example.com/a", "http://169.254.169.254/", "deny"),
        ("https://example.com/a", "file:///etc/passwd", "deny"),
        ("https://example.com/a", "http://example.com:22/", "deny"),
        ("https://example.com/a", "http://api.test/", "deny"),
        ("https://example.com/a", "http://user@example.com/", "deny"),
        ("https://[2606:4700::1111]/a", "/b", "allow"),
    ],
)
def test_every_redirect_is_judged(here, there, decision):
    assert judge_redirect(here, there, STRICT).decision == decision


def test_a_redirect_from_outside_into_a_private_place_is_denied_even_in_local_development():
    assert judge_redirect("https://example.com/", "http://localhost/", LOCAL).decision == "deny"
    assert judge_redirect("http://localhost/", "http://127.0.0.1/", LOCAL).decision == "allow"


def test_five_redirects_are_followed_and_no_more():
    here, there = "https://example.com/1", "https://example.com/2"
    decisions = [judge_redirect(here, there, STRICT, hop).decision for hop in range(1, 8)]
    assert decisions == ["allow"] * 5 + ["deny"] * 2


@pytest.mark.parametrize(
    ("here", "there", "is_kept"),
    [
        ("https://example.com/", "https://example.com/x", True),
        ("https://example.com/", "/x", True),
        ("https://example.com/", "https://EXAMPLE.com:443/x", True),
        ("http://example.com/", "https://example.com/", True),
        ("https://example.com/", "http://example.com/", False),
        ("https://example.com/", "https://example.org/", False),
        ("https://example.com/", "https://example.com:8443/", False),
        ("https://example.com/", "https://a@example.com/", False),
    ],
)
def test_credentials_stay_with_their_host_and_never_fall_back_to_http(here, there, is_kept):
    assert keeps_credentials(here, there) is is_kept
