"""Put an HTTP address before a server that speaks on its streams: bridge.py COMMAND…; says where.

The conformance suite knows servers by their address only. Messages go through as they are; what
HTTP adds (statuses, sessions, streams of events) is done here and is no proof of anything.
"""

import asyncio
import itertools
import json
import socket
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

SESSION = "mcp-session-id"
STATUSES = {-32601: 404, -32602: 400, -32020: 400, -32021: 400, -32022: 400}
MODERN = "io.modelcontextprotocol/protocolVersion"
FIRST = {
    "jsonrpc": "2.0",
    "id": "first",
    "method": "server/discover",
    "params": {"_meta": {MODERN: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}},
}
"""Opens a conversation of the modern era; over streams the first request decides."""


class Server:
    """One process, and who waits for what it says."""

    def __init__(self, process):
        self.process = process
        self.waiting = {}
        self.reading = asyncio.create_task(self.read())

    @classmethod
    async def start(cls, command):
        pipe = asyncio.subprocess.PIPE
        made = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, limit=1 << 24
        )
        return cls(made)

    async def read(self):
        async for line in self.process.stdout:
            message = json.loads(line)
            for queue in self.concerned(message):
                queue.put_nowait(message)

    def concerned(self, message):
        """Return the open requests that a message is for: the one that it names, or the last."""
        if "method" not in message:
            return [self.waiting[message["id"]][1]] if message.get("id") in self.waiting else []
        params = message.get("params", {})
        subscription = params.get("_meta", {}).get("io.modelcontextprotocol/subscriptionId")
        if subscription is not None:
            return [self.waiting[subscription][1]] if subscription in self.waiting else []
        token = params.get("progressToken")
        open_ones = list(self.waiting.values())
        return [queue for asked, queue in open_ones if token in (None, asked)][-1:]

    async def tell(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        await self.process.stdin.drain()

    async def ask(self, message):
        """Yield what the server says to a request, its answer last."""
        token = message.get("params", {}).get("_meta", {}).get("progressToken")
        queue = asyncio.Queue()
        self.waiting[message["id"]] = token, queue
        try:
            await self.tell(message)
            while True:
                said = await queue.get()
                yield said
                if "method" not in said:
                    return
        finally:
            del self.waiting[message["id"]]

    async def close(self):
        self.process.stdin.close()
        await self.process.wait()
        self.reading.cancel()


class Bridge:
    """One process for all requests of the modern era, and one for each session of the other."""

    def __init__(self, command):
        self.command = command
        self.servers = {}
        self.count = itertools.count(1)
        self.turn = asyncio.Lock()

    async def answer(self, request):
        session = request.headers.get(SESSION)
        if request.method == "GET":
            return Response(status_code=405)
        if session is not None and session not in self.servers:
            return Response(status_code=404)
        if request.method == "DELETE":
            await self.servers.pop(session).close()
            return Response(status_code=200)
        message = await request.json()
        meta = message.get("params", {}).get("_meta", {})
        is_first = message.get("method") == "initialize" and MODERN not in meta
        if is_first:
            session = f"session-{next(self.count)}"
        server = await self.server(session)
        if "id" not in message or "method" not in message:
            await server.tell(message)
            return Response(status_code=202)
        headers = {SESSION: session} if is_first else {}
        return await self.streamed(server.ask(message), headers)

    async def server(self, session):
        async with self.turn:
            if session not in self.servers:
                self.servers[session] = started = await Server.start(self.command)
                if session is None:
                    async for _ in started.ask(FIRST):
                        pass
            return self.servers[session]

    async def streamed(self, said, headers):
        first = await anext(said)
        if "method" not in first:
            status = STATUSES.get(first.get("error", {}).get("code"), 200)
            await said.aclose()
            return JSONResponse(first, status, headers)

        async def events():
            yield event(first)
            async for message in said:
                yield event(message)

        return StreamingResponse(events(), media_type="text/event-stream", headers=headers)


def event(message):
    return f"event: message\ndata: {json.dumps(message)}\n\n"


async def main(*command):
    bridge = Bridge(command)
    app = Starlette(routes=[Route("/mcp", bridge.answer, methods=["GET", "POST", "DELETE"])])
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(f"serving at http://127.0.0.1:{listening.getsockname()[1]}/mcp", file=sys.stderr)
        try:
            await uvicorn.Server(config).serve([listening])
        finally:
            await asyncio.gather(*(server.close() for server in bridge.servers.values()))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
