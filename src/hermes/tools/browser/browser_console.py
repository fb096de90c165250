"""Read the console, or run an expression."""

from typing import Any

from hermes.base.optional import load
from hermes.runtime.entry import given
from hermes.tools import ToolContext, tool


@tool(
    toolset="browser",
    permissions=given("network:browse", expression="browser:evaluate"),
    effects="network",
    subjects={"*": "url"},
    parallel=False,
    requires_extra="browser",
    timeout_seconds=120,
    emoji="🖥️",
)
async def browser_console(
    clear: bool = False, expression: str | None = None, *, ctx: ToolContext
) -> dict[str, Any]:
    """Read what the page wrote to its console, or run a JavaScript expression on the page.

    Args:
        clear: Forget the messages after this.
        expression: JavaScript whose value is returned, such as document.title.
    """
    console = load("hermes.services.browser.console", extra="browser")
    driving = load("hermes.services.browser.driving")
    ctx.use(load("hermes.services.web").Web).keep_secrets(expression or "")

    async def work(session: Any) -> dict[str, Any]:
        found: dict[str, Any] = (
            await console.evaluate(session, expression)
            if expression
            else console.messages(session, clear=clear)
        )
        return found

    return dict(await driving.run(ctx, work))
