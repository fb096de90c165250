"""Send one HTTP request."""

import asyncio
from typing import Annotated, Any, Literal

from hermes.base.optional import load
from hermes.runtime.entry import by, given
from hermes.tools import Field, ToolContext, tool

_SENDS = by(
    "method", "GET", GET=(), HEAD=(), OPTIONS=(), POST="network:send", PUT="network:send",
    PATCH="network:send", DELETE="network:send",
)  # fmt: skip


@tool(
    toolset="web",
    permissions=given(
        "network:fetch",
        by_value=[_SENDS],
        body="network:send",
        files=["network:send", "file:read"],
        save_to="file:write",
    ),
    effects=given("network", save_to="write"),
    subjects={"url": "url", "save_to": "path:write", "files": "path:read"},
    timeout_seconds=650,
    emoji="📡",
)
async def http_request(
    url: str,
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] = "GET",
    headers: dict[str, str] | None = None,
    body: dict[str, Any] | list[Any] | str | None = None,
    timeout_seconds: Annotated[float, Field(gt=0, le=600)] = 30,
    follow_redirects: bool = True,
    save_to: str | None = None,
    files: dict[str, str] | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Send an HTTP request and return status, headers and body; JSON comes as values.

    Args:
        url: The address, http or https.
        method: The HTTP method.
        headers: Headers to send.
        body: Sent as JSON, or as the content-type header says: form, multipart, text.
        timeout_seconds: For the whole exchange.
        follow_redirects: Go where the answer leads.
        save_to: Write the body to this file instead of returning it.
        files: Files to upload as multipart/form-data, by field name.
    """
    requests = load("hermes.services.web.requests")
    web = ctx.use(load("hermes.services.web").Web)
    ask = requests.build(method, url, headers or {}, body if not files else None)
    if files:
        saving = load("hermes.services.files.saving")
        upload = await asyncio.to_thread(lambda: saving.read_all(_work(ctx), files))
        content, kind = requests.multipart(body if isinstance(body, dict) else {}, upload)
        ask = ask._replace(content=content, headers=(*ask.headers, ("content-type", kind)))
    limit = 500_000_000 if save_to else 5_000_000
    page = await web.fetch(
        ask._replace(
            seconds=timeout_seconds,
            follows=follow_redirects,
            max_bytes=limit,
            may_cache=not save_to,
        ),
        ctx,
    )
    answer: dict[str, Any] = requests.told(page)
    if page.is_cut:
        answer["cut"] = requests.cut(page, limit)
    if save_to and page.is_ok:
        saving = load("hermes.services.files.saving")
        answer |= await asyncio.to_thread(lambda: saving.save(_work(ctx), save_to, page.body))
    else:
        answer |= requests.shown_body(page)
    return answer


def _work(ctx: ToolContext) -> Any:
    """Return the files of the task, from a thread: those elsewhere are waited for."""
    return ctx.use(load("hermes.services.files").Files).at(ctx)
