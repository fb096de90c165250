"""A Chromium that is started on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from playwright.async_api import Error

from hermes.base.errors import Unavailable
from hermes.base.text import harmless
from hermes.services.browser.contract import Connected, Means
from hermes.services.browser.finding import find

NAME = "local"
KEYS = ()
_QUIET = (
    "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--disable-gpu", "--mute-audio", "--disable-dev-shm-usage",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-domain-reliability", "--no-pings", "--disable-default-apps",
    "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,"
    "PreconnectToSearch,NetworkTimeServiceQuerying,InterestFeedContentSuggestions",
)  # fmt: skip


async def open(means: Means) -> Connected:
    """Start a browser that is found here; connections of its pages go through our proxy alone."""
    chosen = find(means.options.executable, means.environment)
    if chosen is None:
        raise Unavailable(
            "there is no Chromium or Chrome on this machine",
            hint="Install one (apt install chromium, or playwright install chromium), or name one "
            "in browser.executable.",
        )
    try:
        browser = await means.playwright.chromium.launch(
            executable_path=chosen.path,
            headless=means.options.is_headless,
            args=[*_QUIET, *_without_sandbox()],
            # every context names its own; this one makes Chromium accept that
            proxy={"server": "http://per-context"},
            env=_plain(means.environment),
            timeout=30_000,
        )
    except Error as error:
        said = harmless(str(error).splitlines()[0] if str(error) else "", limit=300)
        raise Unavailable(
            f"{chosen.path} did not start: {said}",
            hint="Start it by hand to see why, or name another one in browser.executable.",
        ) from error
    return Connected(browser, browser.close, is_local=True, name=chosen.path)


def _without_sandbox() -> tuple[str, ...]:
    """Return what root needs: Chromium refuses to start its own sandbox for it."""
    is_root = sys.platform == "linux" and os.geteuid() == 0
    return ("--no-sandbox",) if is_root else ()


def _plain(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the few variables that a browser needs; no secret is among them."""
    names = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY",
             "XAUTHORITY", "XDG_RUNTIME_DIR", "FONTCONFIG_PATH", "FONTCONFIG_FILE")  # fmt: skip
    return {name: environment[name] for name in names if name in environment}
