"""Ask a person for a yes in the name of an MCP server; nobody there means no."""

from __future__ import annotations

from typing import Any

from hermes.base.errors import Denied
from hermes.mcp.people import People
from hermes.runtime.approvals import ApprovalRequest
from hermes.runtime.approvals.request import understood

BY_PERSON = frozenset({"once", "session", "always"})
BY_POLICY = BY_PERSON | {"smart", "off"}
"""What counts as a yes where the person's settings may stand in for them."""


async def agree(
    people: People,
    server: str,
    what: str,
    shown: dict[str, Any],
    *,
    reason: str = "",
    words: frozenset[str] = BY_PERSON,
) -> None:
    """Ask for a yes to what is shown.

    Raises:
        Denied: nobody gives it.
    """
    if people.approver is None:
        raise Denied("nobody is there to ask")
    request = ApprovalRequest(
        tool=f"mcp-{server}:{what}",
        arguments=shown,
        permissions=(f"mcp:{what}",),
        reason=reason or f"the MCP server {server} asks for it in its own words",
        rule=f"mcp:{what}",
        task_id=people.task_of() if people.task_of is not None else f"mcp-{server}",
        call_id="",
    )
    given = await people.approver(request)
    word = given if isinstance(given, str) else understood(given, may_last=True).word
    if word not in words:
        raise Denied("the user refused")
