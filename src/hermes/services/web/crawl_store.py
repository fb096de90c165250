"""Keep what a crawl finds: pages as files, a line about each, and where it stands."""

from __future__ import annotations

import json
import re
import secrets
from pathlib import Path
from typing import Any

from hermes.base.errors import InvalidArguments
from hermes.base.files import private_folder, write_atomic
from hermes.services.web.crawling import Plan, State

_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_ID = re.compile(r"[A-Za-z0-9._-]{1,120}")


class CrawlStore:
    """The folder of one crawl."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: list[dict[str, Any]] = []

    @classmethod
    def new(cls, root: Path, host: str) -> CrawlStore:
        """Make the folder of a new crawl."""
        name = f"{_NAME.sub('-', host)[:60]}-{secrets.token_hex(4)}"
        return cls(private_folder(root / name))

    @classmethod
    def known(cls, root: Path, name: str) -> tuple[CrawlStore, Plan, State]:
        """Return a crawl that was begun before, with where it stands.

        Raises:
            InvalidArguments: there is none of this name.
        """
        folder = root / name
        if not _ID.fullmatch(name) or ".." in name or not (folder / "state.json").is_file():
            raise InvalidArguments(
                f"there is no crawl {name!r} to go on with",
                hint="Use the crawl_id of an earlier answer, or leave resume out.",
            )
        found = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        store = cls(folder)
        rows = (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()
        store.rows = [json.loads(row) for row in rows[: found.get("rows")]]  # or a kill doubles one
        plan = Plan(**{**found["plan"], "include": tuple(found["plan"]["include"]),
                       "exclude": tuple(found["plan"]["exclude"])})  # fmt: skip
        waiting = tuple((url, depth) for url, depth in found["waiting"])
        return store, plan, State(waiting, frozenset(found["seen"]))

    def add(self, row: dict[str, Any], text: str) -> None:
        """Keep one page and what is said about it."""
        if text:
            name = f"{len(self.rows) + 1:04d}-{_file_name(row['url'])}.md"
            (self.folder / name).write_text(text, encoding="utf-8")
            row["file"] = str(self.folder / name)
        self.rows.append(row)

    def save(self, plan: Plan, state: State) -> None:
        """Keep where the crawl stands, so that it can go on from here."""
        lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in self.rows)
        write_atomic(self.folder / "pages.jsonl", lines)
        about = {
            "plan": plan._asdict(),
            "waiting": list(state.waiting),
            "seen": sorted(state.seen),
            "rows": len(self.rows),
        }
        write_atomic(self.folder / "state.json", json.dumps(about))


def _file_name(url: str) -> str:
    path = url.partition("://")[2].partition("/")[2] or "index"
    return _NAME.sub("-", path).strip("-")[:60] or "index"
