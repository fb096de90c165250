"""Questions: one at a time, in order, the same one once, and none left behind."""

import asyncio

import pytest

from hermes.runtime.approvals.asking import Questions, Turns


async def settle():
    for _ in range(10):
        await asyncio.sleep(0)


def test_turns_are_taken_one_at_a_time_and_in_order():
    async def story():
        turns, seen = Turns(), []

        async def take(name):
            async with turns:
                seen.append(f"{name} in")
                await settle()
                seen.append(f"{name} out")

        await asyncio.gather(*(take(name) for name in "abc"))
        return seen

    assert asyncio.run(story()) == ["a in", "a out", "b in", "b out", "c in", "c out"]


def test_turns_are_shared_by_loops_of_different_threads():
    turns, inside, most = Turns(), [], []

    async def take():
        for _ in range(20):
            async with turns:
                inside.append(1)
                most.append(len(inside))
                await asyncio.sleep(0)
                inside.pop()

    async def everywhere():
        await asyncio.gather(*(asyncio.to_thread(asyncio.run, take()) for _ in range(4)))

    asyncio.run(everywhere())
    assert set(most) == {1} and len(most) == 80


@pytest.mark.parametrize("when", ["waiting", "handed over"])
def test_who_gives_up_leaves_the_turn_to_the_next(when):
    async def story():
        turns, seen = Turns(), []

        async def take(name):
            async with turns:
                seen.append(name)

        await turns.__aenter__()
        first, second = asyncio.create_task(take("first")), asyncio.create_task(take("second"))
        await settle()
        if when == "waiting":
            first.cancel()
            await settle()
            await turns.__aexit__(None, None, None)
        else:
            await turns.__aexit__(None, None, None)
            first.cancel()
        await asyncio.wait_for(second, 5)
        await asyncio.wait_for(take("third"), 5)
        return seen

    assert asyncio.run(story())[-2:] == ["second", "third"]


class Desk:
    def __init__(self):
        self.put, self.answer = 0, asyncio.Event()

    async def __call__(self):
        self.put += 1
        await self.answer.wait()
        return f"answer {self.put}"


def test_an_identical_question_is_put_once():
    async def story():
        questions, desk = Questions(), Desk()
        asking = [asyncio.create_task(questions.ask("k", desk)) for _ in range(3)]
        await settle()
        desk.answer.set()
        answers = await asyncio.gather(*asking)
        return answers, desk.put, await questions.ask("k", desk)

    assert asyncio.run(story()) == (["answer 1"] * 3, 1, "answer 2")


@pytest.mark.parametrize("cancelled", [0, 1])
def test_a_dropped_question_is_put_by_the_next_who_asked_it(cancelled):
    async def story():
        questions, desk = Questions(), Desk()
        asking = [asyncio.create_task(questions.ask("k", desk)) for _ in range(2)]
        await settle()
        asking[cancelled].cancel()
        await settle()
        desk.answer.set()
        return await asyncio.wait_for(asking[1 - cancelled], 5), desk.put

    assert asyncio.run(story()) == ((f"answer {2 - cancelled}"), 2 - cancelled)


def test_a_dropped_question_that_waits_is_never_put():
    async def story():
        questions, desk, other = Questions(), Desk(), Desk()
        first = asyncio.create_task(questions.ask("a", desk))
        await settle()
        second = asyncio.create_task(questions.ask("b", other))
        await settle()
        second.cancel()
        await settle()
        desk.answer.set()
        return await first, other.put

    assert asyncio.run(story()) == ("answer 1", 0)
