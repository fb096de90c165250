"""Pages asked for: followed, tried again, cut, kept, and never where they may not go."""

from __future__ import annotations

import threading

import pytest
from tests.services.web.conftest import Caller, run

from hermes.base.errors import Denied, TimedOut, ToolError
from hermes.policy.urls import UrlRules
from hermes.services.web import Ask, Web


def fetch(web, caller, url, **ask):
    return run(web, web.fetch(Ask(url, **ask), caller))


@pytest.mark.proves("web-redirects")
def test_a_redirect_is_followed_and_its_trail_told(web, caller, site):
    site.routes["/a"] = (302, {"location": "/b"}, b"")
    site.routes["/b"] = "here"
    page = fetch(web, caller, site.url("/a"))
    assert (page.status, page.url, page.text()) == (200, site.url("/b"), "here")
    assert page.redirects == (site.url("/a"),)
    assert caller.checked.count(site.url("/b")) == 1, "where it leads is judged too"


def test_a_redirect_is_shown_when_it_is_not_to_be_followed(web, caller, site):
    site.routes["/a"] = (302, {"location": "/b"}, b"")
    assert fetch(web, caller, site.url("/a"), follows=False).status == 302


def test_redirects_in_a_circle_end(web, caller, site):
    site.routes["/a"] = (302, {"location": "/a"}, b"")
    with pytest.raises(ToolError, match="redirects more than"):
        fetch(web, caller, site.url("/a"))


def test_a_redirect_to_another_origin_takes_no_credentials_along(web, caller, site, other_site):
    site.routes["/a"] = (302, {"location": other_site.url("/b")}, b"")
    other_site.routes["/b"] = "there"
    headers = (("authorization", "Bearer x"), ("cookie", "a=b"), ("accept", "text/html"))
    fetch(web, caller, site.url("/a"), headers=headers)
    got = other_site.requests[0].headers
    assert got["authorization"] is None
    assert got["cookie"] is None
    assert got["accept"] == "text/html"


def test_content_is_not_sent_on_to_another_origin(web, caller, site, other_site):
    site.routes["/a"] = (307, {"location": other_site.url("/b")}, b"")
    with pytest.raises(ToolError, match="was not sent the request's content"):
        fetch(web, caller, site.url("/a"), method="POST", content=b"secret plans")
    assert other_site.requests == []


def test_a_post_that_is_redirected_becomes_a_get_without_its_body(web, caller, site):
    site.routes["/a"] = (303, {"location": "/b"}, b"")
    site.routes["/b"] = lambda request: f"{request.method} {len(request.body)}"
    page = fetch(web, caller, site.url("/a"), method="POST", content=b"xyz")
    assert page.text() == "GET 0"


@pytest.mark.proves("web-rebinding")
def test_a_name_that_leads_inside_is_refused_when_it_is_dialled(site):
    async def rebind(host, port):
        return ("127.0.0.1",)

    web = Web(resolve=rebind)
    caller = Caller(rules=(UrlRules(),))
    port = site.root.rpartition(":")[2]
    with pytest.raises(Denied, match="this machine itself"):
        fetch(web, caller, f"http://example.com:{port}/")
    assert site.requests == []


def test_a_connection_that_other_rules_allowed_is_not_used(site):
    async def rebind(host, port):
        return ("127.0.0.1",)

    web = Web(resolve=rebind)

    async def both():
        port = site.root.rpartition(":")[2]
        url = f"http://example.com:{port}/"
        site.routes["/"] = "inside"
        named = (UrlRules(allow_private=True, allowed_hosts=("example.com",)),)
        page = await web.fetch(Ask(url), Caller("a", named))
        assert page.text() == "inside"
        with pytest.raises(Denied):
            await web.fetch(Ask(url), Caller("b", (UrlRules(),)))

    run(web, both())


def test_a_busy_service_is_asked_again_when_it_says(web, caller, site):
    answers = iter([(503, {"retry-after": "0"}, b""), (429, {"retry-after": "0"}, b""), "done"])
    site.routes["/"] = lambda _: next(answers)
    assert fetch(web, caller, site.url()).text() == "done"
    assert len(site.requests) == 3


def test_a_post_is_never_sent_twice(web, caller, site):
    site.routes["/"] = (503, {"retry-after": "0"}, b"")
    assert fetch(web, caller, site.url(), method="POST", content=b"x").status == 503
    assert len(site.requests) == 1


def test_a_long_wait_is_left_to_the_caller(web, caller, site):
    site.routes["/"] = (429, {"retry-after": "3600"}, b"")
    assert fetch(web, caller, site.url()).status == 429
    assert len(site.requests) == 1


