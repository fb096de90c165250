"""Daytona on loopback: the part of its API that we use, over real terminals of this machine.

It does what the service is known to do: typed terminals that stay when a client leaves, clients
that read too slowly dropped, messages of at most 64 KiB, states told by socket.io.
"""

import asyncio
import contextlib
import fcntl
import json
import os
import pty
import runpy
import shutil
import struct
import subprocess
import termios
import threading
import uuid
from pathlib import Path

import socketio
from aiohttp import WSMsgType, web

SHARED = runpy.run_path(str(Path(__file__).parent / "service_loop.py"))
InThread, end_all, end_tree = SHARED["InThread"], SHARED["end_all"], SHARED["end_tree"]
KEY = "dtn_a-key-for-tests"
MARK = "DAYTONA_SANDBOX_ID"
QUEUE, LARGEST = 256, 64 * 1024


class Refusal(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status, self.message = status, message


class Terminal:
    """A shell in a terminal, shown to clients."""

    def __init__(self, loop, sandbox, name, columns):
        self.loop, self.clients, self.code = loop, [], None
        self.ended = asyncio.Event()
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        env = {
            "HOME": str(sandbox.home),
            "PATH": sandbox.path,
            "TERM": "dumb",
            MARK: sandbox.id,
            **sandbox.env,
        }
        self.shell = subprocess.Popen(
            [sandbox.shell, "-i"],
            cwd=sandbox.home,
            env=env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.name = name
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            try:
                data = os.read(self.master, 32 * 1024)
            except OSError:
                break
            if not data:
                break
            self.loop.call_soon_threadsafe(self._show, data)
        self.code = self.shell.wait()
        os.close(self.master)
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.ended.set)

    def _show(self, data):
        for queue in list(self.clients):
            try:
                queue.put_nowait(data)
            except asyncio.QueueFull:
                self.clients.remove(queue)
                queue.dropped.set()

    def kill(self):
        end_tree(self.shell.pid)


class Sandbox:
    """A folder of this machine, and what runs for it."""

    def __init__(self, server, wanted):
        self.id = str(uuid.uuid4())
        self.home = server.folder / self.id
        self.wanted, self.labels = wanted, wanted.get("labels") or {}
        self.env = wanted.get("env") or {}
        self.path, self.shell = server.path, server.shell
        self.state, self.terminals = "started", {}
        self.error_reason, self.starts, self.refreshed = None, 1, 0
        source = server.snapshots.get(wanted.get("snapshot"))
        if wanted.get("snapshot") and source is None:
            raise Refusal(400, f"Snapshot {wanted['snapshot']} not found. Did you add it?")
        shutil.copytree(source, self.home, symlinks=True) if source else self.home.mkdir()
        if wanted.get("buildInfo"):
            self.state = "pending_build"

    def end(self):
        for terminal in self.terminals.values():
            terminal.kill()
        end_all(MARK, self.id)

    def shown(self, port):
        wanted = self.wanted
        return {
            "id": self.id,
            "name": self.id,
            "organizationId": "organisation",
            "user": "daytona",
            "env": self.env,
            "labels": self.labels,
            "public": False,
            "networkBlockAll": bool(wanted.get("networkBlockAll")),
            "kvm": False,
            "target": wanted.get("target") or "us",
            "cpu": wanted.get("cpu") or 1,
            "gpu": 0,
            "memory": wanted.get("memory") or 1,
            "disk": wanted.get("disk") or 3,
            "state": self.state,
            "errorReason": self.error_reason,
            "toolboxProxyUrl": f"http://127.0.0.1:{port}/toolbox",
        }


class Queue(asyncio.Queue):
    def __init__(self):
        super().__init__(QUEUE)
        self.dropped = asyncio.Event()


class Daytona(InThread):
    """The service. Tests look at its sandboxes and spoil what they want to see spoilt."""

    def __init__(self, folder, port=0):
        super().__init__()
        self.folder = Path(folder)
        self.sandboxes, self.snapshots, self.asked = {}, {}, []
        self.refuses = None
        self.path, self.shell, self.drops = "/usr/bin:/bin", "/bin/bash", 0
        self.port = port
        self.do(self._serve())
        self.url = f"http://127.0.0.1:{self.port}/api"

    async def _serve(self):
        app = web.Application(middlewares=[self._admit])
        self.events = socketio.AsyncServer(async_mode="aiohttp")
        self.events.attach(app, socketio_path="/api/socket.io")
        app.add_routes(
            [
                web.get("/api/sandbox", self._list),
                web.post("/api/sandbox", self._create),
                web.get("/api/sandbox/{id}", self._get),
                web.delete("/api/sandbox/{id}", self._delete),
                web.post("/api/sandbox/{id}/start", self._start),
                web.post("/api/sandbox/{id}/recover", self._start),
                web.post("/api/sandbox/{id}/stop", self._stop),
                web.post("/api/sandbox/{id}/snapshot", self._snapshot),
                web.post("/api/sandbox/{id}/last-activity", self._refresh),
                web.get("/api/sandbox/{id}/build-logs-url", self._logs_address),
                web.get("/logs/{id}", self._logs),
                web.get("/toolbox/{id}/process/pty/create-connect", self._terminal),
                web.delete("/toolbox/{id}/process/pty/{name}", self._kill),
            ]
        )
        self.runner = web.AppRunner(app, shutdown_timeout=0.5)
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", self.port)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]

    @web.middleware
    async def _admit(self, request, handler):
        if request.path.startswith("/api/socket.io"):
            return await handler(request)
        self.asked.append((request.method, request.path))
        try:
            if request.headers.get("Authorization") != f"Bearer {KEY}":
                raise Refusal(401, "Unauthorized")
            if self.refuses is not None and not request.path.startswith("/toolbox"):
                raise self.refuses
            return await handler(request)
        except Refusal as refusal:
            body = {"statusCode": refusal.status, "message": refusal.message}
            return web.json_response(body, status=refusal.status)

    def _of(self, request):
        found = self.sandboxes.get(request.match_info["id"])
        if found is None:
            raise Refusal(404, f"Sandbox with ID or name {request.match_info['id']} not found")
        return found

    def _answer(self, sandbox):
        return web.json_response(sandbox.shown(self.port))

    async def _now(self, sandbox, state):
        old, sandbox.state = sandbox.state, state
        news = {"sandbox": sandbox.shown(self.port), "oldState": old, "newState": state}
        await self.events.emit("sandbox.state.updated", news)

    async def _list(self, request):
        wanted = json.loads(request.query.get("labels") or "{}").items()
        items = [
            each.shown(self.port)
            for each in self.sandboxes.values()
            if wanted <= each.labels.items()
        ]
        return web.json_response({"items": items, "nextCursor": None})

    async def _create(self, request):
        sandbox = Sandbox(self, await request.json())
        self.sandboxes[sandbox.id] = sandbox
        return self._answer(sandbox)

    async def _get(self, request):
        return self._answer(self._of(request))

    async def _delete(self, request):
        sandbox = self._of(request)
        del self.sandboxes[sandbox.id]
        await asyncio.to_thread(sandbox.end)
        await asyncio.to_thread(shutil.rmtree, sandbox.home, ignore_errors=True)
        await self._now(sandbox, "destroyed")
        return self._answer(sandbox)

    async def _start(self, request):
        sandbox = self._of(request)
        sandbox.state, sandbox.starts = "starting", sandbox.starts + 1
        answer = self._answer(sandbox)
        self.loop.call_later(0.05, lambda: asyncio.ensure_future(self._now(sandbox, "started")))
        return answer

    async def _stop(self, request):
        sandbox = self._of(request)
        await asyncio.to_thread(sandbox.end)
        await self._now(sandbox, "stopped")
        return web.json_response(None, status=201)

    async def _snapshot(self, request):
        sandbox, wanted = self._of(request), await request.json()
        kept = self.folder / f"snapshot-{uuid.uuid4()}"
        await asyncio.to_thread(shutil.copytree, sandbox.home, kept, symlinks=True)
        self.snapshots[wanted["name"]] = kept
        return self._answer(sandbox)

    async def _refresh(self, request):
        self._of(request).refreshed += 1
        return web.json_response(None, status=201)

    async def _logs_address(self, request):
        sandbox = self._of(request)
        self.loop.call_later(0.2, setattr, sandbox, "state", "building_snapshot")
        return web.json_response({"url": f"http://127.0.0.1:{self.port}/logs/{sandbox.id}"})

    async def _logs(self, request):
        sandbox = self._of(request)
        response = web.StreamResponse()
        await response.prepare(request)
        for line in ("Step 1/1 : FROM image", "Successfully built"):
            await response.write(f"{line}\n".encode())
        await self._now(sandbox, "started")
        await response.write_eof()
        return response

    async def _terminal(self, request):
        sandbox = self._of(request)
        if sandbox.state != "started":
            raise Refusal(400, "Sandbox is not running")
        name = request.query["id"]
        columns = int(request.query["cols"])
        terminal = Terminal(self.loop, sandbox, name, columns)
        sandbox.terminals[name] = terminal
        socket = web.WebSocketResponse(
            max_msg_size=LARGEST, protocols=["X-Daytona-Pty-Exit-Control"]
        )
        await socket.prepare(request)
        queue = Queue()
        terminal.clients.append(queue)
        await socket.send_str(json.dumps({"type": "control", "status": "connected"}))
        writing = asyncio.ensure_future(self._show(terminal, queue, socket))
        try:
            await self._type(terminal, socket)
        finally:
            writing.cancel()
            with contextlib.suppress(ValueError):
                terminal.clients.remove(queue)
        return socket

    async def _type(self, terminal, socket):
        async for message in socket:
            if message.type == WSMsgType.BINARY:
                await asyncio.to_thread(write_all, terminal, message.data)

    async def _show(self, terminal, queue, socket):
        over = [asyncio.ensure_future(each.wait()) for each in (terminal.ended, queue.dropped)]
        try:
            while True:
                getting = asyncio.ensure_future(queue.get())
                await asyncio.wait([getting, *over], return_when=asyncio.FIRST_COMPLETED)
                if not getting.done():
                    getting.cancel()
                    break
                await socket.send_bytes(getting.result())
        finally:
            for each in over:
                each.cancel()
        if queue.dropped.is_set():
            self.drops += 1
            await socket.close(code=1008, message=b"slow consumer")
            return
        code = terminal.code if terminal.code >= 0 else 128 - terminal.code
        reason = json.dumps({"exitCode": code}).encode()
        await socket.close(code=1000 if code == 0 else 1011, message=reason)

    async def _kill(self, request):
        terminal = self._of(request).terminals.pop(request.match_info["name"], None)
        if terminal is None:
            raise Refusal(404, "PTY session not found")
        await asyncio.to_thread(terminal.kill)
        return web.json_response({"message": "PTY session deleted"})

    def stop(self):
        """Go away at once, as a service does that nobody reaches any more; what runs goes on."""
        self.do(self.runner.cleanup())

    def close(self):
        for sandbox in self.sandboxes.values():
            sandbox.end()
        self.stop()
        self.end()


def write_all(terminal, data):
    left = memoryview(data)
    with contextlib.suppress(OSError):
        while left:
            left = left[os.write(terminal.master, left) :]
