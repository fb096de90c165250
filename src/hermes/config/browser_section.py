"""The settings of the browser tools."""

from __future__ import annotations

from hermes.config.declare import Section, Setting
from hermes.config.kinds import Flag, Lines, OneOf, Seconds, Text, Whole


class Browser(Section):
    """Which browser is driven, and how."""

    __slots__ = ()
    provider = Setting(
        "local",
        OneOf("local", "cdp", "browserbase", "browser_use", "firecrawl"),
        "Where the browser comes from: started here, one that runs already, or a service.",
    )
    executable = Setting(None, Text(), "The Chromium or Chrome to start; else one that is found.")
    cdp_url = Setting(None, Text(), "Where a running browser listens, as http://127.0.0.1:9222.")
    headless = Setting(True, Flag(), "Run it without a window.")
    idle_seconds = Setting[float](120, Seconds(), "Close it when nobody used it for this long.")
    action_seconds = Setting[float](15, Seconds(), "How long an action waits for what it needs.")
    load_seconds = Setting[float](30, Seconds(), "How long a page may take to load.")
    width = Setting(1_280, Whole(minimum=200), "Width of its window.")
    height = Setting(800, Whole(minimum=200), "Height of its window.")
    vision_model = Setting(None, Text(), "The model that looks at pictures; else the one in use.")
    service_urls = Setting(
        (), Lines(), "Other addresses of services, each as provider=https://address."
    )
