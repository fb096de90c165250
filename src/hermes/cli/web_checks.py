"""Which browser would be driven, and which search engines can be asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.cli.checks import BROKEN, FINE, NOTE, Finding

_INSTALL = "apt install chromium, or name one in browser.executable"
_BY = {"system": "the PATH"}


def of_web(settings: Any, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the browser and the search engines that the settings and the machine give."""
    yield from _of_browser(settings.browser, environment)
    yield from _of_search(settings, environment)


def _of_browser(chosen: Any, environment: Mapping[str, str]) -> Iterator[Finding]:
    if chosen.provider == "local":
        found = load("hermes.services.browser.finding").find(chosen.executable or "", environment)
        if found is not None:
            yield Finding(
                FINE, "browser", f"{found.path}, found by {_BY.get(found.source, found.source)}"
            )
        elif chosen.executable:
            message = f"browser.executable is {chosen.executable}, which is not there"
            yield Finding(BROKEN, "browser", message, _INSTALL)
        else:
            yield Finding(NOTE, "browser", "there is no Chromium or Chrome", _INSTALL)
    elif chosen.provider == "cdp":
        if chosen.cdp_url:
            yield Finding(FINE, "browser", f"one that listens at {chosen.cdp_url}")
        else:
            fix = "hermes config set browser.cdp_url http://127.0.0.1:9222"
            yield Finding(BROKEN, "browser", "browser.cdp_url is not set", fix)
    else:
        yield _lent(chosen.provider, environment)


def _lent(provider: str, environment: Mapping[str, str]) -> Finding:
    try:
        module = load(f"hermes.services.browser.providers.{provider}", extra="browser")
    except HermesError as error:
        return Finding(BROKEN, "browser", error.message, error.hint or "")
    missing = [name for name in module.KEYS if not environment.get(name)]
    if missing:
        message = f"{provider} needs {' and '.join(missing)}"
        return Finding(BROKEN, "browser", message, "Set it in the environment.")
    return Finding(FINE, "browser", f"lent by {provider}")


def _of_search(settings: Any, environment: Mapping[str, str]) -> Iterator[Finding]:
    search = load("hermes.services.web.search")
    try:
        engines = load("hermes.app.web").engines(settings)
        known = search.ready(engines, lambda name: environment.get(name) or "")
    except HermesError as error:
        yield Finding(BROKEN, "search", error.message, error.hint or "")
        return
    ready = [name for name, lack in known if not lack]
    lacking = "; ".join(f"{name}: {lack}" for name, lack in known if lack)
    if ready:
        yield Finding(FINE, "search", f"asked in this order: {', '.join(ready)}")
    else:
        yield Finding(NOTE, "search", f"no engine can be asked ({lacking})")
