"""The settings of what we serve to MCP clients."""

from __future__ import annotations

from hermes.config.declare import Section, Setting
from hermes.config.kinds import Names, Text


class McpServe(Section):
    """Our tools for MCP clients over HTTP: who is let in by `hermes mcp serve --http`."""

    __slots__ = ()
    token_file = Setting(
        None, Text(), "The file with the token that clients must show; made if it is missing."
    )
    hosts = Setting((), Names(), "Further names that clients may reach the server by.")
    origins = Setting((), Names(), "Origins of web pages that may use the server.")
