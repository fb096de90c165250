"""How Google's own address spells a range of dates."""

from __future__ import annotations

from hermes.services.web.search.contract import Query


def restricted(query: Query) -> str:
    """Return the value of ``tbs`` for the time that a query asks for."""
    if query.age:
        return f"qdr:{query.age[0]}"
    first, last = _us(query.since), _us(query.until)
    return "cdr:1" + (f",cd_min:{first}" if first else "") + (f",cd_max:{last}" if last else "")


def _us(date: str) -> str:
    if not date:
        return ""
    year, month, day = date.split("-")
    return f"{int(month)}/{int(day)}/{year}"
