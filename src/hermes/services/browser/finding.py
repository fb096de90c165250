"""Find a browser on this machine: the system's Chromium or Chrome, or Playwright's own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome",
          "microsoft-edge", "brave-browser")  # fmt: skip
_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_OWN = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
    "chromium_headless_shell-*/chrome-linux*/headless_shell",
    "chromium_headless_shell-*/chrome-headless-shell-*/chrome-headless-shell",
)


class Browser(NamedTuple):
    """A browser that can be started."""

    path: str
    source: str
    """Who says so: the settings, the system, or Playwright."""


def find(executable: str, environment: Mapping[str, str]) -> Browser | None:
    """Return the browser that is started, or None when there is none."""
    return next(found(executable, environment), None)


def found(executable: str, environment: Mapping[str, str]) -> Iterator[Browser]:
    """Yield the browsers of this machine, the one that is started first."""
    if executable:
        there = shutil.which(executable, path=environment.get("PATH"))
        if there:
            yield Browser(there, "browser.executable")
        return
    for name in _NAMES:
        there = shutil.which(name, path=environment.get("PATH"))
        if there:
            yield Browser(there, "system")
    if sys.platform == "darwin":
        for path in _APPLICATIONS:
            if Path(path).exists():
                yield Browser(path, "system")
    for pattern in _OWN:
        for path in sorted(_cache(environment).glob(pattern), reverse=True):
            yield Browser(str(path), "Playwright")


def _cache(environment: Mapping[str, str]) -> Path:
    named = environment.get("PLAYWRIGHT_BROWSERS_PATH")
    if named and named != "0":
        return Path(named)
    home = Path(environment.get("HOME", "/"))
    mac = home / "Library/Caches/ms-playwright"
    return mac if sys.platform == "darwin" else home / ".cache/ms-playwright"
