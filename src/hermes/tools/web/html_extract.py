"""Pick values out of a page."""

import asyncio
from typing import Annotated, Any

from hermes.base.errors import InvalidArguments
from hermes.base.optional import load
from hermes.runtime.entry import given
from hermes.tools import Field, ToolContext, tool


@tool(
    toolset="web",
    permissions=given(url="network:fetch", path="file:read"),
    effects=given("read", url="network"),
    subjects={"url": "url", "path": "path:read"},
    requires_extra="web",
    timeout_seconds=60,
    emoji="🪝",
)
async def html_extract(
    url: str | None = None,
    html: str | None = None,
    path: str | None = None,
    selector: str = "body",
    fields: dict[str, str] | None = None,
    limit: Annotated[int, Field(ge=1, le=10_000)] = 100,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Pick values out of HTML by CSS or XPath. Give one of url, html or path.

    Args:
        url: The page's address.
        html: The HTML itself.
        path: A file with HTML.
        selector: CSS such as "div.item", "a@href" for an attribute, or XPath such as "//h2". A
            table that it finds comes as rows.
        fields: Of each thing found, a row: name to selector beneath it, such as {"title": "h3",
            "link": "a@href", "tags": ".tag[]"}; [] means all of them.
        limit: How many.
    """
    selecting = load("hermes.services.web.selecting", extra="web")
    text, base = await _source(url, html, path, ctx)
    answer: dict[str, Any] = await asyncio.to_thread(
        selecting.rows_of, text, base, selector, fields, limit
    )
    return answer


async def _source(
    url: str | None, html: str | None, path: str | None, ctx: ToolContext
) -> tuple[str, str]:
    """Return the text of the one source that is given, and its address if it has one."""
    if sum(each is not None for each in (url, html, path)) != 1:
        raise InvalidArguments("give one of url, html and path", hint="Leave the others out.")
    if html is not None:
        return html, ""
    if path is not None:
        files = ctx.use(load("hermes.services.files").Files)
        saving = load("hermes.services.files.saving")
        found = await asyncio.to_thread(lambda: saving.read_all(files.at(ctx), {"html": path}))
        return load("hermes.services.web.charsets").text_of(found["html"][1]), ""
    web = load("hermes.services.web")
    page = await ctx.use(web.Web).fetch(web.Ask(url), ctx)
    pages = load("hermes.services.web.pages")
    pages.check(page)
    pages.check_markup(page)
    return page.text(), page.url
