"""Questions of an agent to the person it works for."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, NamedTuple

from hermes.base.errors import InvalidArguments
from hermes.base.optional import load

MOST_CHOICES = 4
LONGEST_QUESTION = 4_000
LONGEST_ANSWER = 20_000
_NOBODY = "Nobody is there to ask: decide yourself, and say in your answer what you assumed."
_SILENCE = "Nobody answered in time: decide yourself, and say in your answer what you assumed."
_NOTHING_SAID = "The person left it open: decide yourself, and say in your answer what you assumed."
_log = logging.getLogger("hermes.clarify")


class Question(NamedTuple):
    """What is asked; without choices the answer is open, and with them another one may be given."""

    task_id: str
    text: str
    choices: tuple[str, ...] = ()
    seconds: float | None = None
    """How long the answer is waited for; None means for as long as it takes."""


class Clarified(NamedTuple):
    """An answer, and whether a person gave it or nobody was there."""

    text: str
    by: Literal["person", "policy"]


Ask = Callable[[Question], Awaitable[str | None]]
"""Puts a question to a person; None or nothing but spaces leaves it open."""


class Clarifier:
    """Bring questions to whoever shows the task's screen."""

    provided_by = "the agent loop"

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds or None
        self._people: dict[str, Ask] = {}

    def answer_with(self, task_id: str, ask: Ask | None) -> None:
        """Say who answers the questions of a task; None when nobody does any longer."""
        if ask is None:
            self._people.pop(task_id, None)
        else:
            self._people[task_id] = ask

    def has_person(self, task_id: str) -> bool:
        """Say whether somebody is there to answer."""
        return task_id in self._people

    async def ask(self, task_id: str, question: str, choices: Sequence[str] = ()) -> Clarified:
        """Ask and wait; where nobody answers, the agent is told to decide by itself.

        Raises:
            InvalidArguments: there is nothing to ask, or there are too many choices.
        """
        asked = Question(task_id, *_checked(question, choices), self.seconds)
        person = self._people.get(task_id)
        if person is None:
            return Clarified(_NOBODY, "policy")
        asyncio = load("asyncio")
        try:
            async with asyncio.timeout(self.seconds):
                said = await person(asked)
        except TimeoutError:
            return Clarified(_SILENCE, "policy")
        except (EOFError, OSError) as error:
            _log.warning("the question could not be shown", exc_info=error)
            return Clarified(_NOBODY, "policy")
        answer = _understood(said or "", asked.choices)
        return Clarified(answer, "person") if answer else Clarified(_NOTHING_SAID, "policy")

    def forget(self, task_id: str) -> None:
        """Drop who answers for a task."""
        self._people.pop(task_id, None)


def _checked(question: str, choices: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    text = question.strip()
    if not text:
        raise InvalidArguments("there is no question", hint="Ask one clear question.")
    if len(text) > LONGEST_QUESTION:
        raise InvalidArguments(
            f"the question has {len(text):,} characters, and {LONGEST_QUESTION:,} are allowed"
        )
    found = tuple(dict.fromkeys(filter(None, (" ".join(choice.split()) for choice in choices))))
    if len(found) > MOST_CHOICES:
        raise InvalidArguments(
            f"{len(found)} choices were given, and {MOST_CHOICES} are allowed",
            hint="Give the likeliest; the person can always answer in their own words.",
        )
    return text, found


def _understood(said: str, choices: tuple[str, ...]) -> str:
    """Return the answer; the number of a choice stands for the choice."""
    answer = said.strip()[:LONGEST_ANSWER]
    if answer in choices or not answer.isdecimal() or len(answer) > 1:
        return answer
    number = int(answer)
    return choices[number - 1] if 1 <= number <= len(choices) else answer
