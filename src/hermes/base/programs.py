"""Run one program of the machine: no shell, bounded in time and output, nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar, cast

from hermes.base.errors import TimedOut, Unavailable
from hermes.base.text import harmless

T = TypeVar("T")

_MAX_ERROR_BYTES = 2_000
_SECONDS_TO_DIE = 2.0


@dataclass(frozen=True, slots=True)
class Finished:
    """What a program answered; ``is_cut`` says that it had more to say than was wanted."""

    code: int
    output: bytes
    errors: str
    is_cut: bool = False


def find(program: str, environment: Mapping[str, str]) -> str | None:
    """Return where a program lies on the PATH, absolute folders only, or None."""
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    path = os.pathsep.join(folder for folder in folders if folder.startswith("/"))
    return shutil.which(program, path=path) if path else None


async def run(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    feed: bytes | None = None,
    reads: bool = True,
    seconds: float = 5.0,
    limit: int = 1_000_000,
) -> Finished:
    """Start a program, feed it, collect at most ``limit`` bytes of its output and its exit code.

    With ``reads=False`` only the exit is awaited, so a program that leaves a child behind on
    purpose (as the writers of an X selection do) does not hold up the call.

    Raises:
        TimedOut: it ran longer than ``seconds``; it and its children were killed.
        Unavailable: it could not be started.
    """
    with tempfile.TemporaryFile() as errors:
        transport, talk = await _start(argv, environment, errors, limit if reads else None, feed)
        try:
            async with asyncio.timeout(seconds):
                await talk.heard
                if len(talk.output) > limit:
                    _kill(transport)
                await talk.exited
        except TimeoutError:
            raise TimedOut(f"{Path(argv[0]).name} gave no answer in {seconds:g} s") from None
        finally:
            await _end(transport, talk)
        errors.seek(0)
        words = harmless(errors.read(_MAX_ERROR_BYTES).decode("utf-8", "replace"))
    code, output = talk.exited.result(), bytes(talk.output)
    return Finished(code, output[:limit], words, is_cut=len(output) > limit)


class _Talk(asyncio.SubprocessProtocol):
    """Listen to a program up to a limit; None means not at all."""

    def __init__(self, limit: int | None) -> None:
        loop = asyncio.get_running_loop()
        self.output = bytearray()
        self.heard: asyncio.Future[None] = loop.create_future()
        self.exited: asyncio.Future[int] = loop.create_future()
        self.gone: asyncio.Future[None] = loop.create_future()
        self._limit = limit
        self._transport: asyncio.SubprocessTransport | None = None
        if limit is None:
            self.heard.set_result(None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # noqa: ARG002 - only 1 is a pipe
        self.output += data
        if self._limit is not None and len(self.output) > self._limit:
            _settle(self.heard, None)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        if fd == 1:
            _settle(self.heard, None)

    def process_exited(self) -> None:
        code = self._transport.get_returncode() if self._transport else None
        _settle(self.exited, -1 if code is None else code)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        _settle(self.gone, None)


def _settle(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)


async def _start(
    argv: Sequence[str],
    environment: Mapping[str, str],
    errors: IO[bytes],
    limit: int | None,
    feed: bytes | None,
) -> tuple[asyncio.SubprocessTransport, _Talk]:
    try:
        transport, talk = await asyncio.get_running_loop().subprocess_exec(
            lambda: _Talk(limit),
            *argv,
            stdin=subprocess.DEVNULL if feed is None else subprocess.PIPE,
            stdout=subprocess.DEVNULL if limit is None else subprocess.PIPE,
            # A file, because a child left behind would keep a pipe open for ever.
            stderr=errors,
            env=dict(environment),
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        raise Unavailable(f"{argv[0]} cannot be started: {error.strerror}") from error
    pipe = transport.get_pipe_transport(0)
    if isinstance(pipe, asyncio.WriteTransport):
        pipe.write(feed or b"")
        pipe.close()
    return transport, talk


def _kill(transport: asyncio.SubprocessTransport) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(transport.get_pid(), signal.SIGKILL)


async def _end(transport: asyncio.SubprocessTransport, talk: _Talk) -> None:
    """Leave no process, no pipe and no transport behind."""
    if transport.get_returncode() is None:
        _kill(transport)
    transport.close()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_SECONDS_TO_DIE):
            await talk.gone
