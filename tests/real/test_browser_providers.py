"""Browsers that run elsewhere: attached to, driven, given back, and held to the same rules."""

from __future__ import annotations

import json
import re

import pytest
from tests.real.browser_services import HAS_BROWSER, SERVICES, Listening
from tests.services.web.conftest import Site

from hermes import Runtime

pytestmark = pytest.mark.skipif(not HAS_BROWSER, reason="needs chromium (apt package chromium)")
services = pytest.mark.parametrize("make", SERVICES, ids=lambda each: each.provider)


@pytest.fixture(scope="module")
def browser():
    made = Listening()
    yield made
    made.close()


@pytest.fixture
def site():
    made = Site()
    made.routes["/"] = (
        "<title>Here</title><button onclick=\"this.textContent = 'pressed'\">Press</button>"
    )
    yield made
    made.close()


@pytest.fixture
def lend(browser):
    made = []

    def lend(kind):
        made.append(kind(browser))
        return made[-1]

    yield lend
    for each in made:
        each.close()


@pytest.fixture
def open_door(tmp_path, monkeypatch):
    opened = []

    def open_door(config, variables=(), **options):
        for name, value in dict(variables).items():
            monkeypatch.setenv(name, value)
        runtime = Runtime(config=config, cwd=tmp_path, **options)
        opened.append(runtime)
        return lambda name, **given: json.loads(runtime.call_sync(name, given))

    yield open_door
    for runtime in opened:
        runtime.close()


def config(service, **urls):
    lines = [f"{service.provider}={service.url}"]
    chosen = {"provider": service.provider, "service_urls": lines}
    return {"urls": {"allow_private": True, **urls}, "browser": chosen}


def ref_of(words, answer):
    found = re.search(rf'@(\w+) \w+ "{words}', answer["snapshot"])
    assert found, answer
    return f"@{found[1]}"


@services
def test_a_lent_browser_is_driven_and_given_back(make, lend, open_door, site, browser):
    service = lend(make)
    call = open_door(config(service), service.variables)
    page = call("browser_navigate", url=site.url())
    assert (page["status"], page["title"]) == (200, "Here"), page
    assert "pressed" in str(call("browser_click", ref=ref_of("Press", page)))
    assert len(service.lent) == 1
    assert call("browser_close") == {"closed": True}
    assert service.lent == set()
    assert browser.is_running()
    assert call("browser_navigate", url=site.url())["status"] == 200, "another one is lent"


@services
def test_a_runtime_that_ends_gives_its_browser_back(make, lend, tmp_path, monkeypatch, site):
    service = lend(make)
    for name, value in service.variables.items():
        monkeypatch.setenv(name, value)
    with Runtime(config=config(service), cwd=tmp_path) as runtime:
        runtime.call_sync("browser_navigate", {"url": site.url()})
        assert len(service.lent) == 1
    assert service.lent == set()


@services
def test_a_missing_key_is_named_and_nobody_is_asked(make, lend, open_door):
    service = lend(make)
    answer = open_door(config(service))("browser_navigate", url="https://a.example/")
    assert answer["code"] == "unavailable"
    assert all(name in answer["error"] for name in service.variables)
    assert service.asked == []


@services
def test_a_wrong_key_is_told_in_the_words_of_the_service(make, lend, open_door):
    service = lend(make)
    wrong = {**service.variables, next(iter(service.variables)): "some-other-key"}
    answer = open_door(config(service), wrong)("browser_navigate", url="https://a.example/")
    assert answer["code"] == "browser_service"
    assert "401" in answer["error"]
    assert "some-other-key" not in json.dumps(answer)


@services
def test_a_service_that_is_down_is_told(make, lend, open_door):
    service = lend(make)
    service.close()
    answer = open_door(config(service), service.variables)(
        "browser_navigate", url="https://a.example/"
    )
    assert answer["code"] == "connection"
    assert "cannot be reached" in answer["error"]


