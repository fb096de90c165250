import asyncio
import base64
import json

import pytest

from hermes import Runtime
from hermes.base.optional import load
from hermes.llm.scripted import Scripted, call
from hermes.runtime.declare import entry_of
from hermes.runtime.registry import ToolRegistry
from hermes.services.todo import Todos
from hermes.tools import ToolResult, image


def answers(agent):
    return [json.loads(message.text) for message in agent.messages if message.role == "tool"]


def play(rt, steps, **choices):
    async def story():
        agent = rt.agent(Scripted(steps), **choices)
        async with asyncio.timeout(20):
            async for _ in agent.run("go"):
                pass
        found = answers(agent)
        await agent.close()
        return found

    return asyncio.run(story())


@pytest.fixture
def rt(tmp_path):
    with Runtime(cwd=tmp_path) as made:
        yield made


def test_an_agent_plans_remembers_and_asks(rt, hermes_home):
    steps = [
        call("todo", todos=[{"content": "a"}]),
        call("memory", content="Likes tea.", target="user"),
        call("clarify", question="Which?"),
        "done",
    ]
    todo, memory, clarify = play(rt, steps)
    assert todo["summary"] == {"total": 1, "pending": 1}
    assert memory["usage"] == "0 % full, 10 of 2,000 characters"
    assert (hermes_home / "USER.md").read_text() == "Likes tea.\n"
    assert clarify["answered_by"] == "policy"


def test_a_child_sees_the_pictures_that_its_tools_give_by_path(tmp_path, hermes_home):
    for place in (tmp_path / "ws", hermes_home / "results", tmp_path / "elsewhere"):
        place.mkdir(parents=True)
        (place / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n" + place.name.encode() + b"x" * 9_000)
    seen = []

    def pictures():
        places = (tmp_path / "ws", hermes_home / "results", tmp_path / "elsewhere")
        return ToolResult(parts=tuple(image(place / "p.png") for place in places))

    def answer(request):
        is_child = "another agent has handed you" in request.messages[0].text
        if request.messages[-1].role != "tool":
            return call("picture") if is_child else call("delegate_task", goal="look")
        seen.extend(base64.b64decode(one.data)[8:15] for one in request.messages[-1].media)
        return "done"

    registry = ToolRegistry()
    registry.add(entry_of(pictures, name="picture", description="Show pictures."))
    with Runtime(cwd=tmp_path) as whole:
        registry.add(whole.registry.get("delegate_task"))
    with Runtime(cwd=tmp_path / "ws", registry=registry) as rt:
        play(rt, answer)
    assert seen == [b"wsxxxxx", b"results"]


def test_an_agent_hands_work_to_a_child_that_has_none_of_that(rt):
    def answer(request):
        said = [message for message in request.messages if message.role == "assistant"]
        offered = sorted(one["function"]["name"] for one in request.definitions)
        if "another agent has handed you" in request.messages[0].text:
            return " ".join(offered)
        return "done" if said else call("delegate_task", goal="say what you have")

    (answer,) = play(rt, answer)
    names = set(answer["results"][0]["report"].split())
    assert {"read_file", "terminal", "todo"} <= names
    assert not {"delegate_task", "clarify", "memory"} & names


def test_two_agents_of_a_runtime_have_lists_of_their_own(rt):
    first, second = rt.agent(Scripted([])), rt.agent(Scripted([]))
    todos = rt.services.get(Todos)
    todos.write(first.task_id, [{"content": "a"}])
    assert todos.read(second.task_id) == ()
    asyncio.run(first.close())
    assert todos.read(first.task_id) == ()


def test_what_a_program_provides_itself_stays(rt):
    own = Todos()
    rt.services.provide(Todos, lambda: own)
    rt.agent(Scripted([]))
    assert rt.services.get(Todos) is own


def test_the_room_for_what_is_remembered_is_a_setting(tmp_path):
    with Runtime(cwd=tmp_path, config={"memory.memory_chars": 200}) as rt:
        (answer,) = play(rt, [call("memory", content="x" * 300), "done"])
    assert answer["code"] == "memory_full"


def test_the_conversation_of_a_child_is_kept_beside_its_parents(rt):
    def answer(request):
        if "another agent has handed you" in request.messages[0].text:
            return "my report"
        done = request.messages[-1].role == "tool"
        return "done" if done else call("delegate_task", goal="look around")

    play(rt, answer)
    sessions = rt.services.get(load("hermes.services.sessions").Sessions)
    (parent,) = sessions.list()
    (child,) = [one for one in sessions.list(children=True) if one.id != parent.id]
    said = [message.text for message in sessions.resume(child.id).messages()]
    assert said[-2:] == ["look around", "my report"]
    assert sessions.facts(child.id).parent == parent.id


def test_what_is_remembered_is_in_the_prompt_as_it_was_when_the_session_began(rt, hermes_home):
    (hermes_home / "MEMORY.md").write_text("Tea is in the cupboard.")
    model = Scripted([call("memory", content="Coffee is out."), "done", "bye"])

    async def story():
        agent = rt.agent(model)
        await agent.ask("one")
        await agent.ask("two")
        await agent.close()

    asyncio.run(story())
    prompts = {request.messages[0].text for request in model.requests}
    assert len(prompts) == 1
    assert "Tea is in the cupboard." in prompts.pop()
    assert "Coffee is out." in (hermes_home / "MEMORY.md").read_text()


def test_a_resumed_session_goes_on_with_its_plan(tmp_path):
    with Runtime(cwd=tmp_path) as rt:
        play(rt, [call("todo", todos=[{"content": "a"}, {"content": "b"}]), "done"])
        (session,) = rt.services.get(load("hermes.services.sessions").Sessions).list()
    with Runtime(cwd=tmp_path) as rt:
        merged = call("todo", todos=[{"id": "1", "status": "completed"}], merge=True)
        found = play(rt, [merged, "done"], session=session.id)[-1]
    assert [one["status"] for one in found["todos"]] == ["completed", "pending"]


def test_children_have_shells_of_their_own(tmp_path):
    def answer(request):
        rounds = sum(message.role == "assistant" for message in request.messages)
        if "another agent has handed you" not in request.messages[0].text:
            tasks = [{"goal": "a"}, {"goal": "b"}]
            steps = [call("delegate_task", tasks=tasks), call("terminal", command="pwd"), "done"]
            return steps[rounds]
        goal = request.messages[1].text
        steps = [
            call("terminal", command=f"mkdir {goal} && cd {goal} && export WHO={goal}"),
            call("terminal", command="echo $WHO in $(pwd)"),
            request.messages[-1].text,
        ]
        return steps[rounds]

    with Runtime(cwd=tmp_path, profile="trusted") as rt:
        delegated, here = play(rt, answer)
        reports = [json.loads(one["report"])["stdout"] for one in delegated["results"]]
    assert reports == [f"a in {tmp_path}/a\n", f"b in {tmp_path}/b\n"]
    assert here["stdout"] == f"{tmp_path}\n"
