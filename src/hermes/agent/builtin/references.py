"""Find what *it*, *that file* and *the first one* mean by what came before."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hermes.agent.builtin.names import ORDINALS
from hermes.agent.builtin.ranking import ranked_files
from hermes.agent.builtin.said import Said
from hermes.base.messages import Json

_POINTS = re.compile(
    r"\b(?:it|its|that|this|them|these|those)\b|\b(?:the|that|this) (?:same )?"
    r"(?:file|one|result|folder|archive)\b"
)
_ORDINAL = re.compile(
    rf"\b(?:the|that)?\s*({'|'.join(ORDINALS)})\s+(?:one|file|result|match|hit|entry|item)\b"
)


def earlier_path(said: Said) -> str | None:
    """Return the path that a request points back to, if it does."""
    ordinal = _ORDINAL.search(said.low)
    if ordinal:
        files = known_files(said)
        place = ORDINALS[ordinal[1]]
        return files[place] if files and -len(files) <= place < len(files) else None
    if not _POINTS.search(said.low):
        return None
    files = _listed(said.past.results[-1]) if said.past.results else []
    if len(files) == 1 or (files and said.past.results[-1].get("stdout")):
        return files[0]
    for _, args in reversed(said.past.calls):
        path = args.get("path") or args.get("archive")
        if isinstance(path, str) and path not in {".", ""}:
            return path
    return files[0] if files else None


def packed(said: Said) -> list[str]:
    """Return what the latest call has put into an archive: *it* to delete is that, not this."""
    tool, args = said.past.calls[-1] if said.past.calls else ("", {})
    paths = (
        args.get("paths") if tool == "file_compress" and args.get("action") == "create" else None
    )
    return [str(one) for one in paths] if isinstance(paths, list) else []


def earlier_folder(said: Said) -> str | None:
    """Return the folder that was made or unpacked to last, if one was."""
    for _, args in reversed(said.past.calls):
        made = re.match(r"mkdir -p (\S+)$", str(args.get("command", "")))
        if made:
            return made[1]
        if args.get("action") == "extract" and args.get("destination"):
            return str(args["destination"])
    return None


def known_files(said: Said) -> list[str]:
    """Return the files that the latest answer with files named."""
    for result in reversed(said.past.results):
        files = _listed(result)
        if files:
            return files
    return []


def _listed(result: Mapping[str, Json]) -> list[str]:
    files = result.get("files")
    if isinstance(files, list):
        return [str(one) for one in files]
    matches = result.get("matches")
    if isinstance(matches, list):
        return list(
            dict.fromkeys(str(m["path"]) for m in matches if isinstance(m, dict) and "path" in m)
        )
    return [path for _, path in ranked_files(str(result.get("stdout") or ""))]
