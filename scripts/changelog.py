#!/usr/bin/env python3
"""Put the fragments of changelog/ into CHANGELOG.md: scripts/changelog.py VERSION | --draft.

A fragment is a file `<slug>.<added|changed|fixed>.md` with one or more sentences for the people who
use hermes. A release takes them all, newest release first, and removes the files.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed"}
MARK = "<!-- releases -->\n"


def fragments(folder: Path) -> dict[str, list[Path]]:
    """Return the fragments by kind; a file with another kind of name is an error."""
    found: dict[str, list[Path]] = {kind: [] for kind in KINDS}
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        slug, _, kind = path.stem.rpartition(".")
        if not slug or kind not in KINDS:
            sys.exit(f"{path}: name it <slug>.<{'|'.join(KINDS)}>.md")
        found[kind].append(path)
    return found


def section(title: str, found: dict[str, list[Path]]) -> str:
    """Return the text of one release."""
    lines = [f"## {title}", ""]
    for kind, paths in found.items():
        if paths:
            lines += [f"### {KINDS[kind]}", ""]
            lines += [f"- {' '.join(path.read_text(encoding='utf-8').split())}" for path in paths]
            lines.append("")
    return "\n".join(lines)


def release(root: Path, version: str) -> None:
    """Write a release into CHANGELOG.md and remove its fragments."""
    found = fragments(root / "changelog")
    changelog = root / "CHANGELOG.md"
    before, mark, after = changelog.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        sys.exit(f"{changelog}: the line {MARK.strip()!r} is missing")
    today = datetime.now(UTC).date().isoformat()
    text = f"{before}{mark}\n{section(f'{version} ({today})', found)}{after}"
    changelog.write_text(text, encoding="utf-8")
    for paths in found.values():
        for path in paths:
            path.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/changelog.py VERSION | --draft")
    if sys.argv[1] == "--draft":
        print(section("Unreleased", fragments(Path("changelog"))), end="")
    else:
        release(Path(), sys.argv[1])
