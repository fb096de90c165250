"""Questions in the midst of a turn: one at a time, and always where the keyboard is."""

import asyncio
import threading
from contextlib import contextmanager

from hermes.cli.chat.asking import Asking, lines_of
from hermes.services.clarify import Question

SECONDS = 5


def test_a_question_from_another_loop_is_asked_on_the_one_with_the_keyboard():
    async def main():
        async def console(request):
            return request, threading.current_thread()

        asking = Asking(console)

        def elsewhere():
            return asyncio.run(asking("may I?"))

        async with asyncio.timeout(SECONDS):
            return await asyncio.to_thread(elsewhere)

    assert asyncio.run(main()) == ("may I?", threading.main_thread())


def test_questions_wait_for_each_other_and_have_room():
    told = []

    @contextmanager
    def room():
        told.append("room")
        yield
        told.append("back")

    async def console(request):
        told.append(request)
        await asyncio.sleep(0)

    async def main():
        asking = Asking(console)
        asking.room = room
        await asyncio.gather(asking("one"), asking("two"))

    asyncio.run(main())
    assert told == ["room", "one", "back", "room", "two", "back"]


def test_a_question_of_the_agent_shows_its_choices_and_controls_nothing():
    question = Question("task", "Which\x1b[2J\none?", ("red\x07", "blue"))
    assert lines_of(question) == [
        "",
        "  ? Which␛[2J",
        "  one?",
        "    1  red␇",
        "    2  blue",
        "  (a number, or your own words; Ctrl-D leaves it open)",
    ]


def test_leaving_a_question_open_is_an_answer():
    async def left(words):
        raise EOFError

    async def main():
        asking = Asking(None)
        asking.put = lambda lines: None
        nobody = await asking.clarify(Question("task", "Which?"))
        asking.reply = left
        return nobody, await asking.clarify(Question("task", "Which?"))

    assert asyncio.run(main()) == (None, None)
