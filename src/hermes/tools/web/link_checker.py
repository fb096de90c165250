"""Check links."""

import asyncio
from typing import Annotated, Any

from hermes.base.errors import InvalidArguments
from hermes.base.optional import load
from hermes.runtime.entry import given
from hermes.tools import Field, ToolContext, tool


@tool(
    toolset="web",
    permissions=given("network:fetch", path="file:read"),
    effects="network",
    subjects={"url": "url", "urls": "url:each", "path": "path:read", "*": "url"},
    requires_extra="web",
    timeout_seconds=600,
    emoji="🔗",
)
async def link_checker(
    url: str | None = None,
    path: str | None = None,
    urls: list[str] | None = None,
    depth: Annotated[int, Field(ge=0, le=5)] = 1,
    concurrency: Annotated[int, Field(ge=1, le=50)] = 10,
    include_external: bool = True,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Check the links of a site, a file (Markdown, HTML, text) or a list, and report broken ones.

    Args:
        url: A page of the site to check.
        path: A file whose links to check.
        urls: Addresses to check.
        depth: How many levels of the site's pages; 1 is the page alone.
        concurrency: How many at once.
        include_external: Check links to other sites too.
    """
    if sum(bool(each) for each in (url, path, urls)) != 1:
        raise InvalidArguments("give one of url, path and urls", hint="Leave the others out.")
    links = load("hermes.services.web.links", extra="web")
    address = load("hermes.services.web.addresses").Found
    scope = links.Scope(depth, concurrency, include_external)
    check = links.LinkCheck(scope, ctx.use(load("hermes.services.web").Web).fetch, ctx)
    if url:
        await check.site(url)
    elif path:
        await _check_file(check, path, ctx)
    else:
        await check.links([address(each) for each in urls or ()], "")
    report: dict[str, Any] = links.told(check.checked)
    return report


async def _check_file(check: Any, path: str, ctx: ToolContext) -> None:
    """Check the links of a file: to the web, to the files beside it, to its own headings."""
    saving, charsets = load("hermes.services.files.saving"), load("hermes.services.web.charsets")
    written, beside = (
        load(f"hermes.services.web.{name}") for name in ("written_links", "file_links")
    )
    work = await asyncio.to_thread(ctx.use(load("hermes.services.files").Files).at, ctx)

    def text_of(there: str) -> str:
        return str(charsets.text_of(saving.read_all(work, {"file": there})["file"][1]))

    text = await asyncio.to_thread(text_of, path)
    local = written.links_beside(text, path)
    look = beside.Look(work.disk.find, text_of)
    check.checked += await asyncio.to_thread(beside.check, look, path, text, local)
    await check.links(written.links_in(text, path), "")
