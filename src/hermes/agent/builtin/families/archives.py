"""Archives, and how two files differ."""

from __future__ import annotations

import re

from hermes.agent.builtin.answers import bullets, told
from hermes.agent.builtin.names import ARCHIVE_ENDINGS
from hermes.agent.builtin.references import earlier_path
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Hands, Steps, Unsure, quote, shell, want


def _is_archive(path: str) -> bool:
    return path.lower().endswith(ARCHIVE_ENDINGS)


def pack(said: Said, hands: Hands) -> Steps:
    """Make an archive of files and folders."""
    paths = said.all("path", "glob")
    named = said.find(r"\b(?:called|named|as|to|into)\s+(?:an?\s+|the\s+)?(?P<name>⟦\d+⟧|[\w.-]+)")
    archive = next((one for one in paths if _is_archive(one)), None)
    sources = [one.rstrip("/") for one in paths if one != archive]
    if not sources:
        several = said.find(
            r"\b(?:zip|compress|archive|pack|tar|gzip|bundle)\s+(?:(?:up|file|of)\s+)*(?:the\s+)?"
            r"(?P<names>[\w-]+(?:\s*(?:,|and)\s+(?:the\s+)?[\w-]+)+)(?:\s+folders?)?"
            r"(?:\s+(?:into|to|as|in)\b|[.!?]*$)"
        )
        if several:
            sources = re.split(r"\s*(?:,|\band\b)\s*(?:the\s+)?", several["names"])
    if not sources:
        word = said.find(
            (
                r"\b(?:zip|compress|archive|pack|tar|gzip|bundle|tgz|targz)\s+(?:up\s+)?"
                r"(?:all\s+)?(?:of\s+)?(?:the\s+|my\s+|our\s+)?(?:folder\s+|directory\s+)?"
                r"(?P<name>[\w-]+)\b"
            ),
            (
                r"\b(?:of|from|with|for)\s+(?:the\s+|my\s+|our\s+)?(?:folder\s+|directory\s+)?"
                r"(?P<name>[\w-]+)\b"
            ),
        )
        folder = said.folder
        plain = (word or {}).get("name", "")
        is_word = plain and plain.lower() not in {
            "this",
            "everything",
            "it",
            "all",
            "file",
            "folder",
            "of",
            "here",
            "current",
            "a",
            "that",
            "the",
            "gz",
            "project",
            "called",
            "named",
            "files",
        }
        sources = (
            [folder]
            if folder and folder != "." and folder != archive
            else [plain]
            if is_word
            else [earlier_path(said) or "."]
        )
    if archive is None:
        ending = _ending(said)
        base = (
            named["name"]
            if named
            and named["name"] not in sources
            and not re.fullmatch(r"an?|the|zip|tar\S*|archive|file", named["name"])
            else ""
        )
        stem = (
            base
            or re.sub(r"[^\w.-]+", "-", sources[0].rstrip("/").rsplit("/", 1)[-1]).strip("-.")
            or "archive"
        )
        archive = stem + ending
    listed = " ".join(map(quote, sources))
    by_shell = (
        f"zip -r {quote(archive)} {listed}"
        if archive.endswith(".zip")
        else f"tar -caf {quote(archive)} {listed}"
    )
    answer = yield hands.pick(
        want("file_compress", action="create", archive=archive, paths=sources), shell(by_shell)
    )
    if answer.error or "archive" not in answer.value:
        return told(answer)
    return (
        f"Made {archive} of {', '.join(sources)} ({answer.value.get('files', 0)} "
        f"files, {answer.value.get('size', 0):,} bytes)."
    )


def _ending(said: Said) -> str:
    match = re.search(r"\b(tar\.(?:gz|xz|bz2|zst)|tgz|tarball|tar|targz|gzip)\b", said.text.lower())
    if not match:
        return ".zip"
    return {"tarball": ".tar.gz", "targz": ".tar.gz", "gzip": ".tar.gz"}.get(
        match[1], f".{match[1]}"
    )


def unpack(said: Said, hands: Hands) -> Steps:
    """Unpack an archive."""
    paths = said.all("path")
    archive = next(
        (one for one in paths if _is_archive(one)), paths[0] if paths else earlier_path(said)
    )
    if archive is None:
        raise Unsure("Which archive should I unpack?")
    place = said.find(
        r"\b(?:into|to|in|inside|under)\s+(?:the\s+|a\s+|my\s+)?(?:folder\s+|"
        r"directory\s+|new folder\s+)?(?:called\s+|named\s+)?(?P<to>⟦\d+⟧|[\w.-]+)"
    )
    to = place["to"].rstrip("/") if place and place["to"] not in {archive, "here", "this"} else None
    by_shell = (
        f"unzip {quote(archive)}" if archive.endswith(".zip") else f"tar -xf {quote(archive)}"
    )
    by_shell += (
        (f" -d {quote(to)}" if archive.endswith(".zip") else f" -C {quote(to)}") if to else ""
    )
    return told(
        (
            yield hands.pick(
                want("file_compress", action="extract", archive=archive, destination=to),
                shell(by_shell),
            )
        )
    )


def look_inside(said: Said, hands: Hands) -> Steps:
    """List what is in an archive."""
    archive = next((one for one in said.all("path") if _is_archive(one)), None)
    if archive is None:
        raise Unsure("Which archive?")
    answer = yield hands.pick(
        want("file_compress", action="list", archive=archive), shell(f"tar -tf {quote(archive)}")
    )
    entries = answer.value.get("entries")
    if isinstance(entries, list):
        return (
            f"{archive} "
            f"holds:\n{bullets(e.get('name', e) if isinstance(e, dict) else e for e in entries)}"
        )
    return told(answer)


def compare(said: Said, hands: Hands) -> Steps:
    """Show how two files differ."""
    two = said.find(
        (
            r"\b(?:between|diff|compare|comparing|differ)\s+(?:the\s+)?(?:files?\s+)?"
            r"(?P<a>⟦\d+⟧|[\w./-]+)\s+(?:and|with|to|vs\.?|against|versus|from)"
            r"\s+(?:the\s+)?(?P<b>⟦\d+⟧|[\w./-]+)"
        ),
        (
            r"(?P<a>⟦\d+⟧)\s+(?:and|with|to|vs\.?|against|versus|,|differ from|different "
            r"from|the same as|identical to)\s+(?P<b>⟦\d+⟧)"
        ),
        r"^(?:diff|compare)(?:\s+-\w+)*\s+(?P<a>⟦\d+⟧|[\w.-]+)\s+(?P<b>⟦\d+⟧|[\w.-]+)",
    )
    paths = said.all("path", "quoted")
    a, b = (two["a"], two["b"]) if two else (paths[0], paths[1]) if len(paths) > 1 else ("", "")
    if not a and len(paths) == 1 and not re.search(r"\b(?:with|to|against|it)\b", said.low):
        return told((yield hands.pick(shell(f"git diff -- {quote(paths[0])}"))))
    if not a:
        first = earlier_path(said)
        if not (first and paths):
            raise Unsure("Which two files should I compare?")
        a, b = first, paths[0]
    form = (
        "side_by_side"
        if "side" in said.low
        else "stat"
        if re.search(r"\bhow many lines\b|\bstat", said.low)
        else None
    )
    return told(
        (
            yield hands.pick(
                want("file_diff", a=a, b=b, format=form), shell(f"diff -u {quote(a)} {quote(b)}")
            )
        )
    )
