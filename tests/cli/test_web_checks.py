"""The doctor says which browser is driven and which search engines can be asked."""

from __future__ import annotations

import json

import pytest

from hermes.cli.web_checks import of_web
from hermes.config.load import load

KEYS = {"BROWSERBASE_API_KEY": "k", "BROWSERBASE_PROJECT_ID": "p"}


def told(hermes_home, given, environment):
    (hermes_home / "config.yaml").write_text(json.dumps(given))
    found = of_web(load(), environment)
    return {each.subject: (each.level, each.message) for each in found}


@pytest.fixture
def chromium(tmp_path):
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


def test_the_browser_of_this_machine_is_named(hermes_home, chromium):
    there = {"PATH": str(chromium.parent), "HOME": "/nowhere"}
    assert told(hermes_home, {}, there)["browser"] == ("ok", f"{chromium}, found by the PATH")
    named = {"browser": {"executable": str(chromium)}}
    assert told(hermes_home, named, {"PATH": ""})["browser"] == (
        "ok", f"{chromium}, found by browser.executable"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("browser", "environment", "level", "words"),
    [
        ({}, {}, "note", "no Chromium"),
        ({"executable": "/no/such"}, {}, "broken", "/no/such"),
        ({"provider": "cdp"}, {}, "broken", "browser.cdp_url"),
        ({"provider": "cdp", "cdp_url": "http://127.0.0.1:9"}, {}, "ok", "127.0.0.1:9"),
        ({"provider": "browserbase"}, {}, "broken", "BROWSERBASE_API_KEY"),
        ({"provider": "browserbase"}, KEYS, "ok", "browserbase"),
    ],
)
def test_a_browser_that_cannot_be_had_says_what_it_lacks(
    hermes_home, browser, environment, level, words
):
    around = {"PATH": "/nowhere", "HOME": "/nowhere", **environment}
    found = told(hermes_home, {"browser": browser}, around)["browser"]
    assert found[0] == level
    assert words in found[1]


def test_engines_that_are_ready_are_told_in_their_order(hermes_home):
    assert told(hermes_home, {}, {})["search"] == ("ok", "asked in this order: duckduckgo")
    given = {"web": {"searxng_url": "http://127.0.0.1:8888"}}
    found = told(hermes_home, given, {"BRAVE_API_KEY": "k", "BRAVE_SEARCH_API_KEY": "k"})["search"]
    assert found[1] == "asked in this order: searxng, duckduckgo, brave"
    lacking = told(hermes_home, {"web": {"search_engines": ["tavily"]}}, {})["search"]
    assert lacking[0] == "note"
    assert "TAVILY_API_KEY" in lacking[1]
    unknown = told(hermes_home, {"web": {"search_engines": ["jeeves"]}}, {})["search"]
    assert unknown[0] == "broken"
