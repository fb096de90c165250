"""What an act is made of: calls it wants, answers it gets, and what it says at the end."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hermes.agent.builtin.said import Said
from hermes.base.messages import Json


class Wanted(NamedTuple):
    """A call that an act asks for."""

    tool: str
    args: dict[str, Json]


class Answer(NamedTuple):
    """What a call answered."""

    tool: str
    value: Mapping[str, Json]

    @property
    def error(self) -> str:
        """Why it failed, or nothing."""
        return str(self.value.get("error") or "")

    @property
    def output(self) -> str:
        """What a command printed."""
        return str(self.value.get("stdout") or "")


Steps = Generator[Wanted, Answer, str]
"""Yields calls, is sent their answers, and returns the words for the person."""


class Unsure(Exception):
    """End an act with a question to the person."""

    def __init__(self, question: str, *choices: str) -> None:
        super().__init__(question)
        self.question, self.choices = question, choices


class Missing(Exception):
    """End an act because no tool on offer can do it."""

    def __init__(self, what: str, *tools: str) -> None:
        super().__init__(what)
        self.what, self.tools = what, tools


class Hands:
    """The tools on offer, as the model sees them."""

    def __init__(self, definitions: tuple[Json, ...]) -> None:
        self.tools: dict[str, Mapping[str, Json]] = {}
        self.described: dict[str, str] = {}
        for definition in definitions:
            tool = definition.get("function", definition)
            self.tools[tool["name"]] = tool.get("parameters") or {}
            self.described[tool["name"]] = str(tool.get("description") or "")

    def has(self, tool: str) -> bool:
        """Whether a tool is on offer."""
        return tool in self.tools

    def takes(self, tool: str, parameter: str) -> bool:
        """Whether a tool on offer has a parameter."""
        return parameter in (self.tools.get(tool, {}).get("properties") or {})

    def pick(self, *options: Wanted) -> Wanted:
        """Return the first call whose tool is on offer.

        Raises:
            Missing: none of them is.
        """
        for option in options:
            if self.has(option.tool):
                if option.tool == "terminal" and not self.takes("terminal", "access"):
                    option.args.pop("access", None)
                return option
        raise Missing(options[0].tool, *(option.tool for option in options))


Act = Callable[[Said, Hands], Steps]


def want(tool: str, **args: Json) -> Wanted:
    """Return a call; arguments that are None are left out."""
    return Wanted(tool, {name: value for name, value in args.items() if value is not None})


def shell(command: str, **args: Json) -> Wanted:
    """Return a call of the terminal."""
    return want("terminal", command=command, **args)


def quote(text: str) -> str:
    """Return a word for the shell; a leading ``~`` still means the home folder."""
    if text == "~":
        return text
    if text.startswith("~/"):
        return "~/" + shlex.quote(text[2:])
    return shlex.quote(text if not text.startswith("-") else f"./{text}")


@dataclass(frozen=True, slots=True)
class Intent:
    """Something a person may want: how it is recognised, and what is done."""

    act: Act
    rules: tuple[str, ...]
    """A line is a way to say it. Bare concepts must be there (``a|b``: one of them), ``+`` speaks
    for it, ``!`` rules it out, ``*`` in front lets other words pass; a line that begins with
    ``/`` is a pattern of the shape, with ``/!a !b !! `` before it what rules it out; ``//`` counts
    more than any other, ``/~`` less."""
    is_change: bool = False
    """Whether it changes something; it is then never chosen by likeness."""
    examples: tuple[str, ...] = ()
    """Some requests as people put them, for the index."""

    @property
    def name(self) -> str:
        """Its name: that of the function."""
        return str(getattr(self.act, "__name__", self.act))
