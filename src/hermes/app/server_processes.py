"""Start the processes of MCP servers, with a sure end, in the box that the profile describes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hermes.base.errors import Denied
from hermes.environments.sandbox import pipes as streams
from hermes.environments.sandbox.box import Box, Limits
from hermes.mcp.process import Started
from hermes.runtime.bridge import aside

if TYPE_CHECKING:
    from hermes.app.boundaries import Boxes
    from hermes.environments.sandbox.proxy import Proxy


class Launching:
    """Start the processes of servers, inside the sandbox when the profile says so."""

    def __init__(self, boxes: Callable[[], Boxes], workspace: str) -> None:
        self._boxes = boxes
        self._workspace = workspace

    async def start(
        self, argv: Sequence[str], *, cwd: str | None, env: dict[str, str], confined: bool | None
    ) -> Started:
        """Start a process; it ends with hermes, however that ends.

        Raises:
            OSError: it or its box cannot be had.
            Denied: it has to be confined, and nothing here can do that.
        """
        boxes = await aside(self._boxes)
        where = cwd or self._workspace
        sandbox, box = await aside(functools.partial(self._place, boxes, where, confined))
        proxy: Proxy | None = None
        if box.confined:
            box, proxy = await boxes.proxied(box)
        theirs, mine = streams.pipes()
        try:
            spawn = functools.partial(sandbox.spawn, argv, box, env=env, cwd=where, standard=theirs)
            child = await aside(spawn)
        except BaseException:
            streams.close(mine)
            if proxy is not None:
                await proxy.close()
            raise
        finally:
            streams.close(theirs)
        if proxy is not None and boxes.backend.builds_tree:
            try:
                await proxy.serve(await child.listening())
            except BaseException:
                child.close()
                streams.close(mine)
                raise
        return Started(child, *mine, proxy.close if proxy is not None else None)

    def _place(self, boxes: Boxes, where: str, confined: bool | None) -> tuple[Any, Box]:
        """Return what starts a server, and the box for it."""
        box = boxes.box(where)
        if confined or (confined is None and not boxes.lets_out()) or not boxes.lets_out():
            if not boxes.backend.confines:
                boxes.warning()
                if confined:
                    fix = "Install one, such as bubblewrap, or say sandbox: false for this server."
                    raise Denied("it is to run in a sandbox, and none works here", hint=fix)
            return boxes.sandbox(), box
        free = Limits(memory_bytes=None, processes=None, open_files=None)
        return boxes.outside(), replace(box, confined=False, network="on", limits=free)
