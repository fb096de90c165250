"""Write whole files: in one step, with a word about what else the writer should know."""

from __future__ import annotations

import functools
import os
from typing import Any

from hermes.base.errors import ToolError
from hermes.base.optional import load
from hermes.services.files import Work
from hermes.services.files.changing import Step, apply, said, unkept
from hermes.services.files.disk import Found, Manner
from hermes.services.files.meanwhile import begun
from hermes.services.files.text import UTF8, Encoding, detect

_LARGEST_LINTED = 2 << 20
_LONG = 1 << 16
"""Characters of a content from which on another thread works something out meanwhile."""


def write(work: Work, path: str, content: str, manner: Manner) -> dict[str, Any]:
    """Write a file and return what was done.

    Raises:
        ToolError: it cannot be written; nothing was changed.
    """
    try:
        with work.turn([path]):
            return _write(work, path, content, manner)
    except FileExistsError as error:
        failure = said(error, path)
        failure.hint = "Use mode=overwrite to replace it, or another name."
        raise failure from error
    except OSError as error:
        raise said(error, path) from error


def _write(work: Work, path: str, content: str, manner: Manner) -> dict[str, Any]:
    if len(content) > _LONG:
        begun(lambda: work.caller.digest(content))
    found, old = _there(work, path)
    if manner == "create" and old is not None:
        raise FileExistsError(17, os.strerror(17), path)
    before = detect(old) if old is not None else None
    if before is not None and before.is_broken and manner == "overwrite":
        before = UTF8
    after = _fitting(content, before)
    if manner == "append" and before not in (None, after):
        raise ToolError(
            f"{path} is {before.shown}, which does not have all characters of the content",
            code="encoding",
            hint="Use characters that it has, or write the whole file with mode=overwrite.",
        )
    data = encoded(path, content, before)
    if manner == "append" and old is not None:
        data = old + data.removeprefix(before.mark if before and old else b"")
    warning = _warning(work, found) if found and manner == "overwrite" else None
    version = found.version if found else None
    is_content = after == UTF8 and (manner != "append" or old is None)
    digest = functools.partial(work.caller.digest, content) if is_content else None
    lines = functools.cache(lambda: _lines(data, after))
    step = Step(path, old, data, version, found=found, digest=digest, meanwhile=lines)
    written = apply(work, [step])[0]
    assert written is not None
    answer: dict[str, Any] = {
        "path": written.found.path,
        "bytes": len(data),
        "lines": lines(),
        "created": written.is_new,
    }
    if written.folders:
        answer["folders_created"] = written.folders
    if not {before, after} <= {None, UTF8}:
        answer["encoding"] = after.shown
    if before not in (None, after):
        lost = f"It was {before.shown}, which does not have all of these characters."
        warning = f"{warning} {lost}" if warning else lost
    if warning:
        answer["warning"] = warning
    return answer | lint(written.found.path, old, data)


def _there(work: Work, path: str) -> tuple[Found, bytes] | tuple[None, None]:
    try:
        return work.disk.read(path, "write")
    except FileNotFoundError:
        return None, None


def encoded(path: str, content: str, before: Encoding | None) -> bytes:
    """Return the content as bytes: in the encoding that the file has, if it has the characters."""
    encoding = _fitting(content, before)
    if encoding == UTF8:
        return _utf8(path, content)
    return encoding.mark + content.encode(encoding.name)


def _fitting(content: str, before: Encoding | None) -> Encoding:
    if before is None or before == UTF8:
        return UTF8
    try:
        content.encode(before.name)
    except UnicodeEncodeError:
        return UTF8
    return before


def _utf8(path: str, content: str) -> bytes:
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        raise ToolError(
            f"{path}: the content has half a character at position {error.start}",
            code="invalid_arguments",
        ) from error


def _warning(work: Work, found: Found) -> str | None:
    warning = work.log.warning(work.task_id, found.path, found.version)
    if not warning or work.keeper.largest is None:
        return warning or None
    return f"{warning} {unkept(work, found.size, found.links) or '`hermes undo` brings it back.'}"


def _lines(data: bytes, encoding: Encoding) -> int:
    if encoding.name.startswith(("utf-16", "utf-32")):
        data = data.decode(encoding.name, "replace").encode()
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def lint(path: str, old: bytes | None, new: bytes) -> dict[str, Any]:
    """Return the problems that a change of a file brought in, for its answer."""
    if len(new) > _LARGEST_LINTED:
        return {}
    problems = load("hermes.services.files.linting").introduced(path, old, new)
    return {"lint": problems} if problems else {}
