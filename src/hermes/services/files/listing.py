"""List a folder for a model: a tree with sizes, links and what git says, and what is left out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hermes.base.errors import ToolError
from hermes.environments.inside import listing
from hermes.environments.inside.globs import fitting
from hermes.environments.inside.listing import Order, Row, Tree
from hermes.services.files import Work
from hermes.services.files.changing import named, said
from hermes.services.files.git_marks import marks
from hermes.services.files.local_disk import LocalDisk
from hermes.services.files.remote_disk import RemoteDisk

_UNITS = ("kB", "MB", "GB", "TB", "PB")


def show(work: Work, path: str, order: Order) -> dict[str, Any]:
    """Return a tree as text, and how much there is.

    Raises:
        ToolError: the path or the pattern is wrong; says how.
    """
    if order.glob:
        try:
            fitting(order.glob)
        except ValueError as error:
            raise ToolError(f"pattern {order.glob!r}: {error}", code="invalid_argument") from error
    try:
        tree, changed = _look(work, path, order)
    except NotADirectoryError as error:
        raise _no_folder(work, path, error) from error
    except OSError as error:
        raise said(error, path) from error
    return _answer(tree, changed, order)


def _no_folder(work: Work, path: str, error: OSError) -> ToolError:
    try:
        work.disk.find(path)
    except OSError:  # it is what is above that is a file
        return said(error, path)
    return ToolError(
        f"{named(path)}: it is a file, not a folder",
        code="not_a_folder",
        hint="Use read_file to see what is in it.",
    )


def _look(work: Work, path: str, order: Order) -> tuple[Tree, dict[str, str]]:
    disk = work.disk
    if isinstance(disk, RemoteDisk):
        found = disk.find(path)
        return disk.ask(disk.files.tree(order._replace(root=found.path)), lambda: False), {}
    assert isinstance(disk, LocalDisk)
    with disk.held(path) as held:
        tree = listing.tree(order._replace(root=held.path, at=held.place))
        return tree, marks(held.path, held.place)


def _answer(tree: Tree, changed: dict[str, str], order: Order) -> dict[str, Any]:
    lines = _lines(tree, changed, order)
    total = tree.files + tree.folders
    is_cut = len(tree.rows) < total
    answer: dict[str, Any] = {
        "tree": "\n".join(lines),
        "files": tree.files,
        "folders": tree.folders,
    }
    if tree.is_complete:
        answer |= {"total": total, "truncated": is_cut}
    else:
        answer |= {"at_least": total, "truncated": True}
        answer["note"] = "Not everything was looked at in time; list a part of it."
    return answer


def _lines(tree: Tree, changed: dict[str, str], order: Order) -> list[str]:
    dirty = {above for path in changed for above in _above(path)}
    lines: list[str] = []
    open_folders: list[tuple[int, int]] = []
    for row in tree.rows:
        depth = row.path.count("/")
        _close(lines, open_folders, depth)
        mark = changed.get(row.path) or ("•" if row.path in dirty else "")
        lines.append("  " * depth + _line(row, mark, is_dated=order.sort == "modified"))
        if row.left_out:
            open_folders.append((depth + 1, row.left_out))
    _close(lines, open_folders, 0)
    if tree.left_out:
        lines.append(f"… {tree.left_out:,} more")
    return lines


def _close(lines: list[str], waiting: list[tuple[int, int]], depth: int) -> None:
    """Say of the folders that end here how much of them is not shown."""
    while waiting and waiting[-1][0] > depth:
        inner, count = waiting.pop()
        lines.append("  " * inner + f"… {count:,} more")


def _line(row: Row, mark: str, *, is_dated: bool) -> str:
    name = row.path.rpartition("/")[2]
    if not name.isprintable():
        name = ascii(name)
    parts = [name + ("/" if row.kind == "folder" else "")]
    if row.kind == "link":
        parts[0] += f" -> {row.target if row.target.isprintable() else ascii(row.target)}"
    elif row.kind == "file":
        parts.append(size(row.size))
    elif row.kind == "other":
        parts.append("(special)")
    if is_dated:
        parts.append(_date(row.modified))
    return "  ".join([*parts, f"[{mark}]"] if mark else parts)


def _above(path: str) -> list[str]:
    names = path.split("/")
    return ["/".join(names[:count]) for count in range(1, len(names))]


def size(count: int) -> str:
    """Write a number of bytes as people do."""
    if count < 1_000:
        return f"{count} B"
    power = min(len(_UNITS), (len(str(count)) - 1) // 3)
    value = count / 1_000**power
    return (
        f"{value:.1f} {_UNITS[power - 1]}" if value < 9.95 else f"{value:.0f} {_UNITS[power - 1]}"
    )


def _date(modified: float) -> str:
    when = datetime.fromtimestamp(modified, UTC)
    return f"{when:%Y-%m-%d %H:%M}Z"
