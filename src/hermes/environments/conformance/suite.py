"""What a check is, how one is run, and what comes of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Literal, NamedTuple, TypeVar

from hermes.environments.conformance.bench import Bench, Factory

Verdict = Literal["passed", "failed", "not offered"]
Body = Callable[[Bench], Awaitable[None]]
T = TypeVar("T")
_LONGEST_SECONDS = 50.0


class Failed(AssertionError):
    """An environment does not do what a check asks of it."""


class Finding(NamedTuple):
    """What came of one check on one backend."""

    name: str
    verdict: Verdict
    why: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that every environment does, by name."""

    name: str
    promise: str
    body: Body
    needs: frozenset[str] = frozenset()
    """What a backend may lack: the words of ``Environment.lacks``."""

    async def run(self, factory: Factory) -> Finding:
        """Try it on a new environment, and close that whatever happens."""
        started = time.monotonic()
        bench = Bench(factory)
        if lacking := self.needs & bench.environment.lacks:
            return Finding(self.name, "not offered", ", ".join(sorted(lacking)))
        why = await _outcome(self.body, bench)
        verdict: Verdict = "failed" if why else "passed"
        return Finding(self.name, verdict, why, time.monotonic() - started)


async def _outcome(body: Body, bench: Bench) -> str:
    """Return what went wrong, or nothing."""
    try:
        async with asyncio.timeout(_LONGEST_SECONDS):
            try:
                await bench.environment.start()
                await body(bench)
            finally:
                await bench.close()
    except TimeoutError as error:
        return f"it took too long {error}".strip()
    except Exception as error:  # noqa: BLE001 - whatever a backend raises is a finding
        return f"{type(error).__name__}: {error}"
    return ""


def check(*, needs: str = "") -> Callable[[Body], Check]:
    """Make a check of a function: its name is the check's, its docstring the promise."""

    def made(body: Body) -> Check:
        name = getattr(body, "__name__", "")
        return Check(name, (body.__doc__ or "").strip(), body, frozenset(needs.split()))

    return made


def checks_in(module: ModuleType) -> list[Check]:
    """Return the checks of a module, in their order."""
    return [each for each in vars(module).values() if isinstance(each, Check)]


async def run_checks(
    checks: Sequence[Check], factory: Factory, only: Iterable[str] | None = None
) -> list[Finding]:
    """Run checks one after the other, all or those named."""
    wanted = None if only is None else set(only)
    return [await each.run(factory) for each in checks if wanted is None or each.name in wanted]


def same(got: T, wanted: T, what: str = "") -> None:
    """Fail unless two values are equal."""
    if got != wanted:
        raise Failed(f"{what or 'got'}: {_short(got)}, not {_short(wanted)}")


def holds(claim: object, what: str) -> None:
    """Fail unless something holds."""
    if not claim:
        raise Failed(what)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:200]} … {text[-200:]}"
