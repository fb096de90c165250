"""Crawls and checked links."""

from __future__ import annotations

import json
import time

import pytest
from tests.services.web.conftest import Caller, run

from hermes.base.errors import Denied, InvalidArguments
from hermes.policy.urls import UrlRules
from hermes.services.web.addresses import fits, is_same_site, normal
from hermes.services.web.crawl_store import CrawlStore
from hermes.services.web.crawler import Crawler
from hermes.services.web.crawling import Crawl, Plan
from hermes.services.web.links import LinkCheck, Scope, told
from hermes.services.web.sitemaps import named
from hermes.services.web.written_links import links_in


def make_site(site, count=8):
    for number in range(count):
        links = "".join(f'<a href="/p{n}">p{n}</a>' for n in (2 * number + 1, 2 * number + 2))
        words = f"Page {number} talks about subject {number} at length. " * 8
        site.routes[f"/p{number}"] = f"<title>P{number}</title><p>{words}</p>{links}"
    site.routes["/"] = '<title>Home</title><a href="/p0">go</a>'


@pytest.fixture
def crawler(web, tmp_path):
    return Crawler(web, tmp_path / "crawls")


def crawl(crawler, web, caller, plan, **given):
    return run(web, crawler.crawl(plan, caller, **given))


def test_a_site_is_crawled_breadth_first_and_kept(crawler, web, caller, site):
    make_site(site)
    found = crawl(crawler, web, caller, Plan(site.url(), max_pages=4, max_depth=5))
    assert [row["depth"] for row in found["pages"]] == [0, 1, 2, 2]
    page = found["pages"][1]
    assert page["title"] == "P0"
    with open(page["file"], encoding="utf-8") as stream:
        assert "subject 0" in stream.read()
    assert found["waiting"] > 0
    assert caller.said


@pytest.mark.proves("web-crawl-resumes")
def test_a_crawl_goes_on_where_it_stopped(crawler, web, caller, site):
    make_site(site)
    first = crawl(crawler, web, caller, Plan(site.url(), max_pages=4, max_depth=9))
    again = Plan(site.url(), max_pages=100, max_depth=9)
    second = crawl(crawler, web, caller, again, resume=first["crawl_id"])
    one, two = ({row["url"] for row in found["pages"]} for found in (first, second))
    assert not one & two
    good = {row["url"] for row in (*first["pages"], *second["pages"]) if row["status"] == 200}
    assert good == {site.url(), *(site.url(f"/p{n}") for n in range(8))}


@pytest.mark.proves("web-crawl-resumes")
def test_pages_that_were_on_their_way_are_asked_for_again(crawler, web, caller, site):
    make_site(site)
    slow, asked = site.routes["/p1"], []

    def late(request):
        asked.append(request)
        if len(asked) == 1:
            time.sleep(1)
        return slow

    site.routes["/p1"] = late
    first = crawl(crawler, web, caller, Plan(site.url(), 100, 9, seconds=0.5))
    assert first["note"] == "Its time was up."
    second = crawl(crawler, web, caller, Plan(site.url(), 100, 9), resume=first["crawl_id"])
    urls = [row["url"] for found in (first, second) for row in found["pages"]]
    assert site.url("/p1") in urls and len(urls) == len(set(urls))


def test_a_page_that_was_noted_twice_by_a_kill_is_told_once(crawler, web, caller, site, tmp_path):
    make_site(site)
    first = crawl(crawler, web, caller, Plan(site.url(), max_pages=3, max_depth=9))
    with (tmp_path / "crawls" / first["crawl_id"] / "pages.jsonl").open("a") as rows:
        rows.write('{"url": "kept, and then the process was gone"}\n')
    store, _, _ = CrawlStore.known(tmp_path / "crawls", first["crawl_id"])
    assert store.rows == first["pages"]


def test_a_page_that_cannot_be_kept_ends_the_crawl(web, caller, site):
    make_site(site)

    async def keep(got):
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        run(web, Crawl(Plan(site.url(), 100, 9), web.fetch, caller).run(keep))


def test_a_crawl_that_nobody_knows_cannot_go_on(crawler, web, caller, site):
    for name in ("nothing", "../../etc"):
        with pytest.raises(InvalidArguments, match="no crawl"):
            crawl(crawler, web, caller, Plan(site.url()), resume=name)


@pytest.mark.proves("web-robots")
def test_robots_and_sitemap_are_honoured(crawler, web, caller, site):
    make_site(site)
    text = f"User-agent: *\nDisallow: /p1\nSitemap: {site.url('/map.xml')}\n"
    site.routes["/robots.txt"] = (200, {"content-type": "text/plain"}, text)
    site.routes["/map.xml"] = (200, {"content-type": "application/xml"},
        f"<urlset><url><loc>{site.url('/p7')}</loc></url></urlset>")  # fmt: skip
    found = crawl(crawler, web, caller, Plan(site.url(), max_pages=50, max_depth=3))
    by_url = {row["url"]: row for row in found["pages"]}
    assert "robots.txt" in by_url[site.url("/p1")]["error"]
    assert by_url[site.url("/p7")]["depth"] == 1, "the map leads there at once"
    assert not any(request.path == "/p1" for request in site.requests)


