"""The browser tools through the whole pipeline: what they take, and where pages may go."""

from __future__ import annotations

import re
import shutil

import pytest
from tests.tools.web.conftest import OPEN, Person

import hermes

TOOLS = {
    "browser_navigate": {"url": "https://a.example/"},
    "browser_snapshot": {},
    "browser_click": {"ref": "@e1"},
    "browser_type": {"ref": "@e1", "text": "x"},
    "browser_scroll": {"direction": "down"},
    "browser_back": {},
    "browser_press": {"key": "Enter"},
    "browser_get_images": {},
    "browser_vision": {"question": "What is it?"},
    "browser_console": {},
    "browser_screenshot": {},
    "browser_dialog": {"action": "accept"},
    "browser_close": {},
}
chromium = pytest.mark.skipif(
    not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    reason="needs chromium (apt package chromium)",
)


def hosts(*names, key="allowed_hosts"):
    return {"allow": ["*"], "restrictions": {"network:*": {key: list(names)}}}


def host(site):
    return site.root.removeprefix("http://")


def ref_of(words, answer):
    found = re.search(rf'@(\w+) \w+ "{words}', answer["snapshot"])
    assert found, answer
    return f"@{found[1]}"


def test_the_parameters_are_those_of_the_catalogue():
    with hermes.Runtime() as runtime:
        told = {each["function"]["name"]: each["function"] for each in runtime.definitions()}
    wanted = {
        "browser_navigate": ["url"],
        "browser_click": ["ref"],
        "browser_type": ["ref", "text"],
        "browser_scroll": ["direction"],
        "browser_press": ["key"],
        "browser_vision": ["question"],
        "browser_dialog": ["action"],
    }
    for name in TOOLS:
        assert told[name]["parameters"].get("required", []) == wanted.get(name, []), name


@pytest.mark.parametrize("name", TOOLS)
def test_without_its_extra_every_tool_names_the_command_that_installs_it(monkeypatch, door, name):
    monkeypatch.setattr("hermes.runtime.extras.installed", lambda extra: extra != "browser")
    answer = door()(name, **TOOLS[name])
    assert answer["code"] == "unavailable"
    assert "pip install 'hermes-tools[browser]'" in answer["error"]


@pytest.mark.parametrize("name", TOOLS)
def test_a_profile_without_browsing_has_no_browser(door, name):
    call = door(profile={"allow": ["network:fetch", "file:*"]})
    assert call(name, **TOOLS[name])["code"] == "denied"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("browser_click", {"ref": "the button"}),
        ("browser_type", {"ref": "e", "text": "x"}),
        ("browser_scroll", {"direction": "sideways"}),
        ("browser_dialog", {"action": "maybe"}),
        ("browser_navigate", {"url": "javascript:alert(1)"}),
        ("browser_navigate", {"url": "chrome://settings"}),
        ("browser_navigate", {"url": "https://ann:pass@a.example/"}),
    ],
)
def test_what_cannot_be_meant_is_refused_before_a_browser_starts(door, name, arguments):
    assert door()(name, **arguments)["code"] in ("invalid_arguments", "denied")


def test_a_machine_without_a_browser_says_what_to_install(door):
    call = door(config={**OPEN, "browser": {"executable": "no-such-browser"}})
    answer = call("browser_navigate", url="https://a.example/")
    assert answer["code"] == "unavailable"
    assert "apt install chromium" in answer["hint"]


def test_a_secret_is_neither_opened_nor_typed(monkeypatch, door):
    monkeypatch.setenv("SHOP_API_KEY", "top-secret-value-1")
    call = door()
    opened = call("browser_navigate", url="https://a.example/?k=top-secret-value-1")
    typed = call("browser_type", ref="@e1", text="my key is top-secret-value-1")
    assert [opened["code"], typed["code"]] == ["denied", "denied"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("browser_console", {"expression": "fetch('/?k=top-secret-value-1')"}),
        ("browser_dialog", {"action": "accept", "prompt_text": "top-secret-value-1"}),
        ("browser_press", {"key": " ".join("top-secret-value-1")}),
    ],
)
def test_no_other_way_into_a_page_lets_a_secret_through(monkeypatch, door, name, arguments):
    monkeypatch.setenv("SHOP_API_KEY", "top-secret-value-1")
    assert door()(name, **arguments)["code"] == "denied"


