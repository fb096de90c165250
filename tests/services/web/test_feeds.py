"""Feeds of every kind in one form."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.services.web.conftest import run

from hermes.base.errors import InvalidArguments, ToolError
from hermes.services.web.asking import Page
from hermes.services.web.feeds import is_feed, read, since_of, told
from hermes.services.web.finding_feeds import feed_at

RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>http://n.test/</link>
<item><title>Old</title><link>http://n.test/1</link><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate>
<description>&lt;p&gt;Hello &amp;amp; bye&lt;/p&gt;</description><category>x</category></item>
<item><title>New</title><link>http://n.test/2</link><pubDate>Thu, 02 May 2024 10:00:00 +0200</pubDate>
<enclosure url="http://n.test/a.mp3" type="audio/mpeg"/></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><link href="http://b.test/"/>
<entry><title>Post</title><link href="http://b.test/p"/><updated>2024-05-03T00:00:00Z</updated>
<author><name>Ann</name></author><summary>Short</summary><id>urn:1</id></entry></feed>"""
JSON = json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [
    {"id": "1", "url": "http://j.test/1", "title": "A", "content_html": "<b>hi</b> you",
     "date_published": "2024-05-04T00:00:00Z", "authors": [{"name": "Bo"}], "tags": ["t"]}]})  # fmt: skip


def page(body, kind="application/xml"):
    return Page("http://x.test/feed", 200, "OK", (("content-type", kind),), body.encode())


def test_entries_without_a_date_stand_behind_those_that_have_one():
    items = "".join(
        f"<item><title>{title}</title><pubDate>{date}</pubDate></item>"
        for title, date in [("Old", "Mon, 01 Jan 2024 00:00:00 GMT"), ("Odd", "yesterday"),
                            ("New", "Tue, 02 Jan 2024 00:00:00 GMT"), ("None", "")]
    )  # fmt: skip
    feed = f'<rss version="2.0"><channel><title>T</title>{items}</channel></rss>'
    found = told(read(page(feed)), 3, None)
    assert [each["title"] for each in found["entries"]] == ["New", "Old", "Odd"]


@pytest.mark.parametrize("text", ["2024-01-02T08:00:00Z", "2024-01-02t10:00:00+02:00"])
def test_a_moment_may_have_an_hour(text):
    assert since_of(text, 0.0) == 1_704_182_400.0


def test_rss_comes_newest_first_and_plain():
    found = told(read(page(RSS)), 10, None)
    assert [each["title"] for each in found["entries"]] == ["New", "Old"]
    old = found["entries"][1]
    assert old["summary"] == "Hello & bye"
    assert old["published"] == "2024-05-01T10:00:00+00:00"
    assert found["entries"][0]["enclosures"] == ["http://n.test/a.mp3"]


def test_atom_and_json_have_the_same_form():
    atom = told(read(page(ATOM)), 10, None)["entries"][0]
    assert (atom["title"], atom["author"], atom["url"]) == ("Post", "Ann", "http://b.test/p")
    entry = told(read(page(JSON, "application/feed+json")), 10, None)["entries"][0]
    assert (entry["author"], entry["summary"], entry["tags"]) == ("Bo", "hi you", ["t"])


def test_only_what_is_newer_is_shown():
    moment = since_of("2024-05-02", 0)
    assert [each["title"] for each in told(read(page(RSS)), 10, moment)["entries"]] == ["New"]


def test_a_moment_may_be_a_while_ago():
    assert since_of("2d", 200_000) == 200_000 - 172_800
    assert since_of("3 hours ago", 20_000) == 20_000 - 10_800
    with pytest.raises(InvalidArguments, match="no moment"):
        since_of("someday", 0)


def test_a_page_that_is_no_feed_is_told():
    with pytest.raises(ToolError, match="is no feed"):
        read(page("<html><body>hi</body></html>", "text/html"))


@given(st.text(max_size=300))
def test_whatever_is_read_is_a_feed_or_an_error(text):
    given_page = page(text)
    is_feed(given_page)
    with contextlib.suppress(ToolError):
        told(read(given_page), 5, None)


def test_a_page_leads_to_the_feed_it_names(web, caller, site):
    site.routes["/"] = '<link rel="alternate" type="application/rss+xml" href="/rss">'
    site.routes["/rss"] = (200, {"content-type": "application/rss+xml"}, RSS)
    feed = run(web, feed_at(web, site.url(), caller))
    assert feed.title == "News"
