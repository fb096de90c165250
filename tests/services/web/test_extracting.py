"""What pages say: articles, documents, feeds, data, and what fits a question."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.services.web.conftest import run

from hermes.base.errors import ToolError
from hermes.services.web.excerpts import excerpt
from hermes.services.web.extract.articles import read as read_article
from hermes.services.web.extract.many import Reader, Wanted
from hermes.services.web.extract.paging import shown
from hermes.services.web.extract.reading import Tools

WORDS = "The committee met on Tuesday to discuss the harbour, its cranes and the new bridge. "
ARTICLE = f"""<html lang="en"><head><title>Harbour | Paper</title><meta name="author" content="Ann Lee">
<meta property="article:published_time" content="2024-05-01T08:00:00Z">
<meta property="og:site_name" content="The Paper"></head><body>
<nav><a href="/">Home</a><a href="/sport">Sport</a></nav>
<article><h1>Harbour grows</h1><p>{WORDS * 4}</p><p>See <a href="/plan.html">the plan</a>. {WORDS * 3}</p>
<h2>Figures</h2><table><tr><th>Year</th><th>Ships</th></tr><tr><td>2023</td><td>41</td></tr></table>
<pre><code>def ships():
    return 41
</code></pre><p>{WORDS * 2}</p></article>
<aside>Buy now! Great offers!</aside><footer>Imprint and privacy</footer></body></html>"""


def reader(web, **given):
    return Reader(Tools(web.fetch, lambda kind, data, name: f"{kind} {len(data)}", **given))


def test_an_article_is_read_without_what_stands_around_it():
    found = read_article(ARTICLE, "https://paper.test/harbour")
    assert (found.title, found.author, found.date) == ("Harbour grows", "Ann Lee", "2024-05-01")
    assert found.site == "The Paper"
    assert "| 2023 | 41 |" in found.text
    assert "```\ndef ships():\n    return 41" in found.text
    for around in ("Sport", "Buy now", "Imprint"):
        assert around not in found.text
    assert ("the plan", "https://paper.test/plan.html") in found.links
    assert "https://" not in found.text, "addresses are told apart from the text"


@pytest.mark.parametrize("tag", ["main", "article"])
def test_a_vast_page_is_told_whole_and_at_once(tag):
    body = f"<p>{WORDS}</p>" * 40_000
    html = f"<title>Vast</title><nav>Menu</nav><div>Around</div><{tag}>{body}</{tag}>"
    found = read_article(html, "https://x.test/")
    assert (found.title, found.is_whole) == ("Vast", True)
    assert found.text.count("harbour") == 40_000
    assert "Menu" not in found.text
    assert "Around" not in found.text


def test_a_page_that_is_too_long_says_how_far_it_was_read(web, caller, site):
    site.routes["/"] = f"<p>{WORDS}</p>" * 60_000
    (page,) = run(web, reader(web).read(Wanted((site.url(),)), caller))["pages"]
    assert "5,000,000" in page["cut"]


def test_a_page_that_takes_too_long_spoils_nothing(web, caller, site):
    async def never(url, caller):
        await asyncio.Event().wait()

    site.routes["/slow"] = "<html><body><div id=app></div><script src=a.js></script></body></html>"
    site.routes["/ok"] = ARTICLE
    urls = (site.url("/slow"), site.url("/ok"))
    tools = Tools(web.fetch, lambda kind, data, name: "", never)
    slow, good = run(web, Reader(tools, seconds=3).read(Wanted(urls), caller))["pages"]
    assert slow["code"] == "timeout"
    assert good["title"] == "Harbour grows"


def test_a_page_that_breaks_the_reading_spoils_nothing(web, caller, site):
    def broken(kind, data, name):
        raise RecursionError("deep")

    site.routes["/a.pdf"] = (200, {"content-type": "application/pdf"}, "%PDF-1.4")
    site.routes["/ok"] = ARTICLE
    urls = (site.url("/a.pdf"), site.url("/ok"))
    bad, good = run(web, Reader(Tools(web.fetch, broken)).read(Wanted(urls), caller))["pages"]
    assert bad["code"] == "not_readable"
    assert good["title"] == "Harbour grows"


@pytest.mark.parametrize(
    ("body", "is_text"),
    [("# Título\n\nwords".encode(), True), ("ü".encode() * 3_000, True), (b"a\0b", False),
     (b"\xff\xfe\x01", False), (b"\x89PNG\r\n", False)],
)  # fmt: skip
def test_text_that_a_service_does_not_know_as_such_is_read(web, caller, site, body, is_text):
    site.routes["/x"] = (200, {"content-type": "application/octet-stream"}, body)
    (page,) = run(web, reader(web).read(Wanted((site.url("/x"),)), caller))["pages"]
    assert page.get("content") == (body.decode() if is_text else None)
    assert page.get("code") == (None if is_text else "not_text")


def test_text_and_html_say_the_same():
    for form in ("text", "html"):
        text = read_article(ARTICLE, "https://paper.test/harbour", form).text
        assert "the new bridge" in text
        assert "Buy now" not in text
    assert "<table>" in read_article(ARTICLE, "", "html").text


def test_a_page_without_an_article_is_told_whole():
    html = "<html><body><ul><li><a href='/1'>First story</a><li><a href='/2'>Second</a></ul></body>"
    found = read_article(html, "https://x.test/")
    assert found.is_whole
    assert "[First story](https://x.test/1)" in found.text


def test_a_page_that_its_scripts_fill_is_known():
    html = "<html><body><div id=root></div><script src=app.js></script></body></html>"
    assert read_article(html, "").needs_scripts
    assert not read_article(ARTICLE, "").needs_scripts


@given(st.text(max_size=300))
def test_any_text_can_be_read(html):
    read_article(html, "https://x.test/")


@pytest.mark.proves("web-one-failure")
def test_addresses_are_read_together_and_one_failure_spoils_nothing(web, caller, site):
    site.routes["/a"] = ARTICLE
    site.routes["/j"] = (200, {"content-type": "application/json"}, json.dumps({"a": [1]}))
    site.routes["/p"] = (200, {"content-type": "application/pdf"}, b"%PDF-1.7 ...")
    site.routes["/z"] = (200, {"content-type": "image/png"}, b"\x89PNG\0")
    urls = tuple(site.url(path) for path in ("/a", "/gone", "/j", "/p", "/z"))
    found = run(web, reader(web).read(Wanted(urls), caller))
    article, gone, data, document, picture = found["pages"]
    assert article["title"] == "Harbour grows"
    assert "404" in gone["error"]
    assert data["content"] == '{\n  "a": [\n    1\n  ]\n}'
    assert document["content"] == "pdf 12"
    assert "no text to read" in picture["error"]
    assert found["failed"] == 2


def test_a_page_that_needs_scripts_is_read_by_the_browser(web, caller, site):
    site.routes["/"] = "<html><body><div id=root></div><script>x</script></body></html>"

    async def render(url, who):
        return ARTICLE

    found = run(web, reader(web, render=render).read(Wanted((site.url(),)), caller))
    assert found["pages"][0]["rendered"]
    assert "harbour" in found["pages"][0]["content"]


def test_a_browser_that_cannot_help_is_told(web, caller, site):
    site.routes["/"] = "<html><body><div id=root></div><script>x</script></body></html>"

    async def render(url, who):
        raise ToolError("there is no browser")

    page = run(web, reader(web, render=render).read(Wanted((site.url(),)), caller))["pages"][0]
    assert "there is no browser" in page["note"]


def test_a_long_text_is_paged_without_loss():
    text = "\n".join(f"line {number} of a long text" for number in range(500))
    offset, got = 0, ""
    while True:
        part = shown(text, offset, 1_000)
        got += part["content"]
        assert len(part["content"]) <= 1_000
        if "next_offset" not in part:
            break
        offset = part["next_offset"]
    assert got == text


@given(st.text(max_size=2_000), st.integers(200, 900))
def test_paging_always_ends_and_loses_nothing(text, chars):
    offset, got = 0, ""
    for _ in range(200):
        part = shown(text, offset, chars)
        got += part["content"]
        if "next_offset" not in part:
            break
        assert part["next_offset"] > offset
        offset = part["next_offset"]
    assert got == text


def test_an_excerpt_answers_the_question_in_the_order_of_the_text():
    parts = [f"Paragraph {n} about nothing much." for n in range(50)]
    parts[10] = "# Shipping\n\nThe harbour has forty-one ships."
    parts[40] = "Ships pay a harbour fee of ten crowns."
    found = excerpt("\n\n".join(parts), "how many ships are in the harbour?", 400)
    assert "forty-one ships" in found
    assert "ten crowns" in found
    assert found.index("forty-one") < found.index("ten crowns")
    assert "# Shipping" in found
    assert len(found) < 600


def test_a_question_that_nothing_fits_shows_the_beginning():
    found = shown("alpha beta\n" * 100, 0, 200, "zebra")
    assert found["content"].startswith("alpha")
    assert "Nothing in it fits" in found["note"]
