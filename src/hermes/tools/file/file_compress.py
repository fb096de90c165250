"""Pack and unpack archives."""

from typing import Any, Literal

from hermes.base.optional import load
from hermes.runtime.entry import by
from hermes.tools import ToolContext, tool


@tool(
    toolset="file",
    permissions=by(
        "action",
        create=["file:read", "file:write"],
        extract=["file:read", "file:write"],
        list=["file:read"],
    ),
    subjects={"archive": "archive", "paths": "path:read", "destination": "path:write"},
    paths=["archive", "destination"],
    timeout_seconds=1_800,
    emoji="🗜️",
)
def file_compress(
    action: Literal["create", "extract", "list"],
    archive: str,
    paths: list[str] | None = None,
    destination: str | None = None,
    format: Literal["auto", "zip", "tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"] = "auto",
    overwrite: bool = False,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Make an archive of files and folders, unpack one, or list what is in it.

    Args:
        action: create, extract or list.
        archive: The archive file.
        paths: What to pack; with extract only these entries, or globs of them.
        destination: The folder to unpack into; by default the task's folder.
        format: What to make; auto goes by the archive's name.
        overwrite: Replace files that are there already.
    """
    work = ctx.use(load("hermes.services.files").Files).at(ctx)
    package = "hermes.services.files.archives"
    answer: dict[str, Any]
    if action == "create":
        kind = load(f"{package}.formats").by_name(archive) if format == "auto" else format
        packing = load(f"{package}.packing")
        answer = packing.create(work, archive, paths or (), kind, overwrite=overwrite)
        return answer
    unpacking = load(f"{package}.unpacking")
    if action == "list":
        answer = unpacking.list_members(work, archive)
        return answer
    wanted = unpacking.Wanted(destination or ".", tuple(paths or ()), overwrite)
    answer = unpacking.extract(work, archive, wanted)
    return answer
