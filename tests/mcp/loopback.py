"""Servers on this machine for tests: any Starlette application, on a port of its own."""

import asyncio
import contextlib
import socket

import uvicorn


@contextlib.asynccontextmanager
async def serving(app):
    """Serve an application on loopback; gives its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    config = uvicorn.Config(app, log_level="critical", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        server.force_exit = True
        await asyncio.wait_for(task, 5)
        listener.close()
