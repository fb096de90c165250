"""Where the web tools may go: judged at every step, whoever sends them there."""

from __future__ import annotations

import json

import pytest
from tests.tools.web.conftest import OPEN, article

METADATA = "http://169.254.169.254/latest/meta-data/"


def only(*hosts, key="allowed_hosts"):
    return {"allow": ["*"], "restrictions": {"network:*": {key: list(hosts)}}}


def host(site):
    return site.root.removeprefix("http://")


ASKED = [
    ("http_request", lambda url: {"url": url}),
    ("web_crawl", lambda url: {"url": url}),
    ("html_extract", lambda url: {"url": url}),
    ("rss_reader", lambda url: {"url": url}),
    ("link_checker", lambda url: {"url": url}),
    ("link_checker", lambda url: {"urls": [url]}),
    ("web_extract", lambda url: {"urls": [url]}),
]


@pytest.mark.parametrize(("tool", "arguments"), ASKED)
def test_private_places_are_closed_unless_a_person_opens_them(door, site, tool, arguments):
    site.routes["/"] = article()
    closed = door(config={})
    assert closed(tool, **arguments(site.url()))["code"] == "denied"
    assert site.requests == []
    assert "code" not in door()(tool, **arguments(site.url())) or tool == "rss_reader"
    assert site.requests


@pytest.mark.parametrize(("tool", "arguments"), ASKED)
def test_metadata_stays_closed_for_everyone(call, tool, arguments):
    assert call(tool, **arguments(METADATA))["code"] == "denied"


@pytest.mark.parametrize(("tool", "arguments"), ASKED)
def test_a_redirect_into_a_closed_place_is_not_followed(call, site, tool, arguments):
    site.routes["/"] = (302, {"location": METADATA}, b"")
    answer = json.dumps(call(tool, **arguments(site.url())))
    assert "169.254.169.254" in answer
    assert any(word in answer for word in ("denied", "refused")), answer


@pytest.mark.parametrize(("tool", "arguments"), ASKED)
@pytest.mark.parametrize("kind", ["allowed_hosts", "denied_hosts"])
def test_the_hosts_of_a_profile_bind_redirects_too(door, site, other_site, tool, arguments, kind):
    named = site if kind == "allowed_hosts" else other_site
    call = door(profile=only(host(named), key=kind))
    site.routes["/"] = (302, {"location": other_site.url("/x")}, b"")
    answer = json.dumps(call(tool, **arguments(site.url())))
    assert any(word in answer for word in ("denied", "refused")), answer
    assert other_site.requests == []


def test_links_of_a_crawl_obey_the_hosts_of_a_profile(door, site, other_site):
    call = door(profile=only(host(site)))
    site.routes["/"] = f"<a href='{other_site.url('/x')}'>out</a><a href='/in'>in</a>" + article()
    site.routes["/in"] = article(title="In")
    answer = call("web_crawl", url=site.url(), include=["*"])
    assert other_site.requests == []
    assert site.url("/in") in json.dumps(answer)


def test_links_that_are_checked_obey_the_hosts_of_a_profile(door, site, other_site, tmp_path):
    (tmp_path / "a.md").write_text(f"[in]({site.url('/in')}) [out]({other_site.url('/x')})")
    site.routes["/in"] = "here"
    answer = door(profile=only(host(site)))("link_checker", path="a.md")
    assert answer["counts"] == {"ok": 1, "refused": 1}
    assert other_site.requests == []


def test_a_profile_without_the_network_has_no_web(door, site):
    call = door(profile={"allow": ["file:*"]})
    for tool, arguments in ASKED:
        assert call(tool, **arguments(site.url()))["code"] == "denied"
    assert call("web_search", query="x")["code"] == "denied"
    assert call("dns_lookup", name="example.com")["code"] == "denied"
    assert site.requests == []


def test_reading_profiles_may_fetch_but_not_send(door, site):
    call = door(profile="readonly", config=OPEN)
    site.routes["/"] = "here"
    assert call("http_request", url=site.url())["status"] == 200
    assert call("http_request", url=site.url(), method="POST")["code"] == "denied"
    assert call("http_request", url=site.url(), save_to="a.txt")["code"] == "denied"


def test_a_proxy_of_the_environment_is_used(monkeypatch, door, site):
    site.routes["http://shop.example/a"] = (200, {"content-type": "text/plain"}, b"by proxy")
    monkeypatch.setenv("HTTP_PROXY", site.root)
    monkeypatch.setenv("http_proxy", site.root)
    monkeypatch.setenv("no_proxy", "")
    call = door(config={})
    assert call("http_request", url="http://shop.example/a")["text"] == "by proxy"
    assert site.requests[0].headers["host"] == "shop.example"
    assert call("http_request", url=METADATA)["code"] == "denied"
    assert call("http_request", url="http://127.0.0.1:9/")["code"] == "denied"
    assert len(site.requests) == 1
