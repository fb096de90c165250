"""All figures, in the order of the report."""

from __future__ import annotations

from bench import (
    agent,
    browsing,
    calls,
    chat,
    code,
    concurrency,
    containment,
    files,
    patching,
    policy,
    register,
    registry,
    repl,
    sandbox,
    search,
    servers,
    serving,
    sessions,
    start,
    terminal,
    tokens,
    warm,
    web,
)
from bench.figure import Family

FAMILIES: tuple[Family, ...] = (
    *start.FAMILIES,
    *chat.FAMILIES,
    *warm.FAMILIES,
    *calls.FAMILIES,
    *register.FAMILIES,
    *concurrency.FAMILIES,
    *registry.FAMILIES,
    *search.FAMILIES,
    *tokens.FAMILIES,
    *policy.FAMILIES,
    *sandbox.FAMILIES,
    *containment.FAMILIES,
    *terminal.FAMILIES,
    *code.FAMILIES,
    *files.FAMILIES,
    *patching.FAMILIES,
    *repl.FAMILIES,
    *sessions.FAMILIES,
    *agent.FAMILIES,
    *servers.FAMILIES,
    *serving.FAMILIES,
    *web.FAMILIES,
    *browsing.FAMILIES,
)


def named(names: list[str]) -> list[Family]:
    """Return the families that names mean, all of them without names.

    Raises:
        LookupError: a name means none; the message lists those that there are.
    """
    for name in names:
        if not any(family.answers_to(name) for family in FAMILIES):
            known = ", ".join(family.name for family in FAMILIES)
            raise LookupError(f"there is no figure {name!r}; there are {known}")
    return [
        family for family in FAMILIES if not names or any(family.answers_to(name) for name in names)
    ]
