"""Put the browsers of a runtime together: their loop, what they may reach, what is left behind."""

from __future__ import annotations

import base64
import functools
from collections.abc import Mapping
from typing import Any

from hermes.app.reaching import own_addresses
from hermes.base.errors import ToolError
from hermes.base.json import NotJson, decode, encode_bytes
from hermes.base.messages import Media
from hermes.base.optional import load
from hermes.base.text import harmless
from hermes.config.environment import Live
from hermes.config.settings import Settings
from hermes.runtime import bridge
from hermes.runtime.context import Services, TaskVariables
from hermes.services.browser import Browsers, Surroundings
from hermes.services.browser.options import Options
from hermes.services.browser.seeing import Eyes

_SECONDS = 60


def browsers(services: Services, settings: Settings, environment: Live) -> Browsers:
    """Return the browsers of a runtime; those that an earlier one left behind are ended."""
    ledger = load("hermes.services.browser.processes").Ledger(settings.home / "browsers")
    ledger.reap()
    variables = services.get(TaskVariables)
    around = Surroundings(
        on_loop=bridge.on_own_loop,
        submit=bridge.loop_thread().submit,
        environment=environment,
        secret=lambda name: variables.secret(name) or "",
        own=own_addresses,
        ask=_ask,
        keep=functools.partial(_keep, services),
        fetch=functools.partial(_fetch, services),
        note=ledger.note,
    )
    return Browsers(options(settings), around)


def _keep(services: Services, caller: Any, name: str, data: bytes) -> dict[str, Any]:
    """Write a download into the folder ``downloads`` of the task, under a name that is free."""
    saving = load("hermes.services.files.saving")
    work = services.get(load("hermes.services.files").Files).at(caller)
    kept: dict[str, Any] = saving.save_new(work, f"{caller.workspace}/downloads", name, data)
    return kept


def _fetch(services: Services, caller: Any, path: str) -> tuple[str, bytes, str]:
    saving = load("hermes.services.files.saving")
    work = services.get(load("hermes.services.files").Files).at(caller)
    found: tuple[str, bytes, str] = saving.read_all(work, {"file": path})["file"]
    return found


def options(settings: Settings) -> Options:
    """Return what the settings say about the browser."""
    chosen = settings.browser
    named = [line.split("=", 1) for line in chosen.service_urls if "=" in line]
    return Options(
        provider=chosen.provider,
        executable=chosen.executable or "",
        cdp_url=chosen.cdp_url or "",
        is_headless=chosen.headless,
        idle_seconds=chosen.idle_seconds,
        action_seconds=chosen.action_seconds,
        load_seconds=chosen.load_seconds,
        width=chosen.width,
        height=chosen.height,
        bases=tuple((name.strip(), url.strip()) for name, url in named),
    )


def eyes(settings: Settings, environment: Live) -> Eyes:
    """Return what looks at pictures for a runtime: its model."""

    async def look(question: str, picture: bytes) -> str:
        media = Media("image", "image/png", base64.b64encode(picture).decode("ascii"))
        found: str = await load("hermes.app.questions").answer_of(
            settings, environment, question, media=(media,), model=settings.browser.vision_model
        )
        return found

    return Eyes(look)


async def _ask(
    method: str, url: str, headers: Mapping[str, str], body: Mapping[str, Any] | None
) -> Mapping[str, Any]:
    """Ask the service of a provider, which a person configured by its key."""
    httpx2 = load("httpx2")
    content = None if body is None else encode_bytes(dict(body))
    kind = {} if content is None else {"content-type": "application/json"}
    try:
        async with httpx2.AsyncClient(timeout=_SECONDS) as client:
            answer = await client.request(method, url, headers={**headers, **kind}, content=content)
    except httpx2.HTTPError as error:
        host = httpx2.URL(url).host
        raise ToolError(f"{host} cannot be reached: {error}", code="connection") from None
    if answer.status_code >= 400:
        said = harmless(answer.text[:200], limit=200)
        raise ToolError(
            f"{httpx2.URL(url).host} answered {answer.status_code}: {said}", code="browser_service"
        )
    try:
        found = decode(answer.text) if answer.text.strip() else {}
    except NotJson:
        found = {}
    return found if isinstance(found, dict) else {}
