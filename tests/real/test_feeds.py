"""The feeds that feedparser itself is tested with, read as the tools read them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree

from hermes.base.errors import ToolError
from hermes.services.web import Page, feeds

FOLDER = Path(__file__).parents[2] / ".parts" / "feeds"
SAID = re.compile(rb"^Header:\s*Content-type:\s*(.+?)\s*$", re.MULTILINE | re.IGNORECASE)
pytestmark = pytest.mark.skipif(
    not (FOLDER / "installed").exists(),
    reason="needs its feeds (pip package feedparser), by scripts/feeds",
)


def page_of(file):
    data = file.read_bytes()
    said = SAID.search(data[:2_000])
    kind = said[1].decode("latin-1") if said else "application/xml"
    return Page(f"https://a.example/{file.name}", 200, "OK", (("content-type", kind),), data)


def every(folder):
    return sorted((FOLDER / folder).rglob("*.xml")) if FOLDER.exists() else []


def read(file):
    try:
        return feeds.read(page_of(file))
    except ToolError as error:
        assert error.code == "no_feed", f"{file}: {error.message}"
        return None


@pytest.mark.parametrize(
    ("folder", "least"),
    [("wellformed", 1_700), ("encoding", 200), ("entities", 250), ("illformed", 15), ("http", 5)],
)
def test_every_feed_is_read_or_said_to_be_none(folder, least):
    files = every(folder)
    assert len(files) >= least
    found = [read(file) for file in files]
    told = [feeds.told(each, 1_000, None) for each in found if each is not None]
    assert len(told) >= len(files) * 0.85


def test_feeds_have_as_many_entries_as_they_are_written_with():
    wrong, looked_at = [], 0
    for kind in ("rss", "atom", "atom10"):
        for file in every(f"wellformed/{kind}"):
            written = entries_of(file.read_bytes())
            feed = read(file)
            if not written or feed is None:
                continue
            looked_at += 1
            if len(feed.entries) != written:
                wrong.append((file.name, written, len(feed.entries)))
    assert looked_at > 300
    assert wrong == []


def entries_of(data):
    """Return how many entries a feed is written with, by another parser."""
    try:
        root = etree.fromstring(data)
    except etree.XMLSyntaxError:
        return 0
    names = [etree.QName(each).localname for each in root.iter(etree.Element)]
    return sum(name in ("item", "entry") for name in names)
