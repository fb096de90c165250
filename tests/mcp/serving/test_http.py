import asyncio
import queue

import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from hermes.mcp.serving.door import Door
from hermes.mcp.serving.http import serve
from hermes.mcp.serving.talking import McpClient
from hermes.runtime.bridge import loop_thread
from hermes.runtime.context import ToolContext

TOKEN = "a-token-of-some-length"
ERAS = ["auto", "legacy"]
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
TYPES = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture
def open_door(served):
    """Serve over HTTP; returns the address."""
    running = []

    def start(door=None, **choices):
        opened = queue.Queue()
        made = served(**choices)
        work = serve(made.offering, door or Door("127.0.0.1", 0), "mcp-test", opened=opened.put)
        running.append(loop_thread().submit(work))
        return opened.get(timeout=20)

    yield start
    for one in running:
        one.cancel()


@pytest.fixture
def echo(declare):
    @declare
    async def echo(text: str, ctx: ToolContext) -> str:
        """Say it again."""
        ctx.progress("saying")
        return text


def run(work):
    return asyncio.run(asyncio.wait_for(work, 30))


@pytest.mark.proves("mcp-serve-eras")
@pytest.mark.parametrize("mode", ERAS)
def test_the_sdks_client_is_served_in_both_eras(open_door, echo, mode):
    url = open_door()
    told = []

    async def on_progress(done, total, message):
        told.append(message)

    async def talk():
        async with Client(url, mode=mode) as client:
            tools = (await client.list_tools()).tools
            found = await client.call_tool("echo", {"text": "hi"}, progress_callback=on_progress)
            return [tool.title for tool in tools], found.content[0].text

    assert run(talk()) == (["Echo"], "hi")
    assert told == ["saying"]


@pytest.mark.proves("mcp-serve-asks")
@pytest.mark.parametrize("mode", ERAS)
def test_a_person_at_the_client_is_asked_in_both_eras(open_door, declare, mode):
    @declare(permissions=["file:write"], effects="write")
    async def act() -> str:
        """Act."""
        return "done"

    url = open_door(profile={"approval_required": ["*"]})
    asked = []

    async def elicit(context, params):
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"decision": "once"})

    async def talk():
        async with Client(url, mode=mode, elicitation_callback=elicit) as client:
            return (await client.call_tool("act", {})).content[0].text

    assert run(talk()) == "done"
    assert len(asked) == 1


@pytest.mark.parametrize("mode", ERAS)
def test_a_cancelled_call_stops(open_door, declare, mode):
    stopped, started = queue.Queue(), queue.Queue()

    @declare
    async def wait() -> str:
        """Wait for ever."""
        started.put(True)
        try:
            await asyncio.Event().wait()
        finally:
            stopped.put(True)

    url = open_door()

    async def talk():
        async with Client(url, mode=mode) as client:
            call = asyncio.create_task(client.call_tool("wait", {}))
            await asyncio.to_thread(started.get, timeout=10)
            call.cancel()
            return await asyncio.to_thread(stopped.get, timeout=10)

    assert run(talk()) is True


def test_errors_of_the_protocol_have_their_codes(open_door, echo):
    url = open_door()

    async def talk():
        async with Client(url) as client:
            with pytest.raises(Exception, match="Unknown tool"):
                await client.call_tool("nothing", {})
            with pytest.raises(Exception, match="Resource not found"):
                await client.read_resource("hermes://results/none")

    run(talk())


def test_a_session_hears_of_new_tools(open_door, declare):
    url = open_door()

    async def talk():
        heard = asyncio.Event()

        async def on_message(message):
            if isinstance(message, types.ToolListChangedNotification):
                heard.set()

        async with Client(url, mode="legacy", message_handler=on_message) as client:
            await client.list_tools()
            await asyncio.sleep(0.3)  # the stream for such messages is opened aside
            declare(name="late")(lambda: "here")
            await asyncio.wait_for(heard.wait(), 10)
            return [tool.name for tool in (await client.list_tools()).tools]

    assert run(talk()) == ["late"]


def test_a_tool_may_ask_for_more_over_http(open_door, declare):
    @declare
    async def curious(ctx: ToolContext) -> str:
        """Ask for a name."""
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        answer = await ctx.use(McpClient).elicit(ctx, "Who?", schema, key="who")
        return answer["content"]["name"]

    url = open_door()

    async def elicit(context, params):
        return types.ElicitResult(action="accept", content={"name": "Ada"})

    async def talk():
        async with Client(url, elicitation_callback=elicit) as client:
            return (await client.call_tool("curious", {})).content[0].text

    assert run(talk()) == "Ada"


@pytest.mark.proves("mcp-serve-door")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": f"Basic {TOKEN}"}, 401),
        ({"authorization": f"Bearer {TOKEN}", "host": "evil.example"}, 403),
        ({"authorization": f"Bearer {TOKEN}", "origin": "https://evil.example"}, 403),
        ({"authorization": f"Bearer {TOKEN}", "origin": "null"}, 403),
        ({"authorization": f"Bearer {TOKEN}"}, 400),
        ({"authorization": f"bearer {TOKEN}", "origin": "http://localhost:3000"}, 400),
    ],
)
def test_nobody_gets_in_without_the_token_or_by_another_name(open_door, headers, status):
    url = open_door(Door("127.0.0.1", 0, TOKEN))
    answer = httpx2.post(url, json=PING, headers={**TYPES, **headers})
    assert answer.status_code == status
    assert (status == 401) == ("www-authenticate" in answer.headers)


@pytest.mark.proves("mcp-serve-door")
def test_a_client_with_the_token_is_served(open_door, echo):
    url = open_door(Door("127.0.0.1", 0, TOKEN))

    async def talk():
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return (await client.call_tool("echo", {"text": "hi"})).content[0].text

    assert run(talk()) == "hi"


def test_other_paths_are_not_there(open_door):
    url = open_door().replace("/mcp", "/else")
    assert httpx2.get(url).status_code == 404


def test_a_body_that_is_too_long_is_refused(open_door):
    url = open_door()
    answer = httpx2.post(url, content=b" " * 17_000_000, headers=TYPES)
    assert answer.status_code == 413
