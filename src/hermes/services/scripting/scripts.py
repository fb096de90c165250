"""Run scripts: each on a line to an interpreter of its own, or without one where that is enough."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Coroutine, Hashable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from hermes.services.scripting import stubs
from hermes.services.scripting.lines import Line
from hermes.services.scripting.runs import Run, Script, Told
from hermes.services.scripting.spares import Spares, Submit
from hermes.services.scripting.told import answer

_IDLE_SECONDS = 300.0
_MODULES = {"socket": ("channel", "begin"), "pipes": ("supervising", "channel", "begin")}
_SHARING = '_SHARING = ""'
_FUTURE = "from __future__ import annotations"
_IMPORTS = re.compile(r"^from hermes[\w.]* import (?:\([^)]*\)|.*)$", re.MULTILINE)


class Site(NamedTuple):
    """Where the scripts of one task run now, and how an interpreter is started there."""

    task_id: str
    key: Hashable
    """What an interpreter that was started before must have in common with a new one; None when
    none is to be started before it is needed."""
    start: Callable[[], Coroutine[Any, Any, Line]]


class Quick(Protocol):
    """Runs scripts that only put calls together, without an interpreter of the machine's."""

    name: str

    def takes(self, script: Script) -> bool:
        """Say whether a script stays within what it can do."""

    async def run(self, script: Script) -> Told | None:
        """Run a script; None when it turned out to need more, and had no effect yet."""

    def close(self) -> None:
        """Let go of what it holds."""


def interpreter(python: str, channel: str) -> list[str]:
    """Return the command that waits for a script, on a ``socket`` or on ``pipes``."""
    return [python, "-I", "-X", "utf8", "-c", _program(channel), channel]


@functools.cache
def _program(channel: str) -> str:
    """Return the modules of ``inside`` as one text, which needs none of ours."""
    text = "\n".join(map(_text, _MODULES[channel])).replace(
        _SHARING, f"_SHARING = {_text('sharing')!r}", 1
    )
    return f"{_FUTURE}\n{text}"


def _text(name: str) -> str:
    source = Path(__file__).with_name("inside") / f"{name}.py"
    return _IMPORTS.sub("", source.read_text(encoding="utf-8").replace(_FUTURE, ""))


class Scripts:
    """Run scripts. Whoever made it closes it."""

    def __init__(self, submit: Submit, quick: Callable[[], Quick | None] = lambda: None) -> None:
        self._spares = Spares(submit, _IDLE_SECONDS)
        self._find_quick = quick
        self._quick: Quick | None = None
        self._source: tuple[Sequence[stubs.Callable], str] = ((), stubs.module(()))

    async def run(self, script: Script, site: Site) -> dict[str, Any]:
        """Run a script to its end, or to its limits, and return what it came to."""
        quick = self._quick = self._quick or self._find_quick()
        if quick is not None and quick.takes(script):
            told = await quick.run(script)
            if told is not None:
                return answer(told, script.limits, quick.name)
        line = self._spares.take(site.task_id, site.key) if site.key is not None else None
        told = await Run(script, line or await site.start()).to_its_end(self._stubs(script.tools))
        if site.key is not None:
            self._spares.prepare(site.task_id, site.key, site.start)
        return answer(told, script.limits, "python")

    def _stubs(self, tools: Sequence[stubs.Callable]) -> str:
        known, source = self._source
        if tools != known:
            source = stubs.module(tools)
            self._source = tools, source
        return source

    def forget(self, task_id: str) -> None:
        """End what is ready for a task."""
        self._spares.drop(task_id)

    def close(self) -> None:
        """End all that is ready."""
        self._spares.close()
        if self._quick is not None:
            self._quick.close()
