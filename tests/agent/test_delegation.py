import asyncio
import json
from pathlib import Path

import pytest

from hermes import Agent
from hermes.agent.budget import Budget
from hermes.agent.events import Asked, CallDone, CallProgress, ChildSaid, Done
from hermes.agent.options import AgentOptions
from hermes.agent.roster import Roster
from hermes.app import agent_services, children
from hermes.base.errors import ConfigError
from hermes.llm.contract import ModelError, Reply, Usage
from hermes.llm.scripted import Scripted, call
from hermes.llm.steps import names_of
from hermes.runtime.declare import entry_attached
from hermes.services.delegation import ChildTask, Delegation
from hermes.tools import ToolContext, tool
from hermes.tools.delegation.delegate_task import delegate_task


def is_child(request):
    return "another agent has handed you" in request.messages[0].text


def goal_of(request):
    return request.messages[1].text


def rounds_of(request):
    return sum(message.role == "assistant" for message in request.messages)


def family(parent, child):
    """A model that answers as a parent or as a child, by the rounds that went before."""

    def answer(request):
        if is_child(request):
            return child(request)
        steps = parent if isinstance(parent, list) else [parent, "all done"]
        return steps[rounds_of(request)]

    return Scripted(answer)


@pytest.fixture
def parent(runtime):
    """Make an agent that may have children, on a runtime with the tool for it."""

    def make(model, *, config=None, rt=None, **choices):
        rt = rt or runtime(config=config or {})
        if rt.registry.get("delegate_task") is None:
            rt.registry.add(entry_attached(delegate_task))
        agent = Agent(rt, model, system="You are a test.", **choices)
        agent_services.provide(rt)
        rt.services.get(Roster).add(agent)
        return agent

    return make


def results(events):
    (done,) = [e for e in events if isinstance(e, CallDone) and e.name == "delegate_task"]
    answer = json.loads(done.result)
    return answer.get("results", answer)


def test_a_child_works_by_itself_and_only_its_report_comes_back(parent, play, check, world):
    def child(request):
        return [call("echo", text="deep")] if rounds_of(request) == 0 else "I saw deep."

    model = family(call("delegate_task", goal="look", context="in the cellar"), child)
    agent = parent(model)
    events = play(agent)
    (report,) = results(events)
    assert report | {"seconds": 0} == {
        "goal": "look",
        "status": "done",
        "report": "I saw deep.",
        "rounds": 2,
        "calls": 1,
        "seconds": 0,
    }
    assert world.done == ["deep"]
    assert "deep" not in json.dumps([m.text for m in agent.messages if m.role != "tool"])
    assert check(agent.messages)
    asked = next(request for request in model.requests if is_child(request))
    assert [message.role for message in asked.messages] == ["system", "user"]
    assert goal_of(asked) == "look\n\n# What you need to know\nin the cellar"


@pytest.mark.proves("delegate-progress")
def test_what_children_do_is_told_to_who_watches_the_parent(parent, play):
    def child(request):
        return f"done with {goal_of(request)}"

    model = family(call("delegate_task", tasks=[{"goal": "a"}, {"goal": "b"}]), child)
    events = play(parent(model))
    told = [event for event in events if isinstance(event, ChildSaid)]
    assert {event.goal for event in told} == {"a", "b"}
    assert len({event.child for event in told}) == 2
    ends = {event.goal: event.event.text for event in told if isinstance(event.event, Done)}
    assert ends == {"a": "done with a", "b": "done with b"}
    assert "2 of 2 parts, done" in [e.text for e in events if isinstance(e, CallProgress)]
    assert events.index(told[-1]) < events.index(
        next(e for e in events if isinstance(e, CallDone) and e.name == "delegate_task")
    )


@pytest.mark.proves("delegate-queue")
def test_three_work_at_once_and_the_others_wait_their_turn(parent, play):
    working, most = set(), []

    async def child(request):
        working.add(goal_of(request))
        most.append(len(working))
        for _ in range(20):
            await asyncio.sleep(0)
        working.discard(goal_of(request))
        return f"report {goal_of(request)}"

    tasks = [{"goal": str(number)} for number in range(10)]
    found = results(play(parent(family(call("delegate_task", tasks=tasks), child))))
    assert [one["report"] for one in found] == [f"report {number}" for number in range(10)]
    assert max(most) == 3


