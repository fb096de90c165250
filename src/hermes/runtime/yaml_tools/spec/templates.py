"""Fill ``{placeholders}`` in JSON values: types kept where a placeholder stands alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from hermes.base.messages import Json

_TOKEN = re.compile(r"\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}")
_WHOLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}\Z")


class Unset(Exception):
    """Say that a text needs a value nobody gave."""


def placeholders(template: Json) -> tuple[str, ...]:
    """Return the names a template mentions, in order, each once."""
    return tuple(dict.fromkeys(_mentioned(template)))


def _mentioned(template: Json) -> list[str]:
    if isinstance(template, str):
        return [name for _, name in _TOKEN.findall(template) if name]
    if isinstance(template, dict):
        return [name for item in template.values() for name in _mentioned(item)]
    if isinstance(template, (list, tuple)):
        return [name for item in template for name in _mentioned(item)]
    return []


def whole(template: object) -> str | None:
    """Return the name of the placeholder that is all of a text, or None."""
    match = _WHOLE.match(template) if isinstance(template, str) else None
    return match.group(1) if match else None


def fill_text(
    template: str, values: Mapping[str, Json], *, escape: Callable[[str], str] = str
) -> str:
    """Return a text with its placeholders filled; ``{{name}}`` stands for a literal ``{name}``.

    Raises:
        Unset: a placeholder has no value.
    """

    def value_of(match: re.Match[str]) -> str:
        literal, name = match.groups()
        if literal:
            return "{" + str(literal) + "}"
        if values.get(name) is None:
            raise Unset(name)
        return escape(as_text(values[name]))

    return _TOKEN.sub(value_of, template)


def fill(template: Json, values: Mapping[str, Json]) -> Json:
    """Return a JSON value with its placeholders filled.

    A text that is exactly one placeholder becomes the value itself, of any type. A key or an item
    whose placeholder has no value is left out.

    Raises:
        Unset: the template itself is such a text.
    """
    if isinstance(template, dict):
        return dict(_kept(template.items(), values))
    if isinstance(template, (list, tuple)):
        return [item for _, item in _kept(enumerate(template), values)]
    if not isinstance(template, str):
        return template
    name = whole(template)
    if name is None:
        return fill_text(template, values)
    if name not in values:
        raise Unset(name)
    return values[name]


def _kept(items: Any, values: Mapping[str, Json]) -> list[tuple[Any, Json]]:
    kept = []
    for key, item in items:
        try:
            kept.append((key, fill(item, values)))
        except Unset:
            continue
    return kept


def as_text(value: Json) -> str:
    """Return a JSON value as it is written in an address, a header or an argument."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
