"""What a checkpoint is: which files a call changed, what they held before and what they became."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Kind = Literal["absent", "file", "link", "folder", "other"]
Origin = Literal["change", "command", "undo"]
Status = Literal["begun", "done", "nothing"]


class State(NamedTuple):
    """What a path holds, or held."""

    kind: Kind = "absent"
    digest: str = ""
    """The SHA-256 of a file's content; of a link, where it points."""
    mode: int = 0
    size: int = 0

    def is_same(self, other: State) -> bool:
        """Say whether both are the same content; modes aside."""
        return self[:2] == other[:2]


ABSENT = State()
UNNAMED = "?"
"""How the digest of a content begins that was noted in haste, and is not known yet."""


class Entry(NamedTuple):
    """One path of a checkpoint."""

    path: str
    """Absolute and free of links."""
    before: State
    after: State
    in_place: bool = False
    """Whether the file itself was written into; a crash can then leave a mixture of both."""


class Checkpoint(NamedTuple):
    """All that one call changed, or that one undoing did."""

    id: str
    made: float
    task_id: str
    call_id: str
    tool: str
    workspace: str
    origin: Origin = "change"
    status: Status = "begun"
    entries: tuple[Entry, ...] = ()
    tree: str = ""
    """For a command: the digest of the list of all that the workspace held before it."""
    undoes: tuple[str, ...] = ()
    """For an undoing: which checkpoints it took back."""
    what: str = ""
    """For a command: its text."""
    is_local: bool = True
    left: tuple[str, ...] = ()
    """What recovery found changed by somebody else, and left alone."""
    packed: str = ""
    """The digest of the entries, when they are too many to stand here."""

    @property
    def digests(self) -> set[str]:
        """Return the contents that must be kept for it."""
        states = [entry.before for entry in self.entries]
        states += [entry.after for entry in self.entries if entry.in_place]
        found = {state.digest for state in states if state.kind == "file"}
        return (found | {self.tree, self.packed}) - {""}


def named(checkpoint: Checkpoint, names: Mapping[str, str]) -> Checkpoint:
    """Return a checkpoint with the digests of contents that were noted in haste."""
    entries = tuple(
        entry._replace(before=entry.before._replace(digest=names[entry.before.digest]))
        if entry.before.digest in names
        else entry
        for entry in checkpoint.entries
    )
    return checkpoint._replace(entries=entries)


def entries_from(value: Any) -> tuple[Entry, ...]:
    """Return the entries of plain lists.

    Raises:
        ValueError: they are none.
    """
    try:
        return tuple(
            Entry(str(path), State(*before), State(*after), bool(in_place))
            for path, before, after, in_place in value
        )
    except TypeError as error:
        raise ValueError(f"no entries: {error}") from error


def checkpoint_from(value: Any) -> Checkpoint:
    """Return the checkpoint of plain lists.

    Raises:
        ValueError: they are none.
    """
    try:
        made = Checkpoint(*value)
        texts = [part for at, part in enumerate(made) if at not in _NOT_TEXT]
        if not all(isinstance(part, str) for part in texts):
            raise ValueError("no checkpoint: a text is missing")
        return made._replace(
            made=float(made.made),
            entries=entries_from(made.entries),
            undoes=tuple(map(str, made.undoes)),
            left=tuple(map(str, made.left)),
        )
    except TypeError as error:
        raise ValueError(f"no checkpoint: {error}") from error


_NOT_TEXT = frozenset(
    map(Checkpoint._fields.index, ("made", "entries", "undoes", "is_local", "left"))
)
