"""Open an address in the browser."""

from typing import Any

from hermes.base.optional import load
from hermes.tools import ToolContext, tool


@tool(
    toolset="browser",
    permissions=["network:browse"],
    effects="network",
    subjects={"url": "url", "*": "url"},
    parallel=False,
    requires_extra="browser",
    timeout_seconds=120,
    emoji="🌐",
)
async def browser_navigate(url: str, *, ctx: ToolContext) -> dict[str, Any]:
    """Open an address and show the page: text, and things to act on with refs like @e12.

    Args:
        url: The address, http or https.
    """
    going = load("hermes.services.browser.going", extra="browser")
    driving = load("hermes.services.browser.driving", extra="browser")
    address = going.address_of(url)
    ctx.use(load("hermes.services.web").Web).keep_secrets(address)
    rules = ctx.check_url(address) if address != "about:blank" else ()

    async def work(session: Any) -> dict[str, Any]:
        status = await going.go(session, address, rules)
        shown: dict[str, Any] = await driving.arrived(session)
        return {"status": status} | shown if status else shown

    return dict(await driving.run(ctx, work, is_leaving=True))