@pytest.mark.proves("delegate-narrowed")
def test_a_child_is_not_offered_what_is_withheld_and_cannot_call_it(parent, play, runtime, world):
    rt = runtime(config={"delegation": {"withheld": ["delegate_task", "count"]}})
    offered = []

    def child(request):
        offered.append(names_of(request))
        if rounds_of(request) == 0:
            return [call("count"), call("delegate_task", goal="more"), call("echo", text="x")]
        return " | ".join(m.text for m in request.messages if m.role == "tool")

    (report,) = results(play(parent(family(call("delegate_task", goal="g"), child), rt=rt)))
    assert "echo" in offered[0] and not {"count", "delegate_task"} & set(offered[0])
    count, delegate, echo = report["report"].split(" | ")
    assert json.loads(count)["code"] == json.loads(delegate)["code"] == "denied"
    assert "was not handed on" in json.loads(count)["error"]
    assert json.loads(echo) == {"result": "x"}
    assert world.count == 0
    assert rt.gate.judges == []


@pytest.mark.proves("delegate-narrowed")
def test_a_child_has_the_tools_that_are_named_and_no_others(parent, play):
    offered = {}

    def child(request):
        offered[goal_of(request)] = names_of(request)
        return "ok"

    tasks = [{"goal": "a", "toolsets": ["echo"]}, {"goal": "b"}]
    play(parent(family(call("delegate_task", tasks=tasks, toolsets=["echo", "fail"]), child)))
    assert offered == {"a": ["echo"], "b": ["echo", "fail"]}


@pytest.mark.parametrize(
    ("toolsets", "code"), [(["ehco"], "unknown_toolset"), (["delegate_task"], "no_tools_left")]
)
def test_tools_that_cannot_be_handed_on_are_refused_before_any_child_begins(
    parent, play, toolsets, code
):
    model = family(call("delegate_task", goal="g", toolsets=toolsets), lambda _: "never")
    assert results(play(parent(model)))["code"] == code
    assert not any(map(is_child, model.requests))


@pytest.mark.proves("delegate-dead-child")
def test_a_child_that_dies_is_an_answer_and_costs_no_other(parent, play):
    def child(request):
        match goal_of(request).split()[0]:
            case "broken":
                return ModelError("the service is down", trouble="busy")
            case "silent":
                return "  "
            case "bug":
                return RuntimeError("oops")
        return "fine"

    tasks = [{"goal": goal} for goal in ("broken", "silent", "bug", "good")]
    found = results(play(parent(family(call("delegate_task", tasks=tasks), child))))
    assert [one["status"] for one in found] == ["failed", "failed", "failed", "done"]
    assert "the service is down" in found[0]["error"]
    assert "an empty answer twice" in found[1]["error"]
    assert "oops" in found[2]["error"]


@pytest.mark.proves("delegate-dead-child")
@pytest.mark.parametrize("error", [ConfigError("no such model"), ValueError("odd")])
def test_a_child_that_cannot_be_made_is_an_answer(parent, play, error):
    def opening(name):
        raise error

    model = family(call("delegate_task", goal="g"), lambda _: "never")
    agent = parent(model, config={"delegation": {"model": "other:model"}})
    rt = agent._state.hands
    rt.services.provide(Delegation, lambda: children.family(rt, opening))
    (report,) = results(play(agent))
    assert report["status"] == "failed" and str(error) in report["error"]


def test_children_can_have_a_model_of_their_own_which_is_closed(parent, play):
    class Closing(Scripted):
        closed = 0

        async def close(self):
            Closing.closed += 1

    opened = []

    def opening(name):
        opened.append(name)
        return Closing(lambda request: f"by {name}")

    agent = parent(
        family(call("delegate_task", goal="g"), lambda _: "never"),
        config={"delegation": {"model": "other:model"}},
    )
    rt = agent._state.hands
    rt.services.provide(Delegation, lambda: children.family(rt, opening))
    assert results(play(agent))[0]["report"] == "by other:model"
    assert opened == ["other:model"] and Closing.closed == 1


