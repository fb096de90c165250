"""Look up a name in the domain name system."""

from typing import Any, Literal

from hermes.base.optional import load
from hermes.tools import ToolContext, tool


@tool(
    toolset="web",
    permissions=["network:lookup"],
    effects="network",
    subjects={},
    requires_extra="web",
    timeout_seconds=100,
    emoji="🧭",
)
async def dns_lookup(
    name: str,
    type: Literal["A", "AAAA", "MX", "TXT", "CNAME", "NS", "SOA", "SRV", "PTR", "CAA", "ANY"] = "A",
    server: str | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Look up the DNS records of a name; an address is looked up in reverse.

    Args:
        name: The host name, or an IP address for its name.
        type: The kind of records; ANY asks for all usual kinds.
        server: The DNS server to ask, such as 9.9.9.9; by default the system's.
    """
    names = load("hermes.services.web.names", extra="web")
    ctx.use(load("hermes.services.web").Web).keep_secrets(name)
    if server:
        ctx.check_url(f"https://{names.host_of(server)}/")
    found: dict[str, Any] = await names.look_up(name, type, server)
    return found