def test_a_body_is_read_up_to_its_limit(web, caller, site):
    site.routes["/"] = (200, {"content-type": "text/plain"}, b"x" * 100_000)
    page = fetch(web, caller, site.url(), max_bytes=1_000)
    assert (len(page.body), page.is_cut) == (1_000, True)


def test_a_service_that_does_not_answer_is_told(web, caller, site):
    stop = threading.Event()
    site.routes["/"] = lambda _: "late" if stop.wait(5) else "never"
    with pytest.raises(TimedOut, match="did not answer within"):
        fetch(web, caller, site.url(), seconds=0.2)
    stop.set()


def test_a_host_that_is_not_there_is_told(web, caller):
    with pytest.raises(ToolError, match="cannot be reached"):
        fetch(web, caller, "http://127.0.0.1:9/", attempts=1)


@pytest.mark.proves("web-tasks-apart")
def test_each_task_has_cookies_of_its_own(web, site):
    site.routes["/in"] = (200, {"set-cookie": "who=me; Path=/"}, b"")
    site.routes["/show"] = lambda request: str(request.headers["cookie"])

    async def both():
        one, two = Caller("one"), Caller("two")
        await web.fetch(Ask(site.url("/in")), one)
        shown = [await web.fetch(Ask(site.url("/show"), may_cache=False), c) for c in (one, two)]
        web.forget("one")
        after = await web.fetch(Ask(site.url("/show"), may_cache=False), one)
        return [page.text() for page in (*shown, after)]

    assert run(web, both()) == ["who=me", "None", "None"]


def test_a_page_that_still_holds_is_not_sent_again(web, caller, site):
    def page(request):
        if request.headers["if-none-match"] == '"1"':
            return 304, {"etag": '"1"'}, b""
        return 200, {"etag": '"1"', "content-type": "text/plain"}, b"long text"

    site.routes["/"] = page

    async def twice():
        return [await web.fetch(Ask(site.url()), caller) for _ in range(2)]

    first, second = run(web, twice())
    assert (first.is_cached, second.is_cached) == (False, True)
    assert first.text() == second.text() == "long text"
    assert len(site.requests) == 2


def test_a_page_that_is_fresh_is_not_asked_for(web, caller, site):
    site.routes["/"] = (200, {"cache-control": "max-age=60"}, b"x")

    async def twice():
        await web.fetch(Ask(site.url()), caller)
        return await web.fetch(Ask(site.url()), caller)

    assert run(web, twice()).is_cached
    assert len(site.requests) == 1


def test_what_must_not_be_stored_is_not(web, caller, site):
    site.routes["/"] = (200, {"cache-control": "no-store", "etag": '"1"'}, b"x")

    async def twice():
        await web.fetch(Ask(site.url()), caller)
        return await web.fetch(Ask(site.url()), caller)

    assert not run(web, twice()).is_cached


@pytest.mark.proves("web-secrets")
@pytest.mark.parametrize("where", ["url", "header", "name", "body"])
def test_a_secret_of_the_environment_never_leaves(site, caller, where):
    web = Web(leak=lambda text: {"MY_TOKEN"} if "s3cr3t-value" in text else ())
    given = {
        "url": {"url": site.url("/?q=s3cr3t-value")},
        "header": {"url": site.url(), "headers": (("x-key", "s3cr3t-value"),)},
        "name": {"url": site.url(), "headers": (("s3cr3t-value", "x"),)},
        "body": {"url": site.url(), "method": "POST", "content": b"a=s3cr3t-value"},
    }[where]
    with pytest.raises(Denied, match="MY_TOKEN"):
        run(web, web.fetch(Ask(**given), caller))
    assert site.requests == []


def test_a_secret_beside_one_that_is_meant_for_the_service_stays_here(site, caller):
    web = Web(leak=lambda text: [name for name in ("KEY_ONE", "KEY_TWO") if name in text])
    with pytest.raises(Denied, match="KEY_TWO"):
        run(web, web.fetch(Ask(site.url("/?k=KEY_ONE&q=KEY_TWO")), caller, {"KEY_ONE"}))
    assert site.requests == []


def test_a_secret_that_is_meant_for_the_service_goes_there(site, caller):
    web = Web(leak=lambda text: {"MY_TOKEN"} if "s3cr3t-value" in text else ())
    site.routes["/"] = lambda request: request.headers["x-key"]
    ask = Ask(site.url(), headers=(("x-key", "s3cr3t-value"),))
    page = run(web, web.fetch(ask, caller, {"MY_TOKEN"}))
    assert page.text() == "s3cr3t-value"
