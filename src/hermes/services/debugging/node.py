"""JavaScript under node's own inspector, reached by a bridge that runs in the task's box."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hermes.base.errors import ToolError, Unavailable
from hermes.environments.contract import Process, Refused
from hermes.environments.programs import Hearing, Program, Site
from hermes.environments.projects import Project
from hermes.services.debugging.client import ASK_SECONDS
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
_FILE = "file://"
_CHILDREN = 20
_WRAPPER = ("exports", "require", "module", "__filename", "__dirname")
"""What node itself puts into every module."""
_COMMANDS: dict[How, str] = {
    "continue": "resume", "next": "stepOver", "step": "stepInto", "out": "stepOut",
}  # fmt: skip
_REASONS = {"exception": "exception", "promiseRejection": "exception"}


class NodeDebugger:
    """A program of node under its inspector."""

    def __init__(self, site: Site, project: Project, news: News) -> None:
        self._site, self._project, self._news = site, project, news
        self._loop = asyncio.get_running_loop()
        self._open: asyncio.Future[None] = self._loop.create_future()
        self._first: asyncio.Future[None] = self._loop.create_future()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._count = itertools.count(1)
        self._process: Process | None = None
        self._rest = b""
        self._frames: list[dict[str, Any]] = []
        self._scripts: dict[str, str] = {}
        self._points: list[str] = []
        self._is_started = False

    async def start(self, plan: Plan) -> list[Placed]:
        """Start the program, which waits at its first line until all is set."""
        node = self._project.programs.get("node")
        if node is None:
            raise Unavailable("node is not installed where this task runs")
        bridge = (Path(__file__).parent / "inside" / "node_bridge.cjs").read_text(encoding="utf-8")
        program = Program((node, "-e", bridge, "--", plan.program, *plan.args), plan.cwd)
        hearing = Hearing(self._part, most=0)
        try:
            self._process = await self._site.environment.spawn(program.as_command(), hearing)
        except Refused as error:
            raise Unavailable(error.message, hint=error.hint or None) from error
        self._process.on_end(lambda _: self._loop.call_soon_threadsafe(self._gone))
        await self._until(self._open, "the inspector did not open")
        await self._ask("Runtime.enable")
        await self._ask("Debugger.enable")
        placed = await self.place(plan.breakpoints)
        state = "all" if plan.stop_on_raise else "uncaught"
        await self._ask("Debugger.setPauseOnExceptions", state=state)
        await self._ask("Runtime.runIfWaitingForDebugger")
        await self._until(self._first, "the program did not start")
        self._is_started = True
        if plan.stop_on_entry:
            self._news.stopped(Stopped("entry"))
        else:
            await self._ask("Debugger.resume")
        return placed

    async def _until(self, something: asyncio.Future[None], trouble: str) -> None:
        try:
            async with asyncio.timeout(_START_SECONDS):
                await something
        except TimeoutError:
            raise lost(trouble) from None

    def _part(self, stream: int, data: bytes) -> None:
        """Take what the bridge prints, from whichever thread."""
        if stream == 0:
            self._loop.call_soon_threadsafe(self._take, data)

    def _take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            with contextlib.suppress(ValueError):
                message = json.loads(line)
                if isinstance(message, dict):
                    self._hear(message)

    def _hear(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        if isinstance(number, int):
            waiting = self._waiting.pop(number, None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
            return
        told = message.get("params")
        self._event(str(message.get("method")), told if isinstance(told, dict) else {})

    def _event(self, name: str, told: dict[str, Any]) -> None:
        if name == "bridge.open":
            _settle(self._open)
        elif name in ("bridge.output", "bridge.error"):
            self._news.said(str(told.get("text") or ""))
        elif name == "bridge.exited":
            code = told.get("code")
            self._news.ended(code if isinstance(code, int) else None, str(told.get("signal") or ""))
            self._end()
        elif name == "Debugger.scriptParsed":
            self._scripts[str(told.get("scriptId"))] = str(told.get("url") or "")
        elif name == "Debugger.paused":
            self._paused(told)
        elif name == "Debugger.resumed" and self._is_started:
            self._news.resumed()

    def _paused(self, told: dict[str, Any]) -> None:
        frames = told.get("callFrames")
        self._frames = frames if isinstance(frames, list) else []
        if not self._is_started:
            _settle(self._first)
            return
        reason = _REASONS.get(str(told.get("reason")), "")
        data = told.get("data")
        said = str(data.get("description") or data.get("value") or "") if reason and data else ""
        text = said.partition("\n    at ")[0]
        hit = "breakpoint" if told.get("hitBreakpoints") else "step"
        self._news.stopped(Stopped(reason or hit, text))

    def _gone(self) -> None:
        self._end()
        self._news.ended(None, "")

    def _end(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for each in waiting.values():
            if not each.done():
                each.set_result({"error": {"message": "the program has ended"}})
        for ready in (self._open, self._first):
            _settle(ready)

    async def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        assert self._process is not None
        number = next(self._count)
        answer: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._waiting[number] = answer
        message = json.dumps({"id": number, "method": method, "params": params})
        try:
            await self._process.write(message.encode() + b"\n")
            async with asyncio.timeout(ASK_SECONDS):
                told = await answer
        except BrokenPipeError:
            raise ToolError("the program has ended", code="not_running") from None
        except TimeoutError:
            raise lost(f"{method} took longer than {ASK_SECONDS:g} s") from None
        if isinstance(error := told.get("error"), dict):
            raise ToolError(str(error.get("message") or f"{method} failed"), code="debugger_error")
        result = told.get("result")
        return result if isinstance(result, dict) else {}

    async def place(self, breakpoints: Sequence[Breakpoint]) -> list[Placed]:
        """Replace all breakpoints."""
        for known in self._points:
            await self._ask("Debugger.removeBreakpoint", breakpointId=known)
        self._points = []
        placed = []
        for point in breakpoints:
            told = await self._ask(
                "Debugger.setBreakpointByUrl",
                lineNumber=point.line - 1,
                url=f"{_FILE}{point.file}",
                condition=_condition(point),
            )
            self._points.append(str(told.get("breakpointId")))
            places = told.get("locations")
            line = places[0].get("lineNumber", point.line - 1) + 1 if places else point.line
            placed.append(Placed(point.file, line, is_set=True))
        return placed

    async def resume(self, how: How) -> None:
        """Let it go on."""
        await self._ask(f"Debugger.{_COMMANDS[how]}")

    async def pause(self) -> None:
        """Have it stop where it is."""
        await self._ask("Debugger.pause")

    async def frames(self) -> list[Frame]:
        """Return the calls that are going on."""
        found = [
            Frame(
                str(each.get("functionName") or "(top)"),
                self._file(each),
                int(each["location"].get("lineNumber", 0)) + 1,
                each,
            )
            for each in self._frames[:MOST_FRAMES]
        ]
        own = [each for each in found if not each.file.startswith("node:")]
        return own or found

    def _file(self, frame: dict[str, Any]) -> str:
        url = str(frame.get("url") or self._scripts.get(str(frame["location"].get("scriptId")), ""))
        return url.removeprefix(_FILE)

    async def variables(self, frame: Frame, scope: Scope) -> list[Variable]:
        """Return the variables of a call: its own and its blocks', or those of its module."""
        kinds = (
            ("local", "block", "catch") if scope == "locals" else ("script", "module", "closure")
        )
        found: list[Variable] = []
        for each in frame.handle.get("scopeChain") or []:
            reference = each.get("object", {}).get("objectId")
            if each.get("type") in kinds and reference:
                found += await self._children(reference, MOST_VARIABLES)
        return found[:MOST_VARIABLES]

    async def _children(self, reference: str, most: int) -> list[Variable]:
        told = await self._ask(
            "Runtime.getProperties", objectId=reference, ownProperties=True, generatePreview=True
        )
        listed = [
            each
            for each in told.get("result") or []
            if "value" in each and each.get("name") not in _WRAPPER
        ]
        found = [_variable(str(each.get("name")), each["value"]) for each in listed[:most]]
        if len(listed) > most:
            found.append(Variable("…", f"{len(listed) - most} more"))
        return found

    async def evaluate(self, frame: Frame | None, expression: str) -> Variable:
        """Return what an expression gives in a call."""
        if frame is None:
            told = await self._ask("Runtime.evaluate", expression=expression, generatePreview=True)
        else:
            told = await self._ask(
                "Debugger.evaluateOnCallFrame",
                callFrameId=frame.handle["callFrameId"],
                expression=expression,
                generatePreview=True,
            )
        value = told.get("result") or {}
        if "exceptionDetails" in told:
            said = str(value.get("description") or "it threw").splitlines()[0]
            raise ToolError(said, code="evaluation_failed")
        reference = value.get("objectId")
        is_plain = value.get("type") != "object" or value.get("subtype") == "null"
        children = () if is_plain or not reference else await self._children(reference, _CHILDREN)
        return _variable(expression, value)._replace(children=tuple(children))

    async def explain(self, why: Stopped) -> str:
        """Return what an exception says: it came along."""
        return why.text

    def tidy(self, output: str) -> str:
        """Return all of it: the bridge has left out what is the inspector's."""
        return output

    async def close(self) -> None:
        """End the program and the bridge."""
        if self._process is not None:
            await self._process.close()
        self._end()


