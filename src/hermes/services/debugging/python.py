"""Python under debugpy: its adapter runs in the task's box and talks over its own input."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from hermes.base.errors import ToolError, Unavailable
from hermes.environments.contract import Refused
from hermes.environments.programs import Hearing, Program, Site
from hermes.environments.projects import Project, python_with
from hermes.services.debugging.client import Client, answered
from hermes.services.debugging.contract import (
    MOST_FRAMES,
    MOST_VARIABLES,
    Breakpoint,
    Frame,
    How,
    News,
    Placed,
    Plan,
    Scope,
    Stopped,
    Variable,
    lost,
)

_START_SECONDS = 60.0
_COMMANDS: dict[How, str] = {
    "continue": "continue", "next": "next", "step": "stepIn", "out": "stepOut",
}  # fmt: skip
_CHILDREN = 20
_OURS = re.compile(
    r'^  File "[^"\n]*(?:/debugpy/|/runpy\.py|<frozen runpy>)[^\n]*\n(?:    [^\n]*\n)*', re.M
)
_HIDDEN = ("special variables", "function variables", "class variables")


class PythonDebugger:
    """A Python program under debugpy."""

    def __init__(self, site: Site, project: Project, news: News) -> None:
        self._site, self._project, self._news = site, project, news
        self._client = Client(self._event, self._garbled)
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._thread = 0
        self._exit: int | None = None
        self._files: set[str] = set()
        self._loop = asyncio.get_running_loop()
        self._errors = Hearing(most=20_000)

    async def start(self, plan: Plan) -> list[Placed]:
        """Start the adapter, and the program by it."""
        adapter = await python_with(self._site, self._project, "debugpy")
        if adapter is None:
            raise Unavailable(
                "debugpy is not installed where this task runs",
                hint="To install it: pip install debugpy",
            )
        program = Program((adapter, "-m", "debugpy.adapter"), plan.cwd)
        try:
            process = await self._site.environment.spawn(
                program.as_command(), Hearing(self._part, most=0)
            )
        except Refused as error:
            raise Unavailable(error.message, hint=error.hint or None) from error
        self._client.process = process
        process.on_end(lambda _: self._loop.call_soon_threadsafe(self._gone))
        return await self._launch(plan)

    async def _launch(self, plan: Plan) -> list[Placed]:
        python = await python_with(self._site, self._project, "sys")
        await self._client.ask(
            "initialize",
            {"adapterID": "debugpy", "pathFormat": "path", "linesStartAt1": True,
             "columnsStartAt1": True, "supportsVariableType": True},
            _START_SECONDS,
        )  # fmt: skip
        launched = self._client.send(
            "launch",
            {"program": plan.program, "args": list(plan.args), "cwd": plan.cwd,
             "console": "internalConsole", "redirectOutput": True, "justMyCode": True,
             "stopOnEntry": plan.stop_on_entry, "python": [python], "subProcess": False},
        )  # fmt: skip
        failed = asyncio.ensure_future(answered(launched, "launch", _START_SECONDS))
        both: set[asyncio.Future[Any]] = {self._ready, failed}
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED, timeout=_START_SECONDS)
        if not self._ready.done():
            failed.cancel()
            if failed.done() and not failed.cancelled() and failed.exception():
                raise ToolError(f"it cannot be started: {failed.exception()}", code="not_started")
            raise lost("the program did not start")
        placed = await self.place(plan.breakpoints)
        filters = ["raised", "uncaught"] if plan.stop_on_raise else ["uncaught"]
        await self._client.ask("setExceptionBreakpoints", {"filters": filters})
        await self._client.ask("configurationDone")
        await failed
        return placed

    def _part(self, stream: int, data: bytes) -> None:
        """Take what the adapter prints, from whichever thread."""
        if stream == 0:
            self._loop.call_soon_threadsafe(self._client.take, data)
        else:
            self._errors.feed(1, data)

    def _garbled(self, why: str) -> None:
        self._news.ended(None, f"the debugger said something that is no message: {why}")

    def _gone(self) -> None:
        self._client.end()
        said = self._errors.last(1).decode("utf-8", "replace").strip()
        self._news.ended(self._exit, said if self._exit is None else "")

    def _event(self, name: str, body: dict[str, Any]) -> None:
        if name == "initialized" and not self._ready.done():
            self._ready.set_result(None)
        elif name == "stopped":
            thread = body.get("threadId")
            self._thread = thread if isinstance(thread, int) else self._thread
            text = str(body.get("text") or body.get("description") or "")
            self._news.stopped(Stopped(str(body.get("reason") or "stopped"), text))
        elif name == "continued":
            self._news.resumed()
        elif name == "output" and body.get("category") in ("stdout", "stderr", "console", None):
            self._news.said(str(body.get("output") or ""))
        elif name == "exited":
            code = body.get("exitCode")
            self._exit = code if isinstance(code, int) else None
        elif name == "terminated":
            self._news.ended(self._exit, "")

    async def place(self, breakpoints: Sequence[Breakpoint]) -> list[Placed]:
        """Replace all breakpoints, file by file."""
        files = {each.file for each in breakpoints} | self._files
        self._files = {each.file for each in breakpoints}
        placed: list[Placed] = []
        for file in sorted(files):
            wanted = [each for each in breakpoints if each.file == file]
            body = await self._client.ask(
                "setBreakpoints",
                {"source": {"path": file}, "breakpoints": [_point(each) for each in wanted]},
            )
            told = body.get("breakpoints")
            pairs = zip(wanted, told if isinstance(told, list) else [], strict=False)
            placed += [_placed(each, one) for each, one in pairs]
        return placed

    async def resume(self, how: How) -> None:
        """Let it go on."""
        await self._client.ask(_COMMANDS[how], {"threadId": self._thread})

    async def pause(self) -> None:
        """Have its first thread stop."""
        threads = (await self._client.ask("threads")).get("threads")
        first = threads[0].get("id") if isinstance(threads, list) and threads else self._thread
        await self._client.ask("pause", {"threadId": first})

    async def frames(self) -> list[Frame]:
        """Return the calls that are going on."""
        body = await self._client.ask(
            "stackTrace", {"threadId": self._thread, "startFrame": 0, "levels": MOST_FRAMES}
        )
        return [
            Frame(
                str(each.get("name") or "?"),
                str((each.get("source") or {}).get("path") or ""),
                int(each.get("line") or 0),
                each.get("id"),
            )
            for each in body.get("stackFrames") or []
        ]

    async def variables(self, frame: Frame, scope: Scope) -> list[Variable]:
        """Return the variables of a call, without what Python itself puts there."""
        body = await self._client.ask("scopes", {"frameId": frame.handle})
        wanted = [
            each
            for each in body.get("scopes") or []
            if str(each.get("name", "")).lower().startswith(scope)
        ]
        if not wanted:
            return []
        return await self._children(wanted[0].get("variablesReference"), MOST_VARIABLES)

    async def _children(self, reference: Any, most: int) -> list[Variable]:
        if not reference:
            return []
        body = await self._client.ask("variables", {"variablesReference": reference})
        told = [each for each in body.get("variables") or [] if each.get("name") not in _HIDDEN]
        found = [
            Variable(str(each.get("name")), str(each.get("value")), str(each.get("type") or ""))
            for each in told[:most]
        ]
        if len(told) > most:
            found.append(Variable("…", f"{len(told) - most} more"))
        return found

    async def evaluate(self, frame: Frame | None, expression: str) -> Variable:
        """Return what an expression gives in a call; it may be a statement, too."""
        arguments: dict[str, Any] = {"expression": expression, "context": "repl"}
        if frame is not None:
            arguments["frameId"] = frame.handle
        body = await self._client.ask("evaluate", arguments)
        inside = await self._children(body.get("variablesReference"), _CHILDREN)
        children = tuple(each for each in inside if not each.name.startswith("__"))
        result, kind = str(body.get("result") or ""), str(body.get("type") or "")
        return Variable(expression, result, kind, children)

    async def explain(self, why: Stopped) -> str:
        """Return what an exception says."""
        if why.reason != "exception":
            return why.text
        body = await self._client.ask("exceptionInfo", {"threadId": self._thread})
        said = str(body.get("description") or "")
        return f"{body.get('exceptionId') or why.text}: {said}" if said else why.text

    def tidy(self, output: str) -> str:
        """Leave out the lines of traces that lie in the debugger."""
        return _OURS.sub("", output)

    async def close(self) -> None:
        """End the program and the adapter."""
        if self._client.process is not None:
            await self._client.process.close()
        self._client.end()


def _point(point: Breakpoint) -> dict[str, Any]:
    told: dict[str, Any] = {"line": point.line}
    if point.condition:
        told["condition"] = point.condition
    if point.log:
        told["logMessage"] = f"{{str(({point.log}))}}"
    if point.hits:
        told["hitCondition"] = f"== {point.hits}"
    return told


def _placed(point: Breakpoint, told: dict[str, Any]) -> Placed:
    line = told.get("line")
    return Placed(
        point.file,
        line if isinstance(line, int) else point.line,
        bool(told.get("verified")),
        str(told.get("message") or ""),
    )
