"""What a search engine is asked, and what it gives: the one form of all providers."""

from __future__ import annotations

import datetime
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from hermes.base.errors import InvalidArguments, ToolError
from hermes.base.json import NotJson, decode
from hermes.base.text import harmless
from hermes.services.web.asking import Ask, Page

Age = Literal["", "day", "week", "month", "year"]
_AGES: dict[str, Age] = {
    "day": "day", "d": "day", "24h": "day", "today": "day", "past_day": "day",
    "week": "week", "w": "week", "7d": "week", "past_week": "week",
    "month": "month", "m": "month", "30d": "month", "past_month": "month",
    "year": "year", "y": "year", "365d": "year", "past_year": "year",
}  # fmt: skip
_SPAN = re.compile(r"(\d{4}-\d{2}-\d{2})?\s*(?:\.\.|/|to|:)\s*(\d{4}-\d{2}-\d{2})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Query(NamedTuple):
    """What is looked for."""

    text: str
    limit: int = 5
    age: Age = ""
    """Not older than this."""
    since: str = ""
    until: str = ""
    """Dates as YYYY-MM-DD; both empty when an age is asked for or nothing is."""
    safe: bool | None = None
    """Leave out what is not for everyone; None as the engine likes it."""

    @property
    def has_date(self) -> bool:
        """Whether it asks for a time."""
        return bool(self.age or self.since or self.until)


class Hit(NamedTuple):
    """One page that was found."""

    title: str
    url: str
    snippet: str = ""
    date: str = ""
    score: float | None = None


class Results(NamedTuple):
    """What an engine found, best first, and which wishes it has no words for."""

    hits: tuple[Hit, ...]
    unsupported: tuple[str, ...] = ()


class Means(NamedTuple):
    """What a provider works with."""

    send: Callable[[Ask], Awaitable[Page]]
    secret: Callable[[str], str]
    """Gives a key by the name of its variable, or nothing."""
    base: str
    """Where the service is."""


class Provider(Protocol):
    """Ask one search engine; the module of a provider is one."""

    NAME: str
    BASE: str
    """Where the service is; empty when a person has to say."""
    KEYS: tuple[str, ...]
    """The variables that it needs."""

    async def search(self, query: Query, means: Means) -> Results:
        """Return what the engine finds.

        Raises:
            ToolError: it gives nothing; says why.
        """


def query_of(text: str, limit: int, date_range: str | None, safe: bool | None) -> Query:
    """Return the query that words for a time stand for.

    Raises:
        InvalidArguments: nobody can tell which time is meant.
    """
    if not text.strip():
        raise InvalidArguments("the query is empty", hint="Say what to look for.")
    query = Query(" ".join(text.split()), limit, safe=safe)
    given = (date_range or "").strip().lower()
    if not given or given in ("any", "all"):
        return query
    if given in _AGES:
        return query._replace(age=_AGES[given])
    span = _SPAN.fullmatch(given)
    if span and (span[1] or span[2]):
        first, last = _date(span[1]), _date(span[2])
        if first and last and first > last:
            message = f"{date_range!r} ends before it begins"
            raise InvalidArguments(message, hint=f"Write {last}..{first}.")
        return query._replace(since=first, until=last)
    if _DATE.fullmatch(given):
        return query._replace(since=_date(given))
    raise InvalidArguments(
        f"{date_range!r} is no range of dates",
        hint="Use day, week, month, year, 2024-05-01 (since then) or 2024-05-01..2024-06-30.",
    )


def _date(text: str | None) -> str:
    if not text:
        return ""
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise InvalidArguments(f"{text!r} is no date", hint="Write it like 2024-05-01.") from None


def today() -> str:
    """Return the date of today."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def since(query: Query) -> str:
    """Return the first day of the time that a query asks for."""
    days = {"day": 1, "week": 7, "month": 31, "year": 365}.get(query.age)
    if days is None:
        return query.since
    moment = datetime.datetime.now(datetime.UTC).date() - datetime.timedelta(days=days)
    return moment.isoformat()


def json_of(page: Page, name: str, why: Mapping[int, str] | None = None) -> Mapping[str, Any]:
    """Return the JSON object that an engine answered; ``why`` says what its refusals mean.

    Raises:
        ToolError: it refused, or answered something else.
    """
    if page.is_ok:
        try:
            found = decode(page.text())
        except NotJson:
            found = None
        if isinstance(found, dict):
            return found
        raise ToolError(f"{name} did not answer in JSON", code="search_failed")
    raise refused(page, name, why)


_WHY = {401: "its key is not valid", 402: "its quota is used up", 403: "its key is not valid",
        429: "it limits how often it is asked"}  # fmt: skip


def refused(page: Page, name: str, why: Mapping[int, str] | None = None) -> ToolError:
    """Return the error of an engine that answered with another status than success."""
    said = harmless(" ".join(page.text().split())[:200], limit=200)
    meant = {**_WHY, **(why or {})}.get(page.status, said)
    return ToolError(f"{name} answered {page.status}: {meant}", code="search_failed")


def words(value: Any) -> str:
    """Return a field as one line of plain text, without markup."""
    text = re.sub(r"<[^>]{1,100}>", "", value) if isinstance(value, str) else ""
    return " ".join(text.replace("&nbsp;", " ").split())


def hits_of(found: Any, title: str, url: str, snippet: str, date: str = "") -> list[Hit]:
    """Return the pages among an engine's results, by the names of its fields."""
    hits = []
    for each in found if isinstance(found, list) else ():
        if not isinstance(each, dict) or not isinstance(each.get(url), str):
            continue
        score = each.get("score")
        hits.append(
            Hit(
                words(each.get(title)) or each[url],
                each[url],
                words(each.get(snippet)),
                words(each.get(date)) if date else "",
                float(score) if isinstance(score, (int, float)) else None,
            )
        )
    return hits