def _settle(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


def _condition(point: Breakpoint) -> str:
    parts = [f"({point.condition})"] if point.condition else []
    if point.hits:
        name = f"__hermes_hits_{abs(hash((point.file, point.line)))}"
        counter = f"(globalThis.{name} = (globalThis.{name} ?? 0) + 1)"
        parts.append(f"{counter} === {point.hits}")
    if point.log:
        parts.append(f"(console.log({point.log}), false)")
    return " && ".join(parts)


def _variable(name: str, value: dict[str, Any]) -> Variable:
    kind = str(value.get("subtype") or value.get("type") or "")
    if "value" in value:
        return Variable(name, json.dumps(value["value"], ensure_ascii=False), kind)
    preview = value.get("preview")
    if isinstance(preview, dict) and preview.get("properties"):
        return Variable(name, _preview(value, preview), kind)
    return Variable(
        name, str(value.get("description") or value.get("unserializableValue") or kind), kind
    )


def _preview(value: dict[str, Any], preview: dict[str, Any]) -> str:
    is_list = preview.get("subtype") == "array"
    parts = [
        str(each.get("value")) if is_list else f"{each.get('name')}: {each.get('value')}"
        for each in preview["properties"]
    ]
    text = ", ".join(parts) + (", …" if preview.get("overflow") else "")
    name = str(value.get("className") or "")
    return f"{name} [{text}]" if is_list else f"{name} {{{text}}}"
