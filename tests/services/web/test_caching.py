"""Which answers are kept, and what they may answer."""

from __future__ import annotations

import pytest
from tests.services.web.conftest import run

from hermes.services.web.asking import Ask

KEPT = {"cache-control": "max-age=60", "content-type": "text/plain"}


def fetched(web, caller, *asks):
    """Return the pages that answer requests, one after the other."""

    async def each():
        return [await web.fetch(ask, caller) for ask in asks]

    return run(web, each())


@pytest.mark.parametrize(
    "header",
    [
        ("authorization", "Bearer other"),
        ("x-api-key", "other"),
        ("cookie", "a=b"),
        ("range", "bytes=0-1"),
        ("cache-control", "no-cache"),
        ("if-none-match", '"2"'),
    ],
)
def test_a_request_that_asks_for_more_than_the_page_is_sent(web, caller, site, header):
    site.routes["/"] = (200, KEPT, b"x")
    plain = Ask(site.url())
    pages = fetched(web, caller, plain, plain._replace(headers=(header,)), plain)
    assert [page.is_cached for page in pages] == [False, False, True]
    assert len(site.requests) == 2


def test_an_answer_to_one_log_in_answers_no_other(web, caller, site):
    site.routes["/"] = lambda request: (200, KEPT, request.headers["authorization"] or "nobody")
    asks = [Ask(site.url(), headers=(("Authorization", who),)) for who in ("ann", "bob")]
    pages = fetched(web, caller, *asks, Ask(site.url()))
    assert [page.text() for page in pages] == ["ann", "bob", "nobody"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_a_request_changed_is_asked_for_again(web, caller, site, method):
    site.routes["/a"] = site.routes["/b"] = (200, KEPT, b"x")
    site.routes["/make"] = (201, {"location": "/a"}, b"")
    gets = [Ask(site.url("/a")), Ask(site.url("/b"))]
    change = [Ask(site.url("/b"), method), Ask(site.url("/make"), method)]
    pages = fetched(web, caller, *gets, *change, *gets)
    assert [page.is_cached for page in pages[-2:]] == [False, False]


def test_a_request_that_failed_changed_nothing(web, caller, site):
    def page(request):
        return (200, KEPT, b"x") if request.method == "GET" else (403, {}, b"no")

    site.routes["/"] = page
    pages = fetched(web, caller, Ask(site.url()), Ask(site.url(), "POST"), Ask(site.url()))
    assert [each.is_cached for each in pages] == [False, False, True]


def test_a_page_that_hangs_on_cookies_is_asked_about(web, caller, site):
    headers = {**KEPT, "vary": "Cookie", "etag": '"1"'}

    def page(request):
        if request.headers["cookie"]:
            return 200, {**headers, "etag": '"2"'}, b"for you"
        return 200, headers, b"for anybody"

    site.routes["/"] = page
    site.routes["/in"] = (200, {"set-cookie": "who=me; Path=/"}, b"")
    pages = fetched(web, caller, Ask(site.url()), Ask(site.url("/in")), Ask(site.url()))
    assert [pages[0].text(), pages[2].text()] == ["for anybody", "for you"]


@pytest.mark.parametrize(("age", "is_fresh"), [("10", True), ("60", False), ("soon", True)])
def test_the_time_that_an_answer_was_on_its_way_counts(web, caller, site, age, is_fresh):
    site.routes["/"] = (200, {**KEPT, "age": age}, b"x")
    assert fetched(web, caller, Ask(site.url()), Ask(site.url()))[1].is_cached is is_fresh
