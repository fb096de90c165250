"""A model that follows a script: for tests, for demonstrations, and to replay what happened."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from inspect import isawaitable
from itertools import chain
from pathlib import Path
from typing import cast

from hermes.base import json
from hermes.base.messages import Json, ToolCall
from hermes.base.optional import load
from hermes.llm.contract import (
    CallPiece,
    ModelError,
    Piece,
    ReasoningPiece,
    Reply,
    Request,
    Retry,
    TextPiece,
)
from hermes.llm.steps import Answer, Expected, Fault, Step, call, unmet

__all__ = ["Answer", "Expected", "Fault", "Scripted", "Step", "call"]

_WORD = re.compile(r"\s*\S+\s*?|\s+")
_CHUNK = 24


class Scripted:
    """A model whose answers are written beforehand; it keeps what it was asked in ``requests``.

    Steps are taken in order, one per question; a single function instead of steps answers every
    question. When the steps run out, or one is not asked what it expects, it raises ModelError.
    """

    def __init__(
        self,
        steps: Iterable[Answer] | Callable[[Request], Answer | Awaitable[Answer]],
        *,
        name: str = "scripted:test",
        window: int = 128_000,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.name = name
        self.window = window
        self.requests: list[Request] = []
        self._always = steps if callable(steps) else None
        self._steps = [] if callable(steps) else list(steps)
        self._next = 0
        self._calls = 0
        self._sleep = sleep

    @classmethod
    def from_file(cls, path: str | Path, *, name: str | None = None) -> Scripted:
        """Return the model of a script, or of a recorded conversation, in YAML, JSON or JSONL.

        Raises:
            ConfigError: the file cannot be read; says where and what is expected.
        """
        script = load("hermes.llm.script_files").read(Path(path))
        return cls(script.steps, name=name or script.name, window=script.window)

    @property
    def left(self) -> int:
        """How many steps were not taken yet."""
        return len(self._steps) - self._next

    async def ask(self, request: Request) -> AsyncIterator[Piece]:
        """Yield the answer of the next step, as its faults let it."""
        self.requests.append(request)
        step = await self._step(request)
        reply = self._reply(step)
        if step.slow_seconds:
            await self._sleep(step.slow_seconds)
        async for piece in self._faulty(reply, step):
            yield piece
        if step.slow_seconds:
            await self._sleep(step.slow_seconds)
        if step.fault != "ended":
            yield reply

    async def close(self) -> None:
        """Do nothing; there is nothing to let go of."""

    async def _step(self, request: Request) -> Step:
        """Return the step that this question gets, with an answer that is no longer a function."""
        number = self._next + 1
        step = self._written()
        while True:
            if problem := unmet(step.expects, request):
                raise ModelError(
                    f"{self.name}: step {number} expected {problem}", trouble="refused"
                )
            self._next = number
            answer = step.answer
            if isinstance(answer, Step):
                step = answer
            elif callable(answer):
                chosen = answer(request)
                step = replace(step, answer=await chosen if isawaitable(chosen) else chosen)
            else:
                return step

    def _written(self) -> Step:
        if self._always is not None:
            return Step(self._always)
        if self._next >= len(self._steps):
            raise ModelError(
                f"{self.name}: the script has {len(self._steps)} steps and was asked once more",
                trouble="refused",
                hint="Add a step to the script, or look at why the model was asked again.",
            )
        answer = self._steps[self._next]
        return answer if isinstance(answer, Step) else Step(answer)

    def _reply(self, step: Step) -> Reply:
        match step.answer:
            case BaseException() as error:
                raise error
            case str() as text:
                return Reply(text)
            case Reply() as reply:
                pass
            case ToolCall() as one:
                reply = Reply(calls=(one,), stop="calls")
            case calls:
                reply = Reply(calls=tuple(cast(Sequence[ToolCall], calls)), stop="calls")
        broken = step.fault == "malformed"
        return reply._replace(calls=tuple(self._call(one, broken=broken) for one in reply.calls))

    def _call(self, asked: ToolCall, *, broken: bool) -> ToolCall:
        self._calls += 1
        arguments = _broken(asked.arguments) if broken else asked.arguments
        return asked._replace(id=asked.id or f"call_{self._calls}", arguments=arguments)

    async def _faulty(self, reply: Reply, step: Step) -> AsyncIterator[Piece]:
        pieces = list(_pieces(reply))
        half = pieces[: (len(pieces) + 1) // 2]
        if step.fault in ("cut", "ended"):
            pieces = half
        elif step.fault == "retried":
            pieces = [*half, Retry("the script says so", 0.0), *pieces]
        for piece in pieces:
            await asyncio.sleep(0)  # whoever cancels gets a turn, as with a real stream
            yield piece
        if step.fault == "cut":
            raise ModelError(f"{self.name}: the answer ended early", trouble="cut")


def _pieces(reply: Reply) -> Iterator[Piece]:
    thought = (ReasoningPiece(text) for text in _WORD.findall(reply.reasoning))
    said = (TextPiece(text) for text in _WORD.findall(reply.text))
    return chain(thought, said, _call_pieces(reply.calls))


def _call_pieces(calls: tuple[ToolCall, ...]) -> Iterator[Piece]:
    for number, one in enumerate(calls):
        text = _text_of(one.arguments)
        yield CallPiece(number, one.name, "")
        for start in range(0, len(text), _CHUNK):
            yield CallPiece(number, one.name, text[start : start + _CHUNK])


def _text_of(arguments: Json) -> str:
    return arguments if isinstance(arguments, str) else json.encode(arguments)


def _broken(arguments: Json) -> str:
    """Return the arguments as text that breaks off, as a model does that runs out of tokens."""
    text = _text_of(arguments)
    return text[: max(1, len(text) - 2)] if text != "{}" else "{"
