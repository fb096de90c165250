"""Links of a file to its own headings and to the files beside it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from hermes.base.errors import Denied, HermesError
from hermes.services.web.addresses import Found, outline
from hermes.services.web.links import Checked

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
_UNDERLINED = re.compile(r"^(\S.*)\n {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_LINKED = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_WITH_ANCHORS = (".md", ".markdown", ".html", ".htm", ".xhtml")


class Look(NamedTuple):
    """How to look at files, as the task may."""

    there: Callable[[str], object]
    """Raises ``FileNotFoundError`` or ``ToolError`` if there is nothing to be had."""
    text: Callable[[str], str]


def check(look: Look, path: str, text: str, links: Iterable[Found]) -> list[Checked]:
    """Return what became of the links to files, each address once."""
    known = {"": text}
    return [_one(look, path, link, known) for link in dict.fromkeys(links)]


def _one(look: Look, path: str, link: Found, known: dict[str, str]) -> Checked:
    made = Checked(link.url, "", link.text, "ok")
    target, _, anchor = link.url.partition("#")
    target = unquote(target.partition("?")[0])
    if target.startswith("/"):
        return made._replace(state="skipped", detail="it begins at the root of a site")
    there = posixpath.join(posixpath.dirname(path), target) if target else ""
    try:
        if target and not anchor:
            look.there(there)
        elif target.lower().endswith(_WITH_ANCHORS) and there not in known:
            known[there] = look.text(there)
        elif there not in known:
            look.there(there)
    except Denied as error:
        return made._replace(state="refused", detail=error.message)
    except (HermesError, OSError):
        return made._replace(state="broken", detail=f"there is no {there}")
    name = unquote(anchor)
    if name and name.lower() != "top" and there in known and name not in anchors(known[there]):
        return made._replace(state="no anchor", detail=f"there is no #{name} in the file")
    return made


def anchors(text: str) -> frozenset[str]:
    """Return what can be linked to in a file: headings as forges name them, and ids."""
    return outline(text, "").anchors | frozenset(_slugs(text))


def _slugs(text: str) -> Iterator[str]:
    seen: dict[str, int] = {}
    for pattern in (_HEADING, _UNDERLINED):
        for match in pattern.finditer(text):
            words = re.sub(r"[`*]|<[^>]{1,200}>", "", _LINKED.sub(r"\1", match[1])).lower()
            slug = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
            count = seen.get(slug, 0)
            seen[slug] = count + 1
            yield f"{slug}-{count}" if count else slug
