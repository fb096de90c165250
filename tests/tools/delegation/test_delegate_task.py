import json

import pytest

from hermes import Runtime
from hermes.services.delegation import ChildResult, ChildTask, Delegation


class Recording(Delegation):
    def __init__(self):
        self.tasks = None

    async def run(self, caller, tasks):
        self.tasks = list(tasks)
        return [ChildResult("c", task.goal, "done", "report") for task in tasks]


@pytest.fixture
def called(tmp_path):
    def call(**args):
        service = Recording()
        with Runtime(cwd=tmp_path, toolsets=["delegation"]) as rt:
            rt.services.provide(Delegation, lambda: service)
            return json.loads(rt.call_sync("delegate_task", args, "t")), service.tasks

    return call


def test_one_goal_is_one_part(called):
    answer, tasks = called(goal=" g ", context="c", toolsets=["file"], max_iterations=7)
    assert tasks == [ChildTask("g", "c", ("file",), 7)]
    assert answer == {
        "results": [
            {
                "goal": "g",
                "status": "done",
                "report": "report",
                "rounds": 0,
                "calls": 0,
                "seconds": 0.0,
            }
        ]
    }


def test_parts_share_goal_and_context_and_may_have_their_own(called):
    parts = [{"goal": "a"}, {"goal": "b", "context": "own", "toolsets": ["web"]}]
    _, tasks = called(goal="all", context="shared", tasks=parts, toolsets=["file"])
    assert tasks == [
        ChildTask("a", "It is a part of this: all\n\nshared", ("file",)),
        ChildTask("b", "It is a part of this: all\n\nshared\n\nown", ("web",)),
    ]


@pytest.mark.parametrize("args", [{}, {"goal": " "}, {"tasks": [{"goal": ""}]}, {"tasks": []}])
def test_without_a_goal_nothing_is_done(called, args):
    answer, tasks = called(**args)
    assert answer["code"] == "invalid_arguments" and tasks is None


def test_a_long_goal_is_not_repeated_in_full(called):
    answer, _ = called(goal="g" * 500)
    assert answer["results"][0]["goal"] == "g" * 120 + "…"