@pytest.mark.proves("delegate-cancel")
def test_an_interrupt_reaches_all_children(parent, world, check):
    def child(request):
        return call("wait", who=goal_of(request))

    tasks = [{"goal": goal} for goal in ("a", "b", "c", "d")]
    agent = parent(family(call("delegate_task", tasks=tasks), child))
    rt = agent._state.hands

    async def story():
        seen = []
        async for event in agent.run("go"):
            seen.append(event)
            progress = [e for e in seen if isinstance(e, ChildSaid)]
            waiting = {e.goal for e in progress if isinstance(e.event, CallProgress)}
            if waiting == {"a", "b", "c"} and not world.cancelled:
                agent.interrupt()
                world.cancelled.append("asked")
        return seen

    events = asyncio.run(asyncio.wait_for(story(), 5))
    assert sorted(world.cancelled) == ["a", "asked", "b", "c"]
    assert events[-1].text == "all done"
    assert results(events)["code"] == "interrupted"
    assert check(agent.messages)
    assert [name for name in rt._tasks if name.startswith("child-")] == []


def test_a_child_that_takes_too_long_is_stopped(parent, play, world):
    model = family(call("delegate_task", goal="slow"), lambda _: call("wait", who="slow"))
    config = {"delegation": {"timeout_seconds": 0.05}}
    (report,) = results(play(parent(model, config=config)))
    assert report["status"] == "timeout"
    assert report["error"] == "it was stopped after 0.05 seconds"
    assert world.cancelled == ["slow"]


@pytest.mark.proves("delegate-budget")
def test_parent_and_children_share_one_budget(parent, play):
    def child(request):
        return Reply("", calls=(call("count"),), stop="calls", usage=Usage(10, 1))

    model = family(call("delegate_task", tasks=[{"goal": "a"}, {"goal": "b"}]), child)
    agent = parent(model, options=AgentOptions(rounds=12))
    events = play(agent)
    assert {one["status"] for one in results(events)} == {"budget"}
    assert events[-1].text == "all done"
    assert agent.budget.rounds_used <= 12
    assert agent.budget.tokens_used > 0


@pytest.mark.proves("delegate-budget")
def test_a_child_has_no_more_rounds_than_it_was_given(parent, play):
    model = family(
        call("delegate_task", goal="g", max_iterations=3),
        lambda request: "out of rounds" if rounds_of(request) == 2 else call("count"),
    )
    (report,) = results(play(parent(model)))
    assert (report["status"], report["rounds"], report["report"]) == ("budget", 3, "out of rounds")


def test_children_that_wait_while_the_budget_ends_are_not_begun(parent, play):
    model = family(
        call("delegate_task", tasks=[{"goal": "a"}, {"goal": "b"}]),
        lambda _: Reply("report", usage=Usage(500, 500)),
    )
    budget = Budget(tokens=1_000)
    events = play(parent(model, budget=budget, config={"delegation": {"at_once": 1}}))
    assert [one["status"] for one in results(events)] == ["done", "budget"]


@pytest.mark.proves("delegate-depth")
def test_grandchildren_are_the_last_generation(parent, play):
    generations = []

    def child(request):
        generations.append(goal_of(request))
        if rounds_of(request) == 0:
            return call("delegate_task", goal=f"{goal_of(request)}+")
        return request.messages[-1].text

    config = {"delegation": {"withheld": []}}
    events = play(parent(family(call("delegate_task", goal="1"), child), config=config))
    (report,) = results(events)
    assert "children may be 2 deep" in report["report"]
    assert set(generations) == {"1", "1+"}
    deep = [e.event for e in events if isinstance(e, ChildSaid) and isinstance(e.event, ChildSaid)]
    assert {event.goal for event in deep} == {"1+"}


@pytest.mark.proves("delegate-approvals")
@pytest.mark.parametrize("mode", ["ask", "off"])
def test_what_a_child_needs_a_yes_for_is_asked_of_the_person(runtime, parent, play, world, mode):
    asked = []

    async def person(request):
        asked.append(request.task_id)
        return "once"

    rt = runtime(
        profile={"allow": ["*"], "approval_required": ["database:write"]},
        approver=person,
        config={"approvals": {"mode": mode}},
    )

    def child(request):
        return call("store", text="x") if rounds_of(request) == 0 else "stored"

    agent = parent(family(call("delegate_task", goal="g"), child), rt=rt)
    events = play(agent)
    assert results(events)[0]["report"] == "stored" and world.done == ["x"]
    assert len(asked) == 1 and asked[0] != agent.task_id
    questions = [e.event for e in events if isinstance(e, ChildSaid) and isinstance(e.event, Asked)]
    assert [question.answer for question in questions] == [None, "once"]


