"""What the browser is made of, without a browser."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hermes.base.errors import InvalidArguments
from hermes.services.browser.actions import spelt
from hermes.services.browser.finding import find, found
from hermes.services.browser.going import address_of
from hermes.services.browser.processes import Ledger
from hermes.services.browser.refs import plain


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("ctrl+a", "Control+a"), ("enter", "Enter"), ("Shift+tab", "Shift+Tab"), ("a", "a"),
     ("cmd+shift+k", "Meta+Shift+k"), ("Control++", "Control++"), ("pgdn", "PageDown"), ("é", "é")],
)  # fmt: skip
def test_keys_are_spelt_as_the_browser_wants_them(given, wanted):
    assert spelt(given) == wanted


def test_an_address_without_a_scheme_is_https():
    assert address_of("example.com/a") == "https://example.com/a"
    assert address_of("localhost:8000") == "https://localhost:8000"
    assert address_of(" http://x.test ") == "http://x.test"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "chrome://settings", "javascript:alert(1)"])
def test_other_schemes_are_refused(url):
    with pytest.raises(InvalidArguments, match="does not open"):
        address_of(url)


@pytest.mark.parametrize("ref", ["@e12", "e12", "[ref=e12]", " @e12 "])
def test_a_ref_may_be_written_in_a_few_ways(ref):
    assert plain(ref) == "e12"


@pytest.mark.parametrize("ref", ["", "12", "button", "@x1", "e12; drop"])
def test_what_is_no_ref_is_refused(ref):
    with pytest.raises(InvalidArguments, match="is no ref"):
        plain(ref)


def test_the_browser_that_is_named_goes_before_those_that_are_found(tmp_path):
    for name in ("chromium", "my-chrome"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    assert find("", environment).path == str(tmp_path / "chromium")
    assert find("my-chrome", environment).source == "browser.executable"
    assert find("nothing", environment) is None


def test_playwrights_own_browser_is_found(tmp_path):
    own = tmp_path / ".cache/ms-playwright/chromium-1200/chrome-linux/chrome"
    own.parent.mkdir(parents=True)
    own.write_text("")
    environment = {"PATH": "/nowhere", "HOME": str(tmp_path)}
    assert [each.source for each in found("", environment)] == ["Playwright"]


def test_a_browser_whose_hermes_is_gone_is_ended(tmp_path):
    left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    code = (
        "import sys; from pathlib import Path;"
        "from hermes.services.browser.processes import Ledger;"
        f"Ledger(Path({str(tmp_path)!r})).note({left.pid})"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert Ledger(tmp_path).reap() == 1
    assert left.wait(10) != 0
    assert list(tmp_path.iterdir()) == []


def test_a_browser_whose_hermes_lives_is_left_alone(tmp_path):
    kept = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        Ledger(tmp_path).note(kept.pid)
        assert Ledger(tmp_path).reap() == 0
        assert kept.poll() is None
        Ledger(tmp_path).note(None)
        assert not (tmp_path / f"{os.getpid()}.txt").exists()
    finally:
        kept.kill()
        kept.wait()
