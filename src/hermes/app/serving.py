"""Put the pieces of `hermes mcp serve` together: a runtime, what it offers, and a transport."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import hermes
from hermes.app.runtime import Runtime
from hermes.base.optional import load
from hermes.mcp.serving.facts import Facts

if TYPE_CHECKING:
    from hermes.app.serving_calls import Company
    from hermes.mcp.serving.http import Door
    from hermes.mcp.serving.offering import Offering
    from hermes.mcp.serving.shelves import Prompts, Shelf
    from hermes.runtime.approvals import ApprovalRequest

_SEARCHING = "session_search"


class Serving:
    """A runtime, and what clients are offered of it.

    A start knows the tools alone; what calls, resources and prompts need is made when it is needed.
    """

    def __init__(
        self, shelves: Sequence[Shelf] = (), prompts: Sequence[Prompts] = (), **choices: Any
    ) -> None:
        """Serve the tools of a ``Runtime`` made with these choices; clients' people approve."""
        self.runtime = Runtime(**{"cwd": workspace(), **choices}, approver=self._approve)
        self.prefix = f"mcp-{os.urandom(4).hex()}-"
        """What the ids of this server's calls begin with."""
        self.has_sessions = _SEARCHING in self._tool_names()
        self.has_skills = os.path.isdir(f"{self.runtime.settings.folder}/skills")  # noqa: PTH112 - a start loads no pathlib
        has_prompts = bool(prompts) or self.has_sessions or self.has_skills
        self.facts = _facts(self.runtime)._replace(has_resources=True, has_prompts=has_prompts)
        self.more = tuple(shelves), tuple(prompts)
        """What is served beside that: resources and prompts of a program's own."""

    def _tool_names(self) -> set[str]:
        return {definition["name"] for definition in self.tools()}

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools on offer, as clients are told of them."""
        return self.runtime.definitions(format="mcp")

    @functools.cached_property
    def company(self) -> Company:
        """What calls need around them."""
        half = load("hermes.app.serving_calls")
        ground = half.Ground(
            self.runtime, self.facts, self.prefix, *self.more, self.has_sessions, self.has_skills
        )
        made: Company = half.Company(ground)
        return made

    @property
    def offering(self) -> Offering:
        """Answers the requests of clients."""
        return self.company.offering

    async def _approve(self, request: ApprovalRequest) -> Any:
        return await self.company.asking.approve(request)

    def close(self) -> None:
        """End everything that runs for clients."""
        if "company" in vars(self):
            self.company.close()
        self.runtime.close()


def make(
    *, shelves: Sequence[Shelf] = (), prompts: Sequence[Prompts] = (), **choices: Any
) -> Serving:
    """Return what can be served: a runtime's tools, its results and conversations, and more.

    ``choices`` are those of a ``Runtime``.
    """
    return Serving(shelves, prompts, **choices)


def workspace() -> str:
    """Return the folder to work in: this one, or one of our own where that would be all there is.

    Programs with windows start servers at the root of the disk.
    """
    here = os.getcwd()  # noqa: PTH109 - a start loads no pathlib
    if here != os.path.sep:
        return here
    folder = f"{load('hermes.config.load').load().folder}/workspace"
    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - as above
    return folder


def serve_stdio(serving: Serving) -> None:
    """Serve the client at the other end of standard input and output, until it leaves."""
    opening = load("hermes.mcp.serving.opening").Opening(serving.facts, serving.tools, _task_id())
    try:
        with load("hermes.mcp.serving.streams").own_streams() as (given, taken):
            opening.run(given, taken)
            load("hermes.app.serving_calls").stdio(serving.offering, opening, given, taken)
    finally:
        serving.close()


def serve_http(serving: Serving, door: Door) -> None:
    """Serve clients over HTTP until interrupted."""
    try:
        load("hermes.app.serving_calls").http(serving.offering, door, _task_id())
    finally:
        serving.close()


def _task_id() -> str:
    return f"mcp-{os.urandom(4).hex()}"


def _facts(runtime: Runtime) -> Facts:
    info = {"name": "hermes", "title": "hermes", "version": hermes.__version__}
    said = (
        f"Tools of hermes. They work in {runtime.cwd}; relative paths start there. A call that the "
        "permission profile does not allow is asked of the user, or refused with the reason."
    )
    return Facts(info, said, f"{runtime.settings.folder}/results")