@pytest.mark.proves("delegate-approvals")
@pytest.mark.parametrize("config", [{}, {"approvals": {"mode": "off"}}])
def test_with_nobody_to_ask_a_child_is_denied(runtime, parent, play, world, config):
    rt = runtime(profile={"allow": ["*"], "approval_required": ["database:write"]}, config=config)
    deny_what_a_child_asks(rt, parent, play, world)


@pytest.mark.proves("delegate-approvals")
def test_children_can_be_denied_without_asking(runtime, parent, play, world):
    async def person(request):
        raise AssertionError("nobody should be asked")

    rt = runtime(
        profile={"allow": ["*"], "approval_required": ["database:write"]},
        approver=person,
        config={"delegation": {"approvals": "deny"}},
    )
    deny_what_a_child_asks(rt, parent, play, world)
    assert rt.gate.approvals.children == {}


def deny_what_a_child_asks(rt, parent, play, world):
    def child(request):
        return call("store", text="x") if rounds_of(request) == 0 else request.messages[-1].text

    (report,) = results(play(parent(family(call("delegate_task", goal="g"), child), rt=rt)))
    assert json.loads(report["report"])["code"] == "denied"
    assert world.done == []


def test_a_child_has_a_task_of_its_own_in_its_parents_folder(runtime, parent, play, tmp_path):
    rt = runtime()
    (tmp_path / "sub").mkdir()
    seen = []

    @tool(registry=rt.registry, toolset="test", effects="read")
    def here(ctx: ToolContext) -> str:
        """Say where this is."""
        seen.append((ctx.task_id, ctx.cwd, ctx.workspace, ctx.user_task))
        ctx.task.cwd = Path("/")
        return "here"

    def child(request):
        return call("here") if rounds_of(request) == 0 else "ok"

    agent = parent(
        family(call("delegate_task", tasks=[{"goal": "a"}, {"goal": "b"}]), child), rt=rt
    )
    rt.task(agent.task_id).cwd = tmp_path / "sub"
    play(agent)
    assert [(cwd, root, goal) for _, cwd, root, goal in sorted(seen, key=lambda s: s[3])] == [
        (tmp_path / "sub", str(tmp_path), "a"),
        (tmp_path / "sub", str(tmp_path), "b"),
    ]
    assert len({task for task, *_ in seen} | {agent.task_id}) == 3
    assert rt.task(agent.task_id).cwd == tmp_path / "sub"


def test_a_long_report_is_cut(parent, play):
    model = family(call("delegate_task", goal="g"), lambda _: "x" * 50_000)
    (report,) = results(play(parent(model)))
    assert 8_000 <= len(report["report"]) < 8_100
    assert "42,000 characters left out" in report["report"]


def test_two_agents_of_a_runtime_have_their_own_children(parent, play, runtime):
    rt = runtime()
    first = parent(family(call("delegate_task", goal="g"), lambda _: "first"), rt=rt)
    second = parent(family(call("delegate_task", goal="g"), lambda _: "second"), rt=rt)
    assert results(play(first))[0]["report"] == "first"
    assert results(play(second))[0]["report"] == "second"


def test_a_task_without_an_agent_has_no_children(parent, runtime):
    rt = runtime()
    agent = parent(Scripted([]), rt=rt)
    answer = json.loads(rt.call_sync("delegate_task", {"goal": "g"}, "another"))
    assert answer["code"] == "service_missing"
    asyncio.run(agent.close())
    answer = json.loads(rt.call_sync("delegate_task", {"goal": "g"}, agent.task_id))
    assert answer["code"] == "service_missing"


def test_no_parts_are_no_work(parent, runtime):
    rt = runtime()
    agent = parent(Scripted([]), rt=rt)
    ctx = ToolContext(rt.task(agent.task_id), "c", rt.services)
    assert asyncio.run(rt.services.get(Delegation).run(ctx, [])) == []
    assert ChildTask("g").toolsets is None


def test_every_turn_can_be_run_by_a_loop_of_its_own(parent, play):
    tasks = [{"goal": str(number)} for number in range(6)]
    delegate = call("delegate_task", tasks=tasks)

    async def child(request):
        await asyncio.sleep(0)
        return "ok"

    def answer(request):
        if is_child(request):
            return child(request)
        return "done" if request.messages[-1].role == "tool" else delegate

    agent = parent(Scripted(answer))
    for _ in range(2):
        assert [one["status"] for one in results(play(agent))] == ["done"] * 6
