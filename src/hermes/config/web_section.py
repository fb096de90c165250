"""The settings of the web tools."""

from __future__ import annotations

from hermes.config.declare import Section, Setting
from hermes.config.kinds import Flag, Lines, Names, Text, Whole


class Web(Section):
    """How the web is searched and read."""

    __slots__ = ()
    search_engines = Setting(
        ("searxng", "duckduckgo", "brave", "tavily", "exa", "serper", "google", "firecrawl"),
        Names(),
        "Engines in the order they are asked; those without a key or address are left out.",
    )
    searxng_url = Setting(None, Text(), "Where your SearXNG is; it may be on this machine.")
    search_urls = Setting(
        (), Lines(), "Other addresses of engines, each as engine=https://address, for a proxy."
    )
    read_with_browser = Setting(
        True, Flag(), "Read pages that are empty without scripts with the browser."
    )
    cache_megabytes = Setting(64, Whole(), "Memory for pages that may be asked for again.")
