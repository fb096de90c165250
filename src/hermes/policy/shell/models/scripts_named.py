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
    " upload nuke push"
)
_STRONG = words("deploy deployment publish destroy undeploy nuke push")
_CALM = words(
    "build test tests lint check compile validate verify start serve watch docs doc pre package"
    " bundle version prepare typecheck format unit debug dev db prisma drizzle schema binary"
)
_VETO = words(
    "dry dryrun local notes help plan preview changelog status list diff test tests check lint"
    " validate verify"
)
_INFRASTRUCTURE = words("terraform tf infra k8s kube kubectl helm pulumi cdk ansible tofu cluster")
_CHANGING = words("apply up destroy upgrade install delete uninstall down rollout")
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
    elif any(part in _INFRASTRUCTURE for part in parts) and parts[-1] in _CHANGING:
        yield danger("infrastructure", f"runs the project's task {name}, which changes machines")
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
    """Say whether a name such as ``docs:deploy`` means that something leaves the machine."""
    if any(part in _VETO for part in parts) or not any(part in _OUT for part in parts):
        return False
    if parts[0] in _OUT:
        return not (parts[0] == "release" and any(part in _CALM for part in parts[1:]))
    if "push" in parts and parts[0] in _CALM:
        return False
    return parts[-1] in _STRONG or not any(part in _CALM for part in parts)
