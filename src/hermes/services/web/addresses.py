"""Addresses on pages: in one spelling, of one site, and where the links of a page lead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit, urlunsplit

from hermes.services.web.selecting import parse, text_of

_BINARY = (
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico", ".css", ".js", ".woff", ".woff2",
    ".ttf", ".mp4", ".webm", ".mp3", ".zip", ".gz", ".tar", ".dmg", ".exe",
)  # fmt: skip


_VISIT = re.compile(
    r"(?:utm_\w+|fbclid|gclid|msclkid|mc_[ce]id|phpsessid|aspsessionid\w*|jsessionid|cfid|cftoken"
    r"|sessionid|session_id)(?:=|$)", re.IGNORECASE
)  # fmt: skip
_SESSION = re.compile(r";jsessionid=[^/;?]*", re.IGNORECASE)
_CODED = re.compile(r"%([0-9A-Fa-f]{2})")


class Found(NamedTuple):
    """A link on a page."""

    url: str
    text: str = ""
    element: str = "a"


class Outline(NamedTuple):
    """What a page links to, and what can be linked to on it."""

    title: str
    links: tuple[Found, ...]
    anchors: frozenset[str]


def normal(url: str) -> str:
    """Return an address without its fragment and in one spelling."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}.get(parts.scheme)
    port = f":{parts.port}" if parts.port and parts.port != default else ""
    path = plainly(parts.path)
    if "/." in path and not path.startswith("//"):
        path = urlsplit(urljoin(f"http://{host}", path)).path
    return urlunsplit((parts.scheme.lower(), f"{host}{port}", path or "/", parts.query, ""))


def plainly(path: str) -> str:
    """Return a path in which nothing has a percent sign that needs none."""
    return _CODED.sub(_uncoded, path) if "%" in path else path


def _uncoded(match: re.Match[str]) -> str:
    letter = chr(int(match[1], 16))
    is_free = letter.isascii() and (letter.isalnum() or letter in "-._~")
    return letter if is_free else f"%{match[1].upper()}"


def same_page(url: str) -> str:
    """Return a normal address without what only tells visits apart: sessions and campaigns."""
    parts = urlsplit(url)
    if not parts.query and ";" not in parts.path:
        return url
    pairs = [pair for pair in parts.query.split("&") if not _VISIT.match(pair)]
    path = _SESSION.sub("", parts.path)
    return urlunsplit((parts.scheme, parts.netloc, path, "&".join(pairs), ""))


def is_same_site(url: str, other: str) -> bool:
    """Say whether two addresses are on one site; www makes no difference, nor does https."""
    try:
        here, there = urlsplit(url), urlsplit(other)
        ports = {each.port for each in (here, there)} - {80, 443, None}
    except ValueError:  # what is no address is on no site
        return False
    hosts = {(each.hostname or "").removeprefix("www.") for each in (here, there)}
    return len(hosts) == 1 and (not ports or here.port == there.port)


def is_page(url: str) -> bool:
    """Say whether an address looks like a page and not like a picture or a program."""
    return not urlsplit(url).path.lower().endswith(_BINARY)


def fits(url: str, patterns: tuple[str, ...]) -> bool:
    """Say whether an address or its path fits one of a few patterns such as ``/docs/*``."""
    path = urlsplit(url).path or "/"
    return any(
        fnmatchcase(url, pattern) or fnmatchcase(path, pattern) or
        ("*" not in pattern and pattern in url)
        for pattern in patterns
    )  # fmt: skip


def outline(html: str, url: str) -> Outline:
    """Return the links and anchors of a page."""
    tree = parse(html, url)
    base = tree.get("data-hermes-base", url)
    anchors = {
        each.get("id") for each in tree.iter() if isinstance(each.tag, str) and each.get("id")
    }
    anchors |= {each.get("name") for each in tree.iter("a") if each.get("name")}
    title = tree.find(".//title")
    return Outline(
        text_of(title) if title is not None else "",
        tuple(_links(tree, base)),
        frozenset(anchors),
    )


_LINKING = {"a": "href", "area": "href", "img": "src", "link": "href", "script": "src",
            "iframe": "src", "source": "src", "video": "src", "audio": "src"}  # fmt: skip


def _links(tree: Any, base: str) -> Iterator[Found]:
    for each in tree.iter(*_LINKING):
        href = (each.get(_LINKING[each.tag]) or "").strip()
        if not href or (each.tag == "link" and not _is_needed(each)):
            continue
        try:
            there = urljoin(base, href)
            scheme, _ = urlsplit(there).scheme, urlsplit(there).port
        except ValueError:
            yield Found(href, text_of(each)[:100], each.tag)
            continue
        if scheme in ("http", "https"):
            yield Found(there, text_of(each)[:100] or (each.get("alt") or "")[:100], each.tag)


def _is_needed(link: Any) -> bool:
    rel = (link.get("rel") or "").lower().split()
    return bool({"stylesheet", "icon", "manifest", "next", "prev", "canonical"}.intersection(rel))
