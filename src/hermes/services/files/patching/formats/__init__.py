"""Read a patch text, in whichever of the usual forms it is, as what it does to files."""

from __future__ import annotations

from hermes.base.errors import ToolError
from hermes.services.files.patching.formats import envelope, unified
from hermes.services.files.patching.formats.deeds import Deed


def deeds(patch: str) -> list[Deed]:
    """Return what a patch does, in its order.

    Raises:
        ToolError: it is in no form that is known, or does nothing.
    """
    rows = [row.removesuffix("\r") for row in patch.split("\n")]
    is_named = envelope.has_files(rows)
    if envelope.is_begun(rows) and (is_named or not unified.is_unified(rows)):
        found = envelope.read(rows)
    elif unified.is_unified(rows):
        found = unified.read(rows)
    elif is_named:
        found = envelope.read(rows)
    else:
        raise ToolError(
            "the patch has no header that is known; nothing was changed",
            code="invalid_patch",
            hint="Begin with *** Begin Patch and *** Update File: path, or give a unified diff "
            "with --- and +++ lines.",
        )
    if not found:
        raise ToolError(
            "the patch changes no file",
            code="invalid_patch",
            hint="Name each file: *** Update File: path, *** Add File: or *** Delete File:.",
        )
    return found
