"""The day that a search engine means, in one spelling."""

from __future__ import annotations

import datetime
import re
from email.utils import parsedate_to_datetime

_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WORDS = re.compile(
    r"(?P<month>[A-Za-z]{3,9})\.? (?P<day>\d{1,2}),? (?P<year>\d{4})"
    r"|(?P<day2>\d{1,2})\.? (?P<month2>[A-Za-z]{3,9})\.?,? (?P<year2>\d{4})"
)
_AGO = re.compile(r"(an?|\d{1,4}) (minute|min|hour|day|week|month|year)s? ago", re.IGNORECASE)
_DAYS = {"minute": 0, "min": 0, "hour": 0, "day": 1, "week": 7, "month": 30, "year": 365}


def day_of(text: str, today: datetime.date) -> str:
    """Return a day as YYYY-MM-DD; what nobody can be sure of stays as it was said."""
    said = text.strip()
    if found := _ISO.fullmatch(said):
        return _day(int(found[1]), int(found[2]), int(found[3])) or text
    if found := _WORDS.fullmatch(said):
        month = (found["month"] or found["month2"])[:3].lower()
        if month in _MONTHS:
            year, day = int(found["year"] or found["year2"]), int(found["day"] or found["day2"])
            return _day(year, _MONTHS.index(month) + 1, day) or text
    if found := _AGO.fullmatch(said):
        count = int(found[1]) if found[1].isdecimal() else 1
        return (today - datetime.timedelta(days=count * _DAYS[found[2].lower()])).isoformat()
    try:
        return parsedate_to_datetime(said).date().isoformat()
    except (ValueError, OverflowError):
        return text


def _day(year: int, month: int, day: int) -> str:
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        return ""
