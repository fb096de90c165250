"""Tell by its name what a project's own task reaches: a release, a deployment, a database."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import DRY
from hermes.policy.shell.models.surroundings import is_live
from hermes.policy.shell.models.words import words

_OUT = words(
    "deploy deployment publish release ship promote rollback undeploy provision destroy teardown"
    " upload nuke"
)
_CALM = words(
    "build test tests lint check compile validate verify start serve watch dry dryrun local notes"
    " docs doc help plan preview pre changelog status list typecheck format unit debug dev diff"
    " package bundle version prepare"
)
_STRONG = words("deploy deployment publish destroy undeploy nuke")
_DATA = re.compile(
    r"(?:^|[:\-_.])(?:db|database|schema|prisma|pg|mysql|mongo|redis)[:\-_.]"
    r"(?:[a-z]+[:\-_.])*(?:drop|reset|wipe|nuke|destroy|clear|truncate|purge|fresh|rollback)\b"
    r"|(?:^|[:\-_.])(?:drop|reset|wipe|nuke|destroy)[:\-_.](?:the[:\-_.])?(?:db|database|schema)\b"
    r"|(?:^|[:\-_.])migrate[:\-_.](?:[a-z]+[:\-_.])*(?:fresh|reset|rollback|prod|production|undo)\b"
)
_SYSTEM = re.compile(r"(?:^|[:\-_])(?:prod|production)(?:$|[:\-_])")


def task(name: str, arguments: tuple[str, ...] = (), where: str = "") -> Iterator[Effect]:
    """Yield the danger of a task whose name says that it changes what others see."""
    if any(word in DRY for word in arguments) or "dry" in name:
        return
    lowered = name.lower()
    parts = [part for part in re.split(r"[:\-_./]", lowered) if part]
    if not parts:
        return
    if _DATA.search(lowered) and "test" not in parts:
        yield danger("database", f"runs the project's task {name}, which may lose data")
    elif _goes_out(parts):
        yield danger("publish", f"runs the project's task {name}, which reaches others")
    elif (_SYSTEM.search(lowered) or is_live(where)) and parts[0] in (
        "migrate",
        "seed",
        "db",
        "sync",
        "backup",
        "push",
    ):
        yield danger("infrastructure", f"runs the project's task {name} on production")


def _goes_out(parts: list[str]) -> bool:
    if not any(part in _OUT for part in parts):
        return False
    return not any(part in _CALM for part in parts) or (
        parts[-1] in _STRONG
        and parts[0] not in ("test", "tests", "check", "lint", "pre")
        and not any(part in ("dry", "local", "plan", "preview", "test") for part in parts)
    )
