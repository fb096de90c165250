"""Unpack and list archives."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from hermes.base.errors import ToolError
from hermes.services.files import Change, Work
from hermes.services.files.archives import Limits, Member, too_much, unsafe
from hermes.services.files.archives.formats import Meter, contents
from hermes.services.files.archives.names import safe_name, stays_inside
from hermes.services.files.changing import said
from hermes.services.files.disk import Stage, Step
from hermes.services.files.merging import shown

_MOST_LISTED = 1_000
_MOST_SKIPPED = 20
_KEPT_BYTES = 32 << 20
_KEPT_FILES = 2_000


class Wanted(NamedTuple):
    """What is to be unpacked, and how."""

    destination: str = "."
    names: Sequence[str] = ()
    """Entries, folders of entries, or globs; none means all."""
    overwrite: bool = False


def list_members(work: Work, archive: str, limits: Limits | None = None) -> dict[str, Any]:
    """Return what is in an archive.

    Raises:
        ToolError: it cannot be read.
    """
    limits, total, size, is_known = limits or Limits(), 0, 0, True
    listed: list[dict[str, Any]] = []
    try:
        with work.disk.open(archive) as file:
            found = contents(file, limits)
            for member in _counted(found.members, limits, work):
                total += 1
                size += max(0, member.size)
                is_known = is_known and member.size >= 0
                if len(listed) < _MOST_LISTED:
                    listed.append(_described(member))
    except OSError as error:
        raise said(error, archive) from error
    return {
        "format": found.format,
        "entries": listed,
        "total": total,
        **({"total_size": size} if is_known else {}),
        "truncated": total > len(listed),
    }


def _described(member: Member) -> dict[str, Any]:
    about: dict[str, Any] = {"name": shown(member.name), "type": member.kind}
    if member.kind == "twin":
        about["type"] = "hard link"
    if member.kind == "file" and member.size >= 0:
        about["size"] = member.size
    if member.target:
        about["target"] = shown(member.target)
    if member.modified_ns is not None:
        try:
            moment = datetime.fromtimestamp(member.modified_ns / 1e9, UTC)
        except (ValueError, OverflowError, OSError):
            return about
        about["modified"] = moment.isoformat(timespec="seconds")
    return about


def _counted(members: Iterator[Member], limits: Limits, work: Work) -> Iterator[Member]:
    """Yield members as long as they are not too many, and the caller still waits for them."""
    for number, member in enumerate(members):
        if number >= limits.entries:
            raise too_much(f"has more than {limits.entries} entries")
        work.check_wanted()
        yield member


def extract(
    work: Work, archive: str, wanted: Wanted, limits: Limits | None = None
) -> dict[str, Any]:
    """Unpack an archive: all that is wanted of it, or nothing.

    Raises:
        ToolError: it cannot be read, wants what it may not, or something is in its way.
    """
    limits = limits or Limits()
    work.leftovers.sweep()
    try:
        with (
            work.disk.open(archive) as file,
            work.disk.stage(wanted.destination, work.leftovers) as stage,
        ):
            found = contents(file, limits)
            unpacking = Unpacking(work, stage, limits, file.found.size)
            for member in _counted(found.members, limits, work):
                unpacking.take(member, wanted.names)
            steps = unpacking.finish(wanted)
    except OSError as error:
        raise said(error, archive if error.filename is None else str(error.filename)) from error
    return {"format": found.format, **unpacking.answer(steps)}


class Unpacking:
    """Put members of an archive on a stage, and count them."""

    def __init__(self, work: Work, stage: Stage, limits: Limits, packed: int) -> None:
        self._work, self._stage, self._limits = work, stage, limits
        self._meter = Meter(limits, packed)
        self._counts = {"file": 0, "folder": 0, "link": 0, "twin": 0}
        self._skipped: list[dict[str, str]] = []
        self._skips = 0
        self._content: dict[str, bytes] | None = {}
        """What files hold, for whoever keeps what is changed; None once it is too much."""
        self._kept = 0

    def take(self, member: Member, names: Sequence[str]) -> None:
        """Put one member on the stage, if it is wanted."""
        name = safe_name(member.name, self._limits)
        if names and not _is_wanted(name, names):
            return
        if not name:
            if member.kind != "folder":
                raise unsafe("an entry has the name of the destination itself")
            return
        if member.kind == "folder":
            self._stage.folder(name, member.mode, member.modified_ns)
        elif member.kind == "file":
            parts = self._metered(name, member)
            self._stage.file(name, parts, member.mode, member.modified_ns)
        elif reason := self._link(name, member):
            self._skip(member.name, reason)
            return
        self._counts[member.kind] += 1

    def _metered(self, name: str, member: Member) -> Iterator[bytes]:
        kept: list[bytes] | None = [] if self._content is not None else None
        for part in member.parts():
            self._work.check_wanted()
            self._meter.add(len(part))
            if kept is not None and self._kept <= _KEPT_BYTES:
                kept.append(part)
                self._kept += len(part)
            yield part
        self._keep(name, kept)

    def _keep(self, name: str, parts: list[bytes] | None) -> None:
        if self._content is None or parts is None:
            return
        self._content[name] = b"".join(parts)
        if self._kept > _KEPT_BYTES or len(self._content) > _KEPT_FILES:
            self._content = None

    def _link(self, name: str, member: Member) -> str | None:
        """Make a link, or return why not."""
        if member.kind == "link":
            if not stays_inside(name, member.target):
                return "a link that leads out of the destination"
            self._stage.link(name, member.target)
            return None
        if member.kind != "twin":
            return "a device, a pipe or something else that is no file"
        other = safe_name(member.target, self._limits)
        try:
            self._stage.twin(name, other)
        except FileNotFoundError:
            return "a hard link to what is not in the archive before it"
        if self._content is not None and other in self._content:
            self._content[name] = self._content[other]
        return None

    def _skip(self, name: str, reason: str) -> None:
        self._skips += 1
        if len(self._skipped) < _MOST_SKIPPED:
            self._skipped.append({"name": shown(name), "reason": reason})

    def finish(self, wanted: Wanted) -> list[Step]:
        """Move all of it into its place; what is replaced is kept first."""
        if wanted.names and not any(self._counts.values()):
            raise ToolError(f"nothing in the archive is called {wanted.names[0]}", code="not_found")
        steps = self._stage.plan(overwrite=wanted.overwrite)
        keeper, name = self._work.keeper, None
        if self._content is not None:
            changes = [self._change(inner, data) for inner, data in self._content.items()]
            name = keeper.begin(self._work.caller, changes, is_local=self._work.disk.is_local)
        try:
            if name is not None:
                keeper.secure(name)
            self._stage.settle(steps)
        except BaseException:
            if name is not None:
                keeper.end(name, is_done=False)
            raise
        if name is not None:
            keeper.end(name, is_done=True)
        return steps

    def _change(self, name: str, after: bytes) -> Change:
        path = f"{self._stage.path}/{name}"
        try:
            found = self._work.disk.find(path, follow=False)
            before = self._work.disk.read(path)[1] if found.kind == "file" else None
        except OSError:
            return Change(path, None, after)
        return Change(path, before, after, found.mode)

    def answer(self, steps: Sequence[Step]) -> dict[str, Any]:
        """Return what was done."""
        counts = self._counts
        answer: dict[str, Any] = {
            "destination": shown(self._stage.path),
            "files": counts["file"] + counts["twin"],
            "folders": counts["folder"],
            "bytes": self._meter.seen,
        }
        replaced = sum(step.replaces for step in steps)
        answer |= {key: value for key, value in (("links", counts["link"]),) if value}
        if replaced:
            answer["replaced"] = replaced
        if self._skips:
            answer["skipped"] = self._skips
            answer["skipped_entries"] = self._skipped
        if self._content is None:
            answer["note"] = "It is too much to be kept for undo."
        return answer


def _is_wanted(name: str, names: Sequence[str]) -> bool:
    for one in names:
        plain = one.strip("/").removeprefix("./")
        if name == plain or name.startswith(f"{plain}/") or fnmatch.fnmatchcase(name, plain):
            return True
    return False
