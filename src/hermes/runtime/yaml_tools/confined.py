"""Run a program inside the boundary, where nothing of it can stay behind."""

from __future__ import annotations

import asyncio
from typing import Any

from hermes.base.errors import ToolError
from hermes.runtime.boundary import Boundary, Launch, Program, Wants
from hermes.runtime.yaml_tools.output import Kept, Output

_PART = 1 << 16
_START_SECONDS = 30.0


class Place:
    """Where programs of a call run: inside a boundary, with what the tool's file wants of it."""

    def __init__(self, boundary: Boundary, ctx: Any, wants: Wants) -> None:
        self._boundary = boundary
        self._ctx = ctx
        self._wants = wants

    async def run(
        self, launch: Launch, stdin: bytes | None, seconds: float, output: Output
    ) -> bool:
        """Run a program to its end and say whether it came in time; nothing of it stays."""
        program = await self._started(launch)
        try:
            async with asyncio.timeout(seconds):
                await _finish(program, stdin, output)
        except TimeoutError:
            return False
        except OSError as error:
            raise _not_started(launch, error) from None
        finally:
            await program.close()
        said = bytes(output.complaints.tail or output.complaints.head)
        output.denied_by = program.denied_by(said.decode("utf-8", "replace"), output.code)
        return True

    async def _started(self, launch: Launch) -> Program:
        try:
            async with asyncio.timeout(_START_SECONDS):
                return await self._boundary.start(launch, self._ctx, wants=self._wants)
        except OSError as error:  # a TimeoutError is one too
            raise _not_started(launch, error) from None


def _not_started(launch: Launch, error: OSError) -> ToolError:
    why = error.strerror or "its sandbox was not ready in time"
    return ToolError(f"{launch.argv[0]} cannot be started: {why}", code="not_started")


async def _finish(program: Program, stdin: bytes | None, output: Output) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(program.feed(stdin or b""))
        group.create_task(_keep(program.stdout, output.said))
        group.create_task(_keep(program.stderr, output.complaints))
    output.code = await program.wait()


async def _keep(stream: asyncio.StreamReader, kept: Kept) -> None:
    while part := await stream.read(_PART):
        kept.add(part)
