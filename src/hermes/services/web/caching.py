"""Keep answers for as long as their services say, and ask whether they still hold after that."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from hermes.services.web.asking import Ask, Page, Pairs

_MOST_BYTES = 64_000_000
_LARGEST = 8_000_000
_PLAIN = frozenset({"accept", "accept-encoding", "accept-language", "referer", "user-agent"})
"""What a request may say and still be one for the page: any other header may ask for another."""
_HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
_KEEPING = frozenset({"cache-control", "expires", "etag", "last-modified"})
Key = tuple[str, str, str]


class Kept(NamedTuple):
    """An answer, with what tells whether it still holds."""

    page: Page
    varies: Pairs
    """The request's headers that it depends on, as they were."""
    fresh_until: float

    def validators(self) -> Pairs:
        """Return the headers that ask for it only if it changed."""
        tag, date = self.page.header("etag"), self.page.header("last-modified")
        found = [("if-none-match", tag)] if tag else []
        return (*found, *((("if-modified-since", date),) if date else ()))


class Cache:
    """Hold answers in memory, by task and address; the least used go first."""

    def __init__(self, most_bytes: int = _MOST_BYTES, now: Callable[[], float] = time.time) -> None:
        self._most = most_bytes
        self._now = now
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def may_answer(self, ask: Ask) -> bool:
        """Say whether what was kept may answer a request: a plain one for the page."""
        is_plain = all(name.lower() in _PLAIN for name, _ in ask.headers)
        return ask.may_cache and ask.method == "GET" and is_plain

    def heed(self, task_id: str, ask: Ask, page: Page) -> None:
        """Forget what a request has changed, where it went and where the answer says."""
        if ask.method in _HARMLESS or page.status >= 400:
            return
        near = {urljoin(ask.url, page.header(name)) for name in ("location", "content-location")}
        here = urlsplit(ask.url).netloc
        with self._lock:
            for url in {ask.url, page.url, *near}:
                if urlsplit(url).netloc == here:
                    self._drop((task_id, "GET", url.partition("#")[0]))

    def find(self, task_id: str, ask: Ask) -> Kept | None:
        """Return what is kept for a request, fresh or not."""
        key = _key(task_id, ask)
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or any(_sent(ask, name) != value for name, value in kept.varies):
                return None
            self._kept.move_to_end(key)
            return kept

    def is_fresh(self, kept: Kept) -> bool:
        """Say whether an answer may be used without asking again."""
        return self._now() < kept.fresh_until

    def keep(self, task_id: str, ask: Ask, page: Page) -> None:
        """Keep an answer if its service allows that, and forget the one before it."""
        key = _key(task_id, ask)
        kept = self._keepable(ask, page)
        with self._lock:
            self._drop(key)
            if kept is None:
                return
            self._kept[key] = kept
            self._bytes += len(page.body)
            while self._bytes > self._most:
                self._drop(next(iter(self._kept)))

    def renew(self, task_id: str, ask: Ask, kept: Kept, headers: Pairs) -> Page:
        """Return a kept answer that the service says still holds, with its newer headers."""
        newer = {name.lower() for name, _ in headers} - {"content-length", "content-encoding"}
        own = [pair for pair in kept.page.headers if pair[0].lower() not in newer]
        added = [pair for pair in headers if pair[0].lower() in newer]
        page = kept.page._replace(headers=(*own, *added))
        self.keep(task_id, ask, page)
        return page

    def forget(self, task_id: str) -> None:
        """Let go of everything that a task was answered."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == task_id]:
                self._drop(key)

    def _drop(self, key: Key) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._bytes -= len(kept.page.body)

    def _keepable(self, ask: Ask, page: Page) -> Kept | None:
        named = {name.lower() for name, _ in page.headers}
        if named.isdisjoint(_KEEPING):
            return None
        words = _directives(page.header("cache-control"))
        if page.status != 200 or page.is_cut or len(page.body) > _LARGEST or "no-store" in words:
            return None
        varies = {name.strip().lower() for name in page.header("vary").split(",") if name.strip()}
        if "*" in varies or "set-cookie" in named:
            return None
        # which cookies go along is not known here, so the service is asked whether it still holds
        until = self._now() if "cookie" in varies else self._until(page)
        kept = Kept(page, tuple((name, _sent(ask, name)) for name in varies - {"cookie"}), until)
        return kept if kept.validators() or self.is_fresh(kept) else None

    def _until(self, page: Page) -> float:
        now = self._now()
        words = _directives(page.header("cache-control"))
        if "no-cache" in words:
            return now
        life = words.get("max-age")
        if life is not None:
            age = page.header("age")
            spent = float(age) if age.isdecimal() else 0.0
            return now + max(0.0, (float(life) if life.isdecimal() else 0.0) - spent)
        expires, date = _moment(page.header("expires")), _moment(page.header("date"))
        if page.header("expires"):
            return now + max(0.0, (expires or 0.0) - (date or now))
        return now


def _key(task_id: str, ask: Ask) -> Key:
    return task_id, ask.method, ask.url.partition("#")[0]


def _sent(ask: Ask, name: str) -> str:
    return next((value for key, value in ask.headers if key.lower() == name), "")


def _directives(header: str) -> dict[str, str]:
    found = {}
    for part in header.split(","):
        name, _, value = part.strip().partition("=")
        if name:
            found[name.lower()] = value.strip('"')
    return found


def _moment(header: str) -> float | None:
    try:
        return parsedate_to_datetime(header).timestamp() if header else None
    except (ValueError, OverflowError):
        return None
