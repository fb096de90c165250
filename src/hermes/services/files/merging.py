"""Move a staged tree into its place: all of it, or nothing, and nothing is replaced unasked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hermes.base.errors import ToolError
from hermes.services.files.disk import Kind, Step

_SHOWN = 10
_LEAVES = ("file", "link")


class Ground(Protocol):
    """A staged tree, the folder it goes to, and where replaced files are kept meanwhile."""

    def kind_staged(self, name: str) -> Kind | None:
        """Return what the staged tree has under a name."""

    def kind_there(self, name: str) -> Kind | None:
        """Return what is in the place where that goes."""

    def names(self, name: str) -> Sequence[str]:
        """Return the names in a staged folder, sorted; ``""`` is all of it."""

    def move(self, step: Step) -> None:
        """Move one thing into its place; what it replaces is kept."""

    def take_back(self, step: Step) -> None:
        """Bring one thing back, if it was moved, and put what was kept into its place again."""


def planned(ground: Ground, *, overwrite: bool) -> list[Step]:
    """Return what has to be moved; a folder that is not there yet goes as a whole.

    Raises:
        ToolError: something is in the way.
    """
    steps: list[Step] = []
    clashes: list[str] = []
    mismatched: list[str] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        for name in ground.names(folder):
            path = f"{folder}/{name}" if folder else name
            mine, there = ground.kind_staged(path), ground.kind_there(path)
            if there is None:
                steps.append(Step(path, replaces=False))
            elif mine == there == "folder":
                folders.append(path)
            elif mine in _LEAVES and there in _LEAVES:
                steps.append(Step(path, replaces=True))
                clashes.append(path)
            else:
                mismatched.append(path)
    if mismatched:
        raise _in_the_way(mismatched, "is there already as something else", None)
    if clashes and not overwrite:
        hint = "Set overwrite to replace them, or choose another destination."
        raise _in_the_way(clashes, "is there already", hint)
    return steps


def _in_the_way(names: list[str], what: str, hint: str | None) -> ToolError:
    more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return ToolError(
        f"{shown(names[0])} {what}{more}; nothing was changed",
        code="exists",
        hint=hint,
        in_the_way=[shown(name) for name in names[:_SHOWN]],
    )


def shown(name: str) -> str:
    """Return a name as text, whatever bytes it has."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def move_all(ground: Ground, steps: Sequence[Step]) -> None:
    """Move everything; when one move fails, those before it are taken back.

    Raises:
        OSError: it failed, and all is as before.
    """
    begun: list[Step] = []
    try:
        for step in steps:
            begun.append(step)
            ground.move(step)
    except BaseException:
        for step in reversed(begun):
            ground.take_back(step)
        raise
