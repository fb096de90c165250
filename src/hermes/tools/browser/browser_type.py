"""Write into a field."""

from typing import Any

from hermes.base.optional import load
from hermes.tools import ToolContext, tool


@tool(
    toolset="browser",
    permissions=["network:browse"],
    effects="network",
    subjects={"*": "url"},
    parallel=False,
    requires_extra="browser",
    timeout_seconds=120,
    emoji="⌨️",
)
async def browser_type(
    ref: str, text: str, submit: bool = False, *, ctx: ToolContext
) -> dict[str, Any]:
    """Write into a field in place of what it holds, and say what changed.

    In a list, text is the option to choose; in a field for files, the path to upload, several with
    a | between them; for a box to tick, true or false.

    Args:
        ref: The field's ref, like @e12.
        text: What to write.
        submit: Press Enter after it.
    """
    actions = load("hermes.services.browser.actions", extra="browser")
    driving = load("hermes.services.browser.driving")
    actions.check_ref(ref)
    ctx.use(load("hermes.services.web").Web).keep_secrets(text)

    async def is_file(session: Any) -> bool:
        return bool(await actions.is_file_field(session, ref))

    if await driving.use(ctx, is_file):
        files = await load("hermes.services.browser.uploads").read(ctx, text)

        async def upload(session: Any) -> None:
            await actions.choose_files(session, ref, files)

        return dict(await driving.act(ctx, upload))

    async def work(session: Any) -> None:
        await actions.type_text(session, ref, text, submit=submit)

    return dict(await driving.act(ctx, work))
