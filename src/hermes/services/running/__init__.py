"""Run a piece of code in a folder of its own, and tell all that came of it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from hermes.base.errors import ToolError, Unavailable
from hermes.environments import programs
from hermes.environments.capture import Capture, Kept, Limits
from hermes.environments.contract import Command, Outcome, Power, Process, Refused
from hermes.environments.programs import OpenSite, Program, Site
from hermes.policy.need import Deed
from hermes.policy.power import needed
from hermes.services.running import packages, scratch
from hermes.services.running.languages import MISSING, Name, start

MOST_OUTPUT = 64 << 20
_SHOWN = Limits(head=24_000, tail=24_000)
_FLOOD = f"it printed more than {MOST_OUTPUT >> 20} MB"
_TOLD = Limits(head=48 << 20, tail=0)
_INSTALL_SECONDS = 300.0
_COLLECT_SECONDS = 30.0
_TELL_SECONDS = 0.25
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
How = Literal["", "timeout", "flood"]


class Caller(programs.Caller, Protocol):
    """Who calls, in the words of the runtime: its context fits."""

    deed: Deed | None


class Keeping(Protocol):
    """What was kept of a workspace before code that could lose something of it."""

    warning: str | None

    async def end(self) -> None:
        """Find out what the code changed."""


Variables = Callable[[Any], Mapping[str, str]]
"""Gives the variables of a caller's task that its environment does not know yet."""
Keep = Callable[[Any, str], Awaitable[Keeping | None]]
"""Keeps the workspace of a caller before its code runs."""


