"""Run scripts that only put tool calls together in pydantic-monty: no operating system at all."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pydantic_monty

from hermes.environments.contract import Outcome
from hermes.services.scripting import stubs
from hermes.services.scripting.calls import Answer, Calls
from hermes.services.scripting.limits import MEGABYTE
from hermes.services.scripting.orphans import reap
from hermes.services.scripting.printed import Printed
from hermes.services.scripting.runs import Script, Told
from hermes.services.scripting.within import stays_within

_WORKERS = 8
_SUSPENSIONS = 1_000_000
_ITS_NAME, _OUR_NAME = '"<python-input-0>"', '"script.py"'
_RAISED = "RuntimeError: "


class Monty:
    """Runs such scripts in workers of their own; starting one takes next to nothing."""

    name = "monty"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: pydantic_monty.Monty | None = None
        self._has_reaped = False

    def takes(self, script: Script) -> bool:
        """Say whether a script stays within what it can do."""
        names = [stubs.function_name(tool.name) for tool in script.tools]
        return stays_within(script.code, names)

    async def run(self, script: Script) -> Told | None:
        """Run a script; None when it turned out to need more, and had no effect yet."""
        run = _Run(script, self._workers())
        told = await run.to_its_end()
        if run.worker is not None and not self._has_reaped:
            self._has_reaped = True
            await asyncio.to_thread(reap, run.worker)
        return told

    def _workers(self) -> pydantic_monty.Monty:
        with self._lock:
            if self._pool is None:
                pool = pydantic_monty.Monty(min_processes=1, max_processes=_WORKERS)
                self._pool = pool.__enter__()
            return self._pool

    def close(self) -> None:
        """End the workers."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.__exit__(None, None, None)


class _Run:
    """One script: its own thread waits for the worker, its calls are made on the loop."""

    def __init__(self, script: Script, pool: pydantic_monty.Monty) -> None:
        self._script, self._pool = script, pool
        self._loop = asyncio.get_running_loop()
        self._reason = ("", "")
        limits = script.limits
        self._printed = Printed(limits.stdout_bytes, limits.stderr_bytes, limits.printed_bytes)
        self._calls = Calls(
            [tool.name for tool in script.tools],
            script.dispatch,
            token="",
            most=limits.calls,
            stop=lambda reason: self._stop("calls", reason),
        )
        self._pending: set[asyncio.Future[Any]] = set()
        self._worker: int | None = None
        self.worker: int | None = None
        """The process that ran it."""
        self._printed.on_flood = self._flooded

    def _stop(self, kind: str, reason: str) -> None:
        if not self._reason[1]:
            self._reason = (kind, reason)
        worker, self._worker = self._worker, None
        if worker is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        for call in tuple(self._pending):
            call.cancel()

    async def to_its_end(self) -> Told | None:
        """Run it; being cancelled stops it at its next call, or when its time is up."""
        started = time.monotonic()
        limits = self._script.limits
        late = self._loop.call_later(
            limits.seconds,
            lambda: self._stop("time", f"it ran longer than {limits.seconds:g} seconds"),
        )
        try:
            error = await asyncio.to_thread(self._feed)
        except asyncio.CancelledError:
            self._stop("", "it was cancelled")
            raise
        finally:
            late.cancel()
        if error is not None and not self._reason[1]:
            self._explain(error)
            if not self._calls.made and not self._reason[1]:
                return None  # Python itself says better what is wrong, or can do it
        return self._told(error, time.monotonic() - started)

    def _told(self, error: Exception | None, seconds: float) -> Told:
        outcome = Outcome(0 if error is None else 1, "exited", seconds, "")
        told = Told(outcome, self._calls.made, seconds)
        told.stdout, told.stderr = self._printed.text(0), self._printed.text(1)
        told.kind, told.reason = self._reason
        return told

    def _feed(self) -> Exception | None:
        limits = self._script.limits
        tools = {
            stubs.function_name(tool.name): self._function(tool) for tool in self._script.tools
        }
        session = self._pool.checkout(
            script_name="script.py",
            limits={
                "max_feed_duration_secs": limits.seconds,
                "max_memory": limits.memory_bytes or None,
                "max_suspensions": _SUSPENSIONS,
            },
            assert_message_annotations=False,
            external_modules={"hermes_tools": pydantic_monty.ExternalModule(tools)},
        )
        try:
            with session as running:
                self.worker = self._worker = running.worker_pid
                running.feed_run(self._script.code, print_callback=self._print)
        except pydantic_monty.MontyError as error:
            return error
        finally:
            self._worker = None
        return None

    def _print(self, stream: str, text: str) -> None:
        self._printed.feed(int(stream == "stderr"), text.encode("utf-8", "surrogatepass"))

    def _flooded(self) -> None:
        most = self._script.limits.printed_bytes // MEGABYTE
        reason = ("output", f"it printed more than {most:,} MB")
        self._loop.call_soon_threadsafe(self._stop, *reason)

    def _function(self, tool: stubs.Callable) -> Callable[..., Any]:
        names = [each.name for each in stubs.parameters_of(tool)[0]]

        def call(*given: Any, **named: Any) -> Any:
            if len(given) > len(names):
                raise TypeError(f"{tool.name}() takes {len(names)} arguments")
            arguments = dict(zip(names, given, strict=False)) | named
            work = self._call(tool.name, _without_nothing(arguments))
            content, code = asyncio.run_coroutine_threadsafe(work, self._loop).result()
            value = json.loads(content)
            if code == "ok":
                return value
            hint = f". {value['hint']}" if value.get("hint") else ""
            raise RuntimeError(f"{tool.name}: {value.get('error', code)}{hint}")

        return call

    async def _call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Make a call, unless the script is to end."""
        found = None if self._reason[1] else self._calls.begin(name, arguments)
        if found is None:
            return json.dumps({"error": self._reason[1]}), "stopped"
        if isinstance(found, tuple):
            return found
        call: asyncio.Future[Answer] = asyncio.ensure_future(found)
        self._pending.add(call)
        try:
            return await call
        except asyncio.CancelledError:
            return json.dumps({"error": self._reason[1] or "cancelled"}), "stopped"
        finally:
            self._pending.discard(call)

    def _explain(self, error: Exception) -> None:
        """Print an error as Python would have; a tool's own under its own name."""
        show = getattr(error, "display", None)
        text = str(show() if callable(show) else error).replace(_ITS_NAME, _OUR_NAME)
        if "time limit exceeded" in text:
            seconds = self._script.limits.seconds
            self._reason = ("time", f"it ran longer than {seconds:g} seconds")
            return
        head, raised, rest = text.rpartition(_RAISED)
        if raised:
            text = f"{head}hermes_tools.ToolFailed: {rest}"
        self._printed.feed(1, f"{text}\n".encode("utf-8", "replace"))


def _without_nothing(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}
