"""Change parts of files."""

from typing import Any, Literal

from hermes.base.optional import load
from hermes.tools import ToolContext, tool

_SERVICE = "hermes.services.files.patching"


@tool(
    toolset="file",
    permissions=["file:write"],
    effects="write",
    subjects={"path": "path:write", "patch": "patch"},
    paths=["path"],
    announced_late=True,
    emoji="🩹",
)
def patch(
    mode: Literal["replace", "patch"] = "replace",
    path: str = "",
    old_string: str = "",
    new_string: str = "",
    replace_all: bool = False,
    patch: str = "",
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Change a part of a file, or parts of several files at once: all of them or none.

    Args:
        mode: "replace" puts new_string in the place of old_string in the file at path; "patch"
            applies the text in patch.
        path: The file, for mode=replace.
        old_string: The text to replace, with enough lines around it to be there only once.
        new_string: What takes its place; empty to remove it.
        replace_all: Replace every place where old_string is.
        patch: For mode=patch: "*** Begin Patch", then "*** Update File: path" with "@@" and lines
            that begin with a space, - or +, "*** Add File: path", "*** Delete File: path",
            "*** Move to: path", then "*** End Patch". A unified diff will do too.
    """
    work = ctx.use(load("hermes.services.files").Files).at(ctx)
    answer: dict[str, Any]
    if mode == "patch" or (patch and not old_string):
        answer = load(f"{_SERVICE}.applying").patch(work, patch)
    else:
        wanted = load(f"{_SERVICE}.finding").Wanted(path, old_string, new_string, replace_all)
        answer = load(f"{_SERVICE}.replacing").replace(work, wanted)
    return answer