@services
def test_a_lent_browser_that_does_not_answer_is_given_back(make, lend, open_door):
    service = lend(make)

    class Gone:
        url = "http://127.0.0.1:9"
        socket = "ws://127.0.0.1:9/devtools/browser/x"

    service.browser = Gone
    answer = open_door(config(service), service.variables)(
        "browser_navigate", url="https://a.example/"
    )
    assert answer["code"] == "unavailable"
    assert service.lent == set()


@pytest.fixture(params=["cdp", *SERVICES], ids=lambda each: getattr(each, "provider", each))
def elsewhere(request, browser, lend):
    """Settings and variables of every browser that was not started here."""

    def settings(*, allow_private):
        if request.param == "cdp":
            chosen = {"provider": "cdp", "cdp_url": browser.url}
            return {"urls": {"allow_private": allow_private}, "browser": chosen}, {}
        service = lend(request.param)
        return config(service, allow_private=allow_private), service.variables

    return settings


def test_private_places_are_closed_to_pages_elsewhere_too(elsewhere, open_door, site):
    call = open_door(*elsewhere(allow_private=False))
    assert call("browser_navigate", url=site.url())["code"] == "denied"
    call("browser_snapshot")
    call(
        "browser_console",
        expression=f"fetch('{site.url('/x')}', {{mode: 'no-cors'}}).catch(() => 0)",
    )
    assert site.requests == []


def test_what_pages_elsewhere_load_is_held_to_the_hosts_of_the_profile(elsewhere, open_door, site):
    other = Site()
    host = site.root.removeprefix("http://")
    profile = {"allow": ["*"], "restrictions": {"network:*": {"allowed_hosts": [host]}}}
    settings, variables = elsewhere(allow_private=True)
    call = open_door(settings, variables, profile=profile)
    away = other.url("/x")
    site.routes["/"] = f"<img src='{away}'><iframe src='{away}'></iframe><a href='{away}'>Leave</a>"
    site.routes["/away"] = (302, {"location": away}, b"")
    try:
        page = call("browser_navigate", url=site.url())
        assert page["status"] == 200, page
        assert away in str(page), "what was kept away is told"
        call("browser_click", ref=ref_of("Leave", page))
        moved = call("browser_navigate", url=site.url("/away"))
        assert moved.get("code") == "denied", moved
        assert other.requests == []
    finally:
        other.close()


def test_a_browser_of_ones_own_is_attached_to_and_left_running(browser, open_door, site):
    chosen = {"provider": "cdp", "cdp_url": browser.url}
    call = open_door({"urls": {"allow_private": True}, "browser": chosen})
    page = call("browser_navigate", url=site.url())
    assert "pressed" in str(call("browser_click", ref=ref_of("Press", page)))
    assert call("browser_close") == {"closed": True}
    assert browser.is_running()


def test_a_browser_that_does_not_listen_is_told(open_door):
    chosen = {"provider": "cdp", "cdp_url": "http://127.0.0.1:9"}
    answer = open_door({"browser": chosen})("browser_navigate", url="https://a.example/")
    assert answer["code"] == "unavailable"
    assert "127.0.0.1:9" in answer["error"]
    nothing = open_door({"browser": {"provider": "cdp"}})
    assert "browser.cdp_url" in nothing("browser_navigate", url="https://a.example/")["error"]


@services
def test_tasks_in_a_lent_browser_have_cookies_of_their_own(make, lend, tmp_path, monkeypatch, site):
    service = lend(make)
    for name, value in service.variables.items():
        monkeypatch.setenv(name, value)
    with Runtime(config=config(service), cwd=tmp_path) as runtime:

        def call(task, name, **given):
            return json.loads(runtime.call_sync(name, given, task))

        for task in ("one", "two"):
            call(task, "browser_navigate", url=site.url())
        call("one", "browser_console", expression="document.cookie = 'a=1'")
        seen = [
            call(each, "browser_console", expression="document.cookie") for each in ("one", "two")
        ]
    assert [each["value"] for each in seen] == ["a=1", ""]
    assert [method for method, *_ in service.asked].count("POST") <= 2, "one browser serves both"