def test_other_sites_and_what_is_excluded_are_left_out(crawler, web, caller, site, other_site):
    site.routes["/"] = (f'<a href="{other_site.url("/x")}">x</a><a href="/docs/a">a</a>'
                        '<a href="/docs/b">b</a><a href="/shop">s</a>')  # fmt: skip
    for path in ("/docs/a", "/docs/b", "/shop"):
        site.routes[path] = "<p>hi</p>"
    plan = Plan(site.url(), include=("/docs/*",), exclude=("*/b",))
    found = crawl(crawler, web, caller, plan)
    assert {row["url"] for row in found["pages"]} == {site.url(), site.url("/docs/a")}
    assert other_site.requests == []


def test_a_page_that_leads_to_another_site_is_not_kept(crawler, web, caller, site, other_site):
    site.routes["/"] = '<a href="/out">x</a><a href="/in">a</a>'
    site.routes["/out"] = (302, {"location": other_site.url("/secret")}, "")
    site.routes["/in"] = "<p>hi</p>"
    other_site.routes["/secret"] = "<title>Elsewhere</title>"
    found = crawl(crawler, web, caller, Plan(site.url()))
    by_url = {row["url"]: row for row in found["pages"]}
    assert set(by_url) == {site.url(), site.url("/in"), site.url("/out")}
    assert "another site" in by_url[site.url("/out")]["error"]
    wanted = (site.url("/*"), other_site.url("/*"))
    both = crawl(crawler, web, caller, Plan(site.url(), include=wanted))
    assert other_site.url("/secret") in {row["url"] for row in both["pages"]}


def test_a_site_that_has_moved_is_crawled_where_it_is(crawler, web, caller, site, other_site):
    site.routes["/"] = (301, {"location": other_site.url("/home")}, "")
    other_site.routes["/home"] = '<a href="/a">a</a>'
    other_site.routes["/a"] = '<a href="/b">b</a>'
    other_site.routes["/b"] = "<p>hi</p>"
    found = crawl(crawler, web, caller, Plan(site.url(), max_pages=2))
    assert [row["url"] for row in found["pages"]] == [other_site.url("/home"), other_site.url("/a")]
    more = crawl(crawler, web, caller, Plan(site.url()), resume=found["crawl_id"])
    assert [row["url"] for row in more["pages"]] == [other_site.url("/b")]


def test_a_page_under_several_addresses_is_kept_once(crawler, web, caller, site):
    links = ("/b", "/moved", "/moved2", "/x/../b", "/%62", "/s?a=1&PHPSESSID=1",
             "/s?PHPSESSID=2&a=1", "/s;jsessionid=8F?a=1", "/s?utm_source=x&a=1")  # fmt: skip
    site.routes["/"] = "".join(f'<a href="{link}">x</a>' for link in links)
    site.routes["/b"] = site.routes["/s"] = "<p>hi</p>"
    for path in ("/moved", "/moved2"):
        site.routes[path] = (302, {"location": "/b"}, "")
    found = crawl(crawler, web, caller, Plan(site.url()))
    kept = [row["url"] for row in found["pages"] if "error" not in row]
    assert sorted(kept) == [site.url(), site.url("/b"), site.url("/s?a=1&PHPSESSID=1")]
    assert found["left_out"] == {"found before": 2}


def test_a_crawl_that_was_just_begun_can_be_gone_on_with(web, caller, site, tmp_path):
    """Where it stands is on disk, and told, before the first page is there."""
    folder = tmp_path / "crawls"
    states = []

    def home(request):
        states.extend(folder.glob("*/state.json"))
        return 200, {"content-type": "text/html"}, "<p>hi</p>"

    site.routes["/"] = home
    found = crawl(Crawler(web, folder), web, caller, Plan(site.url()))
    assert len(states) == 1
    assert any(found["crawl_id"] in said for said in caller.said)


def test_pages_that_fit_come_first(crawler, web, caller, site):
    make_site(site)
    plan = Plan(site.url(), max_pages=9, max_depth=9)
    found = crawl(crawler, web, caller, plan, about="subject 5")
    assert found["pages"][0]["fits"] == 1.0
    assert "subject 5" in found["pages"][0]["excerpt"]


def test_a_site_that_may_not_be_reached_is_refused(crawler, web, site):
    with pytest.raises(Denied):
        crawl(crawler, web, Caller(rules=(UrlRules(),)), Plan(site.url()))