@chromium
@pytest.mark.parametrize("key", ["allowed_hosts", "denied_hosts"])
def test_the_hosts_of_a_profile_bind_pages_and_what_they_load(door, site, other_site, key):
    named = site if key == "allowed_hosts" else other_site
    call = door(profile=hosts(host(named), key=key))
    away = other_site.url("/x")
    site.routes["/away"] = (302, {"location": away}, b"")
    site.routes["/"] = (
        f"<img src='{away}'><script src='{away}'></script><iframe src='{away}'></iframe>"
        f"<a href='{away}'>Leave</a>"
        f"<button onclick=\"fetch('{away}', {{mode: 'no-cors'}}).catch(() => 0)\">Load</button>"
    )
    page = call("browser_navigate", url=site.url())
    assert page["status"] == 200, page
    assert host(other_site).partition(":")[0] in str(page["blocked"])
    call("browser_click", ref=ref_of("Load", page))
    call("browser_click", ref=ref_of("Leave", page))
    assert call("browser_snapshot").get("code") in ("denied", None)
    call("browser_click", ref=ref_of("Leave", call("browser_navigate", url=site.url())))
    assert call("browser_navigate", url=away)["code"] == "denied"
    assert call("browser_navigate", url=site.url("/away"))["code"] == "denied"
    assert "snapshot" in call("browser_navigate", url=site.url())
    assert other_site.requests == []


@chromium
def test_a_person_who_allows_each_call_is_asked_for_each(door, site, other_site):
    site.routes["/"] = "<button>Go</button>"
    other_site.routes["/"] = "<h1>There</h1>"
    person = Person("once")
    asking = {"allow": ["*"], "approval_required": ["network:browse"]}
    call = door(profile=asking, approver=person)
    page = call("browser_navigate", url=site.url())
    assert "error" not in call("browser_click", ref=ref_of("Go", page))
    assert "There" in str(call("browser_navigate", url=other_site.url()))
    assert len(person.asked) == 3


@chromium
def test_expressions_need_a_permission_of_their_own(door, site):
    site.routes["/"] = "<title>T</title>"
    call = door(profile={"allow": ["network:browse"]})
    call("browser_navigate", url=site.url())
    assert call("browser_console")["messages"] is not None
    assert call("browser_console", expression="document.title")["code"] == "denied"
    assert door()("browser_console", expression="1 + 1")["value"] == 2


@chromium
def test_a_picture_is_written_only_where_files_may_be(door, site, tmp_path):
    site.routes["/"] = "<h1>hi</h1>"
    call = door()
    call("browser_navigate", url=site.url())
    assert call("browser_screenshot", path="/etc/x.png")["code"] == "denied"
    saved = call("browser_screenshot", path="shots/a.png", full_page=True)
    assert (tmp_path / "shots/a.png").read_bytes()[:4] == b"\x89PNG", saved


@chromium
def test_the_model_that_sees_answers_about_the_page(door, site, tmp_path):
    script = tmp_path / "script.yaml"
    script.write_text("steps:\n  - text: It is red.\n")
    site.routes["/"] = "<h1 style='color:red'>hi</h1>"
    call = door(config={**OPEN, "browser": {"vision_model": f"scripted:{script}"}})
    call("browser_navigate", url=site.url())
    answer = call("browser_vision", question="Which colour?", annotate=True)
    assert answer == {"answer": "It is red."}


@chromium
def test_going_back_shows_the_page_before(door, site):
    site.routes["/one"] = "<h1>One</h1>"
    site.routes["/two"] = "<h1>Two</h1>"
    call = door()
    call("browser_navigate", url=site.url("/one"))
    call("browser_navigate", url=site.url("/two"))
    assert "# One" in call("browser_back")["snapshot"]
