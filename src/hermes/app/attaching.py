"""Files that a person adds to a message: judged like any reading, and read where the task works."""

from __future__ import annotations

import asyncio
import base64
import secrets
from typing import TYPE_CHECKING, Any

from hermes.base.errors import ToolError
from hermes.base.messages import Media
from hermes.base.optional import load
from hermes.runtime.bridge import ON_LOOP
from hermes.runtime.context import ToolContext
from hermes.runtime.entry import ToolEntry

if TYPE_CHECKING:
    from hermes.app.runtime import Runtime

MOST_LINES = 2_000
MOST_PICTURE_BYTES = 5_000_000
_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


async def attach(runtime: Runtime, path: str, task_id: str) -> str | Media:
    """Return the text of a file, or the picture that it is.

    Raises:
        Denied: the profile, or the person, is against it.
        ToolError: it cannot be read; says why.
    """
    entry = ToolEntry.of(
        name="attach",
        toolset="chat",
        handler=_nothing,
        description="Add a file to a message.",
        parameters=_SCHEMA,
        permissions=("file:read",),
        effects=frozenset({"read"}),
        subjects={"path": "path:read"},
        paths=("path",),
    )
    ctx = ToolContext(runtime.task(task_id), f"attach-{secrets.token_hex(4)}", runtime.services)
    ctx.door = "chat"
    admitted = runtime.gate.admit(entry, {"path": path}, ctx, ON_LOOP)
    if not isinstance(admitted, str):
        await admitted
    return await asyncio.to_thread(_read, runtime, path, ctx)


def _nothing(args: dict[str, Any], **_: Any) -> None:
    """Do nothing: the entry is only judged."""


def _read(runtime: Runtime, path: str, ctx: ToolContext) -> str | Media:
    reading = load("hermes.services.files.reading")
    files = runtime.services.get(load("hermes.services.files").Files)
    found = reading.read(files.at(ctx), files.index, path, reading.Wanted(1, MOST_LINES))
    if isinstance(found, dict):
        return _text(found)
    if len(found.data) > MOST_PICTURE_BYTES:
        raise ToolError(
            f"the picture has {len(found.data):,} bytes, and {MOST_PICTURE_BYTES:,} may go along",
            hint="Make it smaller.",
        )
    return Media("image", found.media_type, base64.b64encode(found.data).decode("ascii"))


def _text(found: dict[str, Any]) -> str:
    content = str(found.get("content", ""))
    rest = found.get("next_offset")
    return f"{content}\n… there is more, from line {rest} on" if rest else content
