import asyncio
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hermes import Runtime
from hermes.llm.scripted import Scripted
from hermes.services.sessions import Sessions

CHILD = Path(__file__).with_name("agent_child.py")


def killed_after(lines, session, marks):
    """Let a child work, kill it, and return what it said before: kind, session, id, result."""
    child = subprocess.Popen(
        [sys.executable, str(CHILD), session, str(marks)], stdout=subprocess.PIPE, text=True
    )
    said = [child.stdout.readline() for _ in range(lines)]
    child.send_signal(signal.SIGKILL)
    said += child.stdout.readlines()
    child.wait(10)
    child.stdout.close()
    return [line.rstrip("\n").split(" ", 3) for line in said if line.endswith("\n")]


def check(messages):
    waiting = []
    for message in messages:
        if message.role == "tool":
            assert waiting.pop(0) == message.call_id
            continue
        assert waiting == []
        waiting = [call.id for call in message.calls]
    assert waiting == []


@pytest.mark.proves("agent-resume")
@pytest.mark.proves("agent-valid")
@pytest.mark.parametrize("seed", range(4))
def test_a_killed_session_resumes_with_all_that_was_acknowledged(hermes_home, tmp_path, seed):
    chance = random.Random(seed)
    session = ""
    acknowledged = {}
    for _ in range(2):
        said = killed_after(chance.randrange(2, 40), session, tmp_path / "marks")
        session = said[0][1]
        acknowledged |= {id_: result for kind, _, id_, result in said if kind == "done"}
        asked = {id_ for kind, _, id_, _ in said if kind == "asked"}
        with Runtime() as runtime:
            kept = runtime.services
            model = Scripted(["I see where we are"])
            agent = runtime.agent(model, session=session)
            before = agent.messages
            assert asyncio.run(agent.ask("go on")) == "I see where we are"
            assert kept.get(Sessions).facts(session).id == session
        check(model.requests[0].messages)
        answers = {m.call_id: m.text for m in before if m.role == "tool"}
        assert asked <= answers.keys()
        assert {id_: answers[id_] for id_ in acknowledged} == acknowledged
        cut_off = [text for id_, text in answers.items() if id_ not in acknowledged]
        assert all("maybe_done" in text or "ed " in text for text in cut_off)
