"""Is a package known as malware? Asked of OSV before a server that runs it is first started."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes.base.files import locked, private_folder, write_atomic
from hermes.mcp.launchers import Package, launched

OSV = "https://api.osv.dev/v1/query"
_FRESH_SECONDS = 24 * 3600.0
_GOOD_SECONDS = 7 * 24 * 3600.0
"""How long an answer stands in for one that cannot be had."""
_MOST_SECONDS = 10.0
_MOST_PAGES = 20
_FILE = "advisories.json"
_log = logging.getLogger("hermes.mcp")

Fetch = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""Posts JSON to an address and gives the JSON of its answer; raises OSError or ValueError."""


class Advice(NamedTuple):
    """Whether a server may be started, what should be said of it, and why it may not."""

    ok: bool
    warnings: tuple[str, ...] = ()
    reason: str = ""
    question: str = ""
    """What a person could be asked, where their yes is enough."""


class _Known(NamedTuple):
    """What OSV says of a package: malware whatever its version, or in some versions."""

    always: tuple[str, ...]
    sometimes: tuple[str, ...]


async def check(
    command: str,
    args: Sequence[str],
    *,
    folder: Path,
    policy: str,
    fetch: Fetch,
    url: str = OSV,
    clock: Callable[[], float] = time.time,
) -> Advice:
    """Say whether what a command line fetches and runs may be started.

    Known malware never may. What cannot be checked is left to ``policy``: ``warn`` says so, ``ask``
    wants a person's yes, for a package without a version too, ``refuse`` refuses; ``off`` checks
    nothing.
    """
    if policy == "off":
        return Advice(True)
    found = launched(command, args)
    asker = _Asker(Path(folder), fetch, url, clock)
    answers = await asyncio.gather(*(asker.about(package) for package in found.packages))
    bad = _malware(zip(found.packages, answers, strict=True))
    if bad:
        return Advice(False, (), f"{bad}; it is not started")
    doubts = [f"{one}, and cannot be checked for malware" for one in found.unknown]
    doubts += _doubts(zip(found.packages, answers, strict=True))
    loose = [
        f"{package.name} has no version: whatever is newest is run"
        for package in found.packages
        if not package.version
    ]
    for doubt in doubts:
        _log.warning("%s", doubt)
    if policy == "ask":
        doubts += loose
    if not doubts or policy == "warn":
        return Advice(True, (*doubts, *(loose if policy != "ask" else ())))
    reason = "; ".join(doubts)
    if policy == "ask":
        return Advice(False, tuple(doubts), reason, f"Start it although {reason}?")
    return Advice(False, tuple(doubts), f"{reason}; advisories: refuse does not start it")


def _malware(known: Iterable[tuple[Package, _Known | None]]) -> str:
    found = [
        f"{package.shown()} of {package.ecosystem} is malware ({', '.join(answer.always[:3])})"
        for package, answer in known
        if answer is not None and answer.always
    ]
    return "; ".join(found)


def _doubts(known: Iterable[tuple[Package, _Known | None]]) -> list[str]:
    doubts = []
    for package, answer in known:
        if answer is None:
            doubts.append(f"{package.shown()} could not be checked for malware")
        elif answer.sometimes:
            ids = ", ".join(answer.sometimes[:3])
            doubts.append(f"{package.name} had versions that are malware ({ids}): pin a good one")
    return doubts


class _Asker:
    """Ask OSV about packages, and remember its answers in a file."""

    def __init__(self, folder: Path, fetch: Fetch, url: str, clock: Callable[[], float]) -> None:
        self._file = folder / _FILE
        self._fetch = fetch
        self._url = url
        self._clock = clock

    async def about(self, package: Package) -> _Known | None:
        """Return what is known of a package; None when nobody could be asked."""
        key = f"{package.ecosystem}:{package.shown()}"
        remembered, age = self._remembered(key)
        if remembered is not None and age < _FRESH_SECONDS:
            return remembered
        try:
            async with asyncio.timeout(_MOST_SECONDS):
                answer = await self._asked(package)
        except (OSError, ValueError, TimeoutError) as error:
            _log.warning("OSV could not be asked about %s: %s", package.shown(), error)
            is_good = remembered is not None and (age < _GOOD_SECONDS or remembered.always)
            return remembered if is_good else None
        self._remember(key, answer)
        return answer

    async def _asked(self, package: Package) -> _Known:
        asked: dict[str, Any] = {"package": {"name": package.name, "ecosystem": package.ecosystem}}
        if package.version:
            asked["version"] = package.version
        found: list[Mapping[str, Any]] = []
        for _ in range(_MOST_PAGES):
            page = await self._fetch(self._url, asked)
            found.extend(_objects(page, "vulns"))
            token = page.get("next_page_token")
            if not token:
                break
            asked["page_token"] = token
        malware = [one for one in found if _is_malware(one)]
        always = [one for one in malware if package.version or _is_all(one, package)]
        sometimes = [one for one in malware if one not in always]
        return _Known(tuple(map(_id, always)), tuple(map(_id, sometimes)))

    def _remembered(self, key: str) -> tuple[_Known | None, float]:
        told = self._all().get(key)
        try:
            at, always, sometimes = told["at"], told["always"], told["sometimes"]  # type: ignore[index]
            known = _Known(tuple(map(str, always)), tuple(map(str, sometimes)))
            return known, max(self._clock() - float(at), 0.0)
        except (KeyError, TypeError, ValueError):
            return None, 0.0

    def _remember(self, key: str, known: _Known) -> None:
        with locked(private_folder(self._file.parent)):
            told = {
                "at": self._clock(),
                "always": list(known.always),
                "sometimes": list(known.sometimes),
            }
            write_atomic(self._file, json.dumps({**self._all(), key: told}))

    def _all(self) -> dict[str, Any]:
        try:
            told = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return told if isinstance(told, dict) else {}


def _is_malware(told: Mapping[str, Any]) -> bool:
    if told.get("withdrawn"):
        return False
    aliases = told.get("aliases")
    names = [_id(told), *(aliases if isinstance(aliases, list) else ())]
    return any(str(name).startswith("MAL-") for name in names)


def _is_all(told: Mapping[str, Any], package: Package) -> bool:
    """Say whether an advisory is about every version of a package, as far as it tells."""
    about = [
        affected
        for affected in _objects(told, "affected")
        if _object(affected, "package").get("name") == package.name
    ]
    if not about:
        return True
    for affected in about:
        events = [
            event for span in _objects(affected, "ranges") for event in _objects(span, "events")
        ]
        has_end = any("fixed" in event or "last_affected" in event for event in events)
        begins = any(event.get("introduced") == "0" for event in events)
        if begins and not has_end:
            return True
        if not events and not affected.get("versions"):
            return True
    return False


def _id(told: Mapping[str, Any]) -> str:
    return str(told.get("id", ""))[:60]


def _object(told: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = told.get(key)
    return value if isinstance(value, Mapping) else {}


def _objects(told: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = told.get(key)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