def test_many_pages_are_asked_for_at_once(crawler, web, caller, site):
    import threading

    inside, most, lock = [0], [0], threading.Lock()
    gate = threading.Barrier(4, timeout=10)

    def slow(request):
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        gate.wait()
        with lock:
            inside[0] -= 1
        return "<p>x</p>"

    site.routes["/"] = "".join(f'<a href="/s{n}">x</a>' for n in range(4))
    for number in range(4):
        site.routes[f"/s{number}"] = slow
    crawl(crawler, web, caller, Plan(site.url(), max_depth=1))
    assert most[0] == 4


def check(web, caller, site, path="/", **scope):
    checking = LinkCheck(Scope(**scope), web.fetch, caller)
    run(web, checking.site(site.url(path)))
    return told(checking.checked)


def test_broken_links_and_anchors_are_found(web, caller, site):
    site.routes["/"] = ('<a href="/ok">a</a><a href="/gone">b</a><a href="/moved">c</a>'
                        '<a href="/ok#here">d</a><a href="/ok#nowhere">e</a><img src="/x.png">')  # fmt: skip
    site.routes["/ok"] = '<h2 id="here">x</h2>'
    site.routes["/moved"] = (301, {"location": "/ok"}, b"")
    report = check(web, caller, site)
    assert report["counts"] == {"ok": 2, "broken": 2, "redirected": 1, "no anchor": 1}
    bad = {row["url"].removeprefix(site.root): row["state"] for row in report["broken"]}
    assert bad == {"/gone": "broken", "/ok#nowhere": "no anchor", "/x.png": "broken"}


def test_what_is_no_address_spoils_no_check(web, caller, site):
    odd = ("http://x.test:abc/", "http://x.test:99999/", "http://[bad/#x", "http://[bad/")
    links = "".join(f'<a href="{url}">x</a>' for url in (*odd, "/ok", "#top", "/ok#Top"))
    site.routes["/"] = links
    site.routes["/ok"] = "<p>here</p>"
    check = LinkCheck(Scope(depth=2), web.fetch, caller)
    run(web, check.site(site.url()))
    states = {each.url: each.state for each in check.checked}
    assert {states[url] for url in odd} <= {"broken", "refused"}
    assert {states[site.url(path)] for path in ("/ok", "/#top", "/ok#Top")} == {"ok"}


def test_a_site_is_checked_as_deep_as_wanted(web, caller, site):
    site.routes["/"] = '<a href="/a">a</a>'
    site.routes["/a"] = '<a href="/gone">x</a>'
    assert check(web, caller, site, depth=1)["counts"] == {"ok": 1}
    assert check(web, caller, site, depth=2)["counts"]["broken"] == 1


def test_a_service_without_head_is_asked_with_get(web, caller, site):
    site.routes["/"] = '<a href="/a">a</a>'
    site.routes["/a"] = lambda request: (405, {}, b"") if request.method == "HEAD" else "yes"
    assert check(web, caller, site)["counts"] == {"ok": 1}


def test_other_sites_are_left_out_when_that_is_wanted(web, caller, site, other_site):
    site.routes["/"] = f'<a href="{other_site.url()}">a</a>'
    assert check(web, caller, site, includes_external=False)["checked"] == 0


def test_links_are_found_in_markdown_and_html():
    text = """[a](http://x.test/a "t") <http://x.test/b> http://x.test/c.
[ref]: http://x.test/d
```
http://x.test/not-this
```"""
    assert {each.url for each in links_in(text, "README.md")} == {
        f"http://x.test/{name}" for name in "abcd"
    }
    assert [each.url for each in links_in('<a href="http://x.test/">x</a>', "a.html")]


def test_sitemaps_are_read_in_every_form():
    import gzip

    index = b"<sitemapindex><sitemap><loc>http://x.test/1.xml</loc></sitemap></sitemapindex>"
    assert named(index) == ([], ["http://x.test/1.xml"])
    pages = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc> http://x.test/a </loc></url></urlset>'
    assert named(gzip.compress(pages)) == (["http://x.test/a"], [])
    assert named(b"http://x.test/a\nnonsense\n") == (["http://x.test/a"], [])
    bomb = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>&x;</loc></url></urlset>'
    assert "root" not in json.dumps(named(bomb))


def test_addresses_have_one_spelling():
    assert normal("HTTP://X.test:80?a=1#b") == "http://x.test/?a=1"
    assert normal("http://x.test/a/../%7eb/%c3%BC") == "http://x.test/~b/%C3%BC"
    assert normal("http://x.test//a/./b") == "http://x.test//a/./b"
    assert is_same_site("https://www.x.test/a", "http://x.test/b")
    assert not is_same_site("http://x.test:8080/", "http://x.test:9090/")
    assert fits("http://x.test/docs/a", ("/docs/*",))
    assert not fits("http://x.test/shop", ("/docs/*",))