@dataclass(frozen=True, slots=True)
class Code:
    """Code that a tool was asked to run."""

    text: str
    language: Name
    stdin: str = ""
    seconds: float = 60.0
    packages: tuple[str, ...] = ()
    workdir: str | None = None
    save_to: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of code: an answer for a model, and images as PNG."""

    answer: dict[str, Any]
    figures: tuple[bytes, ...] = field(default=())


class Runner:
    """Run code where the programs of its task run."""

    def __init__(self, open_site: OpenSite, variables: Variables, keep: Keep) -> None:
        self._open_site, self._variables, self._keep = open_site, variables, keep

    async def run(self, code: Code, caller: Caller) -> Result:
        """Run code to its end, or until a limit is met; being cancelled ends it.

        Raises:
            ToolError: it could not be started, or its packages cannot be had.
        """
        wanted = packages.checked(code.language, code.packages)
        async with self._open_site(caller) as site:
            try:
                if wanted:
                    await _install(site, code.language, wanted, caller)
                kept = await self._keep(caller, code.text)
                begin = _Start(site, wanted, self._variables(caller))
                result = await _run(begin, code, caller)
            except Refused as error:
                raise Unavailable(error.message, hint=error.hint or None) from error
            if kept is not None:
                await kept.end()
                if kept.warning:
                    result.answer["warning"] = kept.warning
        return result


async def _install(site: Site, language: Name, wanted: tuple[str, ...], caller: Caller) -> None:
    caller.progress(f"installing {', '.join(wanted)}")
    text = packages.install(language, wanted)
    program = Program(("bash", "-c", text), site.root, seconds=_INSTALL_SECONDS)
    ran = await programs.run(site.environment, program)
    if ran.code == 0:
        return
    why = "it took too long" if ran.is_timed_out else ran.complaint or f"exit code {ran.code}"
    hint = "Packages come over the network: the profile in force must let programs reach it."
    raise ToolError(
        f"the packages cannot be installed: {why}",
        hint=f"{ran.denied_by} {hint}".strip(),
        code="packages_failed",
    )


@dataclass(frozen=True, slots=True)
class _Start:
    """What a program is started with."""

    site: Site
    packages: tuple[str, ...]
    variables: Mapping[str, str]


async def _run(begin: _Start, code: Code, caller: Caller) -> Result:
    folder, site = scratch.name(), begin.site
    text = scratch.opening(
        folder,
        start(code.language, code.text),
        packages.use(code.language, begin.packages),
        _absolute(site, code.workdir),
    )
    power = _power(caller.deed)
    command = Command(text, cwd=site.root, env=begin.variables, power=power)
    started = time.monotonic()
    heard, flood = _listening(caller)
    try:
        process = await site.environment.spawn(command, heard)
        outcome, how = await _ended(process, code, flood)
    finally:
        seconds = time.monotonic() - started
        heard.close()
        found = await asyncio.shield(_collect(site, folder, _absolute(site, code.save_to), power))
    if "missing" in found.marks:
        what, fix = MISSING[code.language]
        raise Unavailable(what, hint=fix)
    return Result(_told(code, outcome, how, heard, found) | _time(seconds), found.figures)


def _absolute(site: Site, path: str | None) -> str | None:
    return site.absolute(path) if path else None


def _power(deed: Deed | None) -> Power:
    """Return what code is given beyond its box: what it was judged to need, and allowed."""
    found = needed(deed)
    return Power(tuple(found.writable), False, found.is_outside)


def _listening(caller: Caller) -> tuple[Capture, asyncio.Event]:
    """Return what keeps the ends of what code prints, and what says that it is too much."""
    loop, flood, size, last = asyncio.get_running_loop(), asyncio.Event(), 0, time.monotonic()

    def news(stream: int, data: bytes) -> None:
        nonlocal size, last
        del stream
        size += len(data)
        if size > MOST_OUTPUT and not flood.is_set():
            loop.call_soon_threadsafe(flood.set)
        if time.monotonic() - last > _TELL_SECONDS:
            last = time.monotonic()
            lines = _readable(data[-2_000:]).strip().splitlines()
            if lines:
                caller.progress(lines[-1][:200])

    return Capture(None, _SHOWN, news), flood


async def _ended(process: Process, code: Code, flood: asyncio.Event) -> tuple[Outcome, How]:
    """Wait for the end of code, or make it."""
    feeding = asyncio.ensure_future(_feed(process, code.stdin.encode("utf-8", "replace")))
    ending = asyncio.ensure_future(process.wait())
    flooding = asyncio.ensure_future(flood.wait())
    how: How = ""
    try:
        done, _ = await asyncio.wait(
            {ending, flooding}, timeout=code.seconds, return_when=asyncio.FIRST_COMPLETED
        )
        if ending not in done:
            how = "flood" if flooding in done else "timeout"
            await programs.stop(process)
        return await ending, how
    except BaseException:
        await asyncio.shield(process.close())
        raise
    finally:
        flooding.cancel()
        feeding.cancel()
        await process.close()


async def _feed(process: Process, data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):  # it may end without reading all of it
        if data:
            await process.write(data)
        await process.close_input()


async def _collect(site: Site, folder: str, keep_in: str | None, power: Power) -> scratch.Found:
    """Return what code left in its folder, which is removed."""
    heard = Capture(None, _TOLD)
    text = scratch.collecting(folder, keep_in)
    command = Command(text, timeout_seconds=_COLLECT_SECONDS, power=power)
    try:
        await site.environment.execute(command, heard)
    except Refused:
        return scratch.Found()
    return scratch.found(heard.streams[0].ends()[0])


def _told(
    code: Code, outcome: Outcome, how: How, heard: Capture, found: scratch.Found
) -> dict[str, Any]:
    status = how if how == "timeout" else "ok" if outcome.exit_code == 0 else "error"
    answer: dict[str, Any] = {"status": status, "exit_code": outcome.exit_code}
    output, errors = heard.streams
    answer["stdout"] = _text(output)
    if errors.size:
        answer["stderr"] = _text(errors)
    if found.value:
        answer["value"] = found.value
    if found.figures:
        answer["figures"] = len(found.figures)
    if found.files:
        answer["files"] = [{"path": path, "bytes": size} for path, size in found.files]
    if code.save_to and found.kept:
        answer["saved_to"] = code.save_to
    if reason := _reason(code, outcome, how, found):
        answer["reason"] = reason
    if outcome.denied_by:
        answer["denied_by"] = outcome.denied_by
    return answer


def _reason(code: Code, outcome: Outcome, how: How, found: scratch.Found) -> str:
    if how == "timeout":
        return f"Stopped after {code.seconds:g} s, with all that it had started."
    if how == "flood":
        return f"Stopped: {_FLOOD}."
    if "folder" in found.marks:
        return f"Stopped: its folder held more than {scratch.MOST_MEGABYTES:,} MB."
    if "disk" in found.marks:
        return f"Stopped: the disk lost more than {scratch.MOST_MEGABYTES:,} MB while it ran."
    return outcome.note


def _time(seconds: float) -> dict[str, Any]:
    return {"seconds": round(seconds, 3)}


def _text(kept: Kept) -> str:
    head, tail = kept.ends()
    if not kept.dropped:
        return _readable(head)
    return f"{_readable(head)}\n… {kept.dropped:,} bytes left out …\n{_readable(tail)}"


def _readable(data: bytes) -> str:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    return _CONTROL.sub("", _ESCAPE.sub("", text))
