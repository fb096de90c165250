import asyncio
from contextlib import asynccontextmanager

import pytest

from hermes.mcp.definitions import ServerDefinitions
from hermes.mcp.faults import Answered, Lost, Unreachable
from hermes.mcp.supervisor import Patience, Supervisor, Tie

QUICK = Patience(first_seconds=0.001, probe_seconds=60, stable_seconds=60, quiet_seconds=0.001)


class Link:
    """A connection as a supervisor sees it."""

    def __init__(self):
        self.is_lost = False
        self.is_direct = False
        self.reason = ""
        self.listed = 0

    async def definitions(self):
        self.listed += 1
        return ServerDefinitions()

    async def follow(self, on_change):
        await asyncio.Event().wait()


class World:
    """A server that fails as often as it is told to."""

    def __init__(self, fails=(), patience=QUICK):
        self.fails = list(fails)
        self.links, self.learnt, self.notes, self.closed = [], 0, [], 0
        self.modes = []
        tie = Tie(self.opened, self.learn, self.notes.append, 1.0)
        self.supervisor = Supervisor("s", tie, patience)

    @asynccontextmanager
    async def opened(self, supervisor):
        self.modes.append("older" if supervisor.is_legacy else "newer")
        if self.fails and (fault := self.fails.pop(0)) is not None:
            raise fault
        link = Link()
        self.links.append(link)
        try:
            yield link
        finally:
            self.closed += 1

    async def learn(self, definitions):
        self.learnt += 1

    def lose(self, reason="it died"):
        self.links[-1].reason = reason
        self.supervisor.lost()


async def answer(link):
    return "answer"


def run(scenario):
    async def bounded():
        async with asyncio.timeout(5):
            await scenario()

    asyncio.run(bounded())


def test_one_connection_serves_all_who_wait():
    async def scenario():
        world = World()
        asked = [world.supervisor.ask(answer, is_idempotent=False) for _ in range(10)]
        assert await asyncio.gather(*asked) == ["answer"] * 10
        assert (len(world.links), world.learnt) == (1, 1)
        await world.supervisor.close()
        assert world.closed == 1

    run(scenario)


def test_whoever_waits_is_told_why_there_is_no_connection():
    async def scenario():
        world = World([Unreachable("no such program", is_lasting=True)] * 2)
        for _ in range(2):
            with pytest.raises(Unreachable, match="no such program"):
                await world.supervisor.ready()
        assert await world.supervisor.ask(answer, is_idempotent=False) == "answer"
        assert world.notes == ["no such program", "no such program", ""]
        await world.supervisor.close()

    run(scenario)


def test_what_fails_in_passing_is_tried_again_without_being_asked():
    async def scenario():
        world = World([Unreachable("away")] * 3)
        with pytest.raises(Unreachable):
            await world.supervisor.ready()
        while not world.supervisor.is_connected:
            await asyncio.sleep(0.001)
        assert len(world.modes) == 4
        await world.supervisor.close()

    run(scenario)


def test_a_server_that_fails_five_times_is_parked_and_answers_at_once():
    async def scenario():
        world = World([Unreachable("away", hint="Start it.")] * 100)
        with pytest.raises(Unreachable):
            await world.supervisor.ready()
        while not world.supervisor.is_parked:
            await asyncio.sleep(0.001)
        with pytest.raises(Unreachable, match="left alone; the next attempt is in 60") as caught:
            await world.supervisor.ready()
        assert caught.value.hint == "Start it."
        assert len(world.modes) == 5
        await world.supervisor.close()

    run(scenario)


def test_a_parked_server_is_probed():
    async def scenario():
        world = World([Unreachable("away")] * 6, QUICK._replace(probe_seconds=0.01))
        with pytest.raises(Unreachable):
            await world.supervisor.ready()
        while not world.supervisor.is_connected:
            await asyncio.sleep(0.001)
        assert len(world.modes) == 7
        await world.supervisor.close()

    run(scenario)


def test_a_connection_that_breaks_is_made_anew():
    async def scenario():
        world = World()
        await world.supervisor.ready()
        world.lose()
        await world.supervisor.ask(answer, is_idempotent=False)
        assert len(world.links) == 2
        await world.supervisor.close()

    run(scenario)


@pytest.mark.parametrize("is_idempotent", [True, False])
def test_what_a_crash_lost_is_asked_again_only_if_that_is_safe(is_idempotent):
    async def scenario():
        world = World()
        asked = []

        async def work(link):
            asked.append(link)
            if len(asked) == 1:
                world.lose("it ended with exit code 3")
                raise Lost("the connection closed")
            return "second"

        asking = world.supervisor.ask(work, is_idempotent=is_idempotent)
        if is_idempotent:
            assert await asking == "second"
            assert asked[0] is not asked[1]
        else:
            with pytest.raises(Lost, match="exit code 3"):
                await asking
            assert len(asked) == 1
        await world.supervisor.close()

    run(scenario)


def test_an_error_that_is_an_answer_marks_nothing_as_down():
    async def scenario():
        world = World()

        async def refused(link):
            raise Answered(-32000, "not found")

        for _ in range(20):
            with pytest.raises(Answered):
                await world.supervisor.ask(refused, is_idempotent=False)
        assert len(world.links) == 1
        assert not world.supervisor.is_parked
        await world.supervisor.close()

    run(scenario)


def test_a_server_that_ends_when_asked_in_new_words_is_asked_in_old_ones():
    async def scenario():
        world = World([Unreachable("it ended", may_be_old=True)])
        await world.supervisor.ready()
        assert world.modes == ["newer", "older"]
        await world.supervisor.close()

    run(scenario)


def test_changes_are_followed_and_many_at_once_are_one():
    async def scenario():
        world = World()
        await world.supervisor.ready()
        for _ in range(100):
            world.supervisor.changed()
        while world.learnt < 2:
            await asyncio.sleep(0.001)
        assert world.learnt == 2
        await world.supervisor.close()

    run(scenario)


def test_closing_ends_the_connection_and_tells_whoever_waits():
    async def scenario():
        hanging = asyncio.Event()

        class Slow(World):
            async def learn(self, definitions):
                await hanging.wait()

        world = Slow()
        waiting = asyncio.ensure_future(world.supervisor.ready())
        while not world.links:
            await asyncio.sleep(0.001)
        closing = asyncio.ensure_future(world.supervisor.close(seconds=0.05))
        with pytest.raises(Unreachable, match="closing"):
            await waiting
        await closing
        assert world.closed == 1
        with pytest.raises(Unreachable, match="closing"):
            await world.supervisor.ready()

    run(scenario)


def test_a_connection_that_takes_too_long_is_given_up():
    async def scenario():
        class Slow(World):
            async def learn(self, definitions):
                await asyncio.Event().wait()

        world = Slow()
        world.supervisor._tie = world.supervisor._tie._replace(connect_seconds=0.02)
        with pytest.raises(Unreachable, match=r"did not answer within 0.02 seconds"):
            await world.supervisor.ready()
        assert world.closed == 1
        await world.supervisor.close()

    run(scenario)
