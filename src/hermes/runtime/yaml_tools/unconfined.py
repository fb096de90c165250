"""Run a program that nothing holds back: its own session, and all that it started ended with it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine
from typing import Any

from hermes.base.errors import ToolError
from hermes.runtime.boundary import Launch
from hermes.runtime.yaml_tools.family import MARK, Family, new_mark
from hermes.runtime.yaml_tools.output import Output

_GRACE_SECONDS = 1.0
_LEFTOVER_SECONDS = 0.5


class _Watch(asyncio.SubprocessProtocol):
    """Collect what a process says, and know when it ended and when its pipes are closed."""

    def __init__(self, output: Output) -> None:
        self._streams = {1: output.said, 2: output.complaints}
        self.ended = asyncio.Event()
        self.closed = asyncio.Event()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep what came from a pipe."""
        self._streams[fd].add(data)

    def process_exited(self) -> None:
        """Note that the program ended; its children may live on."""
        self.ended.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        """Note that nobody holds the pipes any more."""
        self.closed.set()


async def run(launch: Launch, stdin: bytes | None, seconds: float, output: Output) -> bool:
    """Run a program to its end and say whether it came in time; nothing of its group stays.

    When it is stopped, or what it left behind still holds its pipes, nothing that it started stays.
    """
    mark, watch = new_mark(), _Watch(output)
    launch = launch._replace(environment={**launch.environment, MARK: mark})
    spawn = _spawn(launch, watch, has_input=stdin is not None)
    transport = await _started(launch.argv[0], spawn, mark, watch)
    family = Family(transport.get_pid(), mark)
    try:
        async with asyncio.timeout(seconds):
            _feed(transport, stdin)
            await watch.ended.wait()
            output.code = transport.get_returncode() or 0
            await _closed(watch, _LEFTOVER_SECONDS)
    except TimeoutError:
        return False
    finally:
        if not watch.closed.is_set():
            await _stop(family, watch)
        family.send_to_group(signal.SIGKILL)
        transport.close()
    return True


async def _spawn(launch: Launch, watch: _Watch, *, has_input: bool) -> asyncio.SubprocessTransport:
    transport, _ = await asyncio.get_running_loop().subprocess_exec(
        lambda: watch,
        *launch.argv,
        cwd=launch.cwd,
        env=dict(launch.environment),
        stdin=asyncio.subprocess.PIPE if has_input else asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    return transport


async def _started(
    program: str,
    spawn: Coroutine[Any, Any, asyncio.SubprocessTransport],
    mark: str,
    watch: _Watch,
) -> asyncio.SubprocessTransport:
    spawning = asyncio.ensure_future(spawn)
    try:
        transport = await asyncio.shield(spawning)
    except OSError as error:
        raise ToolError(
            f"{program} cannot be started: {error.strerror}", code="not_started"
        ) from None
    except asyncio.CancelledError:  # asyncio itself would end the program, but not its children
        transport = await spawning
        await _kill(Family(transport.get_pid(), mark), watch)
        transport.close()
        raise
    return transport


def _feed(transport: asyncio.SubprocessTransport, stdin: bytes | None) -> None:
    pipe: Any = transport.get_pipe_transport(0)
    if stdin is not None and pipe is not None:
        pipe.write(stdin)
        pipe.close()


async def _closed(watch: _Watch, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(watch.closed.wait(), seconds)


async def _stop(family: Family, watch: _Watch) -> None:
    """End a program and all that it started: ask first, then insist, even when interrupted."""
    try:
        family.send(signal.SIGTERM)
        await _closed(watch, _GRACE_SECONDS)
    finally:
        await _kill(family, watch)


async def _kill(family: Family, watch: _Watch) -> None:
    family.kill()
    await _closed(watch, _GRACE_SECONDS)
