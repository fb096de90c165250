import asyncio
import json

import pytest

from hermes import Runtime
from hermes.agent.delegation import IDENTITY
from hermes.agent.options import AgentOptions
from hermes.base.errors import HermesError
from hermes.llm.contract import Reply, Usage
from hermes.llm.scripted import Expected, Scripted, Step, call
from hermes.runtime.declare import entry_of
from hermes.services.sessions import Sessions


@pytest.fixture
def runtime(tmp_path, hermes_home):
    """A runtime with all tools, in a folder of its own."""
    folder = tmp_path / "work"
    folder.mkdir()
    made = []

    def make(**options):
        made.append(Runtime(cwd=folder, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def run(coroutine):
    async def bounded():
        async with asyncio.timeout(20):
            return await coroutine

    return asyncio.run(bounded())


def test_an_agent_of_a_runtime_plans_and_remembers(runtime, hermes_home):
    rt = runtime()
    steps = [
        [
            call("todo", todos=[{"content": "write it", "status": "pending"}]),
            call("memory", action="add", content="The tests run with ./test."),
        ],
        "done",
    ]
    one = rt.agent(Scripted(steps))
    run(one.ask("go"))
    answers = [json.loads(m.text) for m in one.messages if m.role == "tool"]
    assert not [answer for answer in answers if "error" in answer]
    assert "./test" in (hermes_home / "MEMORY.md").read_text()


@pytest.mark.proves("agent-prompt")
def test_what_is_remembered_during_a_session_changes_the_next_prompt_and_not_this_one(
    runtime, hermes_home
):
    (hermes_home / "MEMORY.md").write_text("Use tabs.\n", encoding="utf-8")
    rt = runtime()
    model = Scripted([call("memory", action="add", content="Use spaces."), "noted", "again"])
    one = rt.agent(model)

    async def twice():
        await one.ask("remember that")
        await one.ask("and now?")

    run(twice())
    prompts = {request.messages[0].text for request in model.requests}
    assert len(prompts) == 1
    assert "Use tabs." in model.requests[0].messages[0].text
    assert "Use spaces." not in model.requests[0].messages[0].text
    assert "Use spaces." in rt.agent(Scripted([])).messages[0].text


@pytest.mark.proves("agent-prompt")
def test_the_prefix_of_every_question_is_what_the_one_before_ended_with(runtime):
    rt = runtime()
    model = Scripted([call("system_info"), call("directory_list"), "done", "bye"])
    one = rt.agent(model)

    async def twice():
        await one.ask("look")
        await one.ask("thanks")

    run(twice())
    for before, after in zip(model.requests, model.requests[1:], strict=False):
        assert after.messages[: len(before.messages)] == before.messages
        assert after.definitions == before.definitions


def test_a_session_is_recorded_and_resumed(runtime):
    rt = runtime()
    one = rt.agent(Scripted([call("directory_list"), "an empty folder"]))
    assert one.session_id == ""
    run(one.ask("what is here?"))
    again = rt.agent(Scripted([Step("yes", Expected(said=("sure?",)))]), session=one.session_id)
    assert again.messages[1:] == one.messages[1:]
    assert run(again.ask("sure?")) == "yes"
    facts = rt.services.get(Sessions).facts(one.session_id)
    assert (facts.messages, facts.calls, facts.model) == (6, 1, "scripted:test")


def test_a_session_that_was_compacted_resumes_compacted(runtime):
    rt = runtime()

    def answer(request):
        if request.messages[0].text.startswith("You write the handover"):
            return "## Goals\nCount everything that there is to count."
        return "word " * 300

    one = rt.agent(Scripted(answer, window=60_000))

    async def long():
        for number in range(12):
            await one.ask(f"question {number}")
        return await one.compact()

    assert "replaced by a summary" in run(long())
    again = rt.agent(Scripted([]), session=one.session_id)
    assert again.messages[1:] == one.messages[1:]
    assert "Count everything" in again.messages[1].text
    assert len(again.messages) < 20


def test_a_session_that_is_not_there_is_told(runtime):
    with pytest.raises(HermesError, match="no such"):
        runtime().agent(Scripted([]), session="no such session")


@pytest.mark.parametrize("off", ["by choice", "by setting"])
def test_an_agent_need_not_be_recorded(runtime, off):
    rt = runtime(config={"agent": {"record": False}} if off == "by setting" else None)
    one = rt.agent(Scripted(["hi"]), **({"session": False} if off == "by choice" else {}))
    run(one.ask("hello"))
    assert one.session_id == ""
    assert rt.services.get(Sessions).list() == ()


def test_settings_set_the_limits(runtime):
    rt = runtime(config={"agent": {"max_rounds": 3, "max_tokens": 99}})
    one = rt.agent(Scripted([]))
    assert (one.budget.rounds, one.budget.tokens) == (3, 99)
    other = rt.agent(Scripted([]), options=AgentOptions(rounds=7))
    assert other.budget.rounds == 7


def test_open_todos_are_part_of_a_handover(runtime):
    rt = runtime()
    todos = [{"content": "ship it", "status": "pending"}, {"content": "old", "status": "completed"}]

    def answer(request):
        if request.messages[0].text.startswith("You write the handover"):
            return "## Goals\nShip the thing that has been worked on."
        if len(request.messages) < 4:
            return call("todo", todos=todos)
        return "word " * 200

    one = rt.agent(Scripted(answer))

    async def turns():
        for number in range(8):
            await one.ask(f"go {number} " * 50)
        await one.compact()

    run(turns())
    assert "## Open todos\n- [pending] ship it" in one.messages[1].text
    assert "old" not in one.messages[1].text.rpartition("## Open todos")[2]


def test_another_model_takes_over_and_the_session_knows(runtime):
    rt = runtime()
    one = rt.agent(Scripted(["hi"]))
    one.model = Scripted(["hello"], name="scripted:other")
    assert run(one.ask("hi")) == "hello"
    assert rt.services.get(Sessions).facts(one.session_id).model == "scripted:other"


def cost(input):
    return Usage(input, 1, dollars=1.0)


def test_what_children_other_models_and_lost_answers_cost_is_counted(runtime):
    def answer(request):
        if request.messages[0].text.startswith(IDENTITY[:40]):
            return Reply("the report", usage=cost(100))
        if len(request.messages) == 1:
            return Reply("an opinion", usage=cost(10))
        return Reply("the sum of them", usage=cost(1_000))

    model = Scripted(
        [
            Reply("", calls=(call("delegate_task", goal="a part"),), usage=cost(1)),
            answer,
            Reply("", calls=(call("mixture_of_agents", prompt="why?"),), usage=cost(1)),
            *[answer] * 4,
            Reply(" ", usage=cost(10_000)),
            Reply("done", usage=cost(1)),
        ]
    )
    rt = runtime()
    one = rt.agent(model)
    assert run(one.ask("go")) == "done"
    assert (one.usage.input, one.usage.dollars) == (11_133, 9.0)
    assert one.budget.tokens_used == 11_133 + 9
    sessions = rt.services.get(Sessions)
    kept = {facts.kind: facts.input for facts in sessions.list(children=True)}
    assert kept == {"chat": 11_033, "child": 100}


def test_a_model_cannot_have_files_read_as_the_script_of_another(runtime, tmp_path):
    (tmp_path / "private.yaml").write_text("- the combination is 1234\n", encoding="utf-8")
    name = f"scripted:{tmp_path}/private.yaml"
    asked = call("mixture_of_agents", prompt="?", models=[name], aggregator=name)
    one = runtime().agent(Scripted([asked, "done"]))
    run(one.ask("go"))
    (answer,) = [message.text for message in one.messages if message.role == "tool"]
    assert "1234" not in answer
    assert "settings" in answer


def test_a_model_is_opened_by_its_name(runtime, tmp_path):
    script = tmp_path / "script.yaml"
    script.write_text("steps:\n  - hello from a file\n", encoding="utf-8")
    rt = runtime()
    one = rt.agent(f"scripted:{script}")
    assert run(one.ask("hi")) == "hello from a file"


@pytest.mark.proves("agent-apart")
def test_agents_on_one_runtime_have_folders_todos_and_sessions_of_their_own(runtime):
    rt = runtime()
    first = rt.agent(
        Scripted([call("terminal", command="mkdir -p a; cd a"), call("todo", todos=[]), "one"])
    )
    second = rt.agent(Scripted([call("terminal", command="pwd"), "two"]))

    async def both():
        await first.ask("1")
        await second.ask("2")

    run(both())
    assert rt.task(first.task_id).cwd != rt.task(second.task_id).cwd
    answer = next(m.text for m in second.messages if m.role == "tool")
    assert "/work" in answer
    assert "/work/a" not in answer
    assert first.session_id != second.session_id


def test_a_closed_agent_leaves_nothing_behind_in_its_runtime(runtime):
    rt = runtime()
    one = rt.agent(Scripted([call("todo", todos=[{"content": "x"}]), "ok"]))

    async def go():
        await one.ask("x")
        await one.close()

    run(go())
    from hermes.services.todo import Todos

    assert rt.services.get(Todos).read(one.task_id) == ()
    assert one.task_id not in rt._tasks


def test_pictures_of_the_workspace_are_shown_to_the_model(tmp_path, hermes_home):
    from hermes.runtime.registry import ToolRegistry
    from hermes.tools import ToolResult, image

    png = b"\x89PNG\r\n\x1a\n" + b"x" * 9_000
    (tmp_path / "p.png").write_bytes(png)
    registry = ToolRegistry()
    registry.add(
        entry_of(
            lambda: ToolResult(parts=(image(tmp_path / "p.png"), image(data=png))),
            name="picture",
            description="Show a picture.",
        )
    )
    with Runtime(registry=registry, cwd=tmp_path) as rt:
        model = Scripted([call("picture"), "nice"])
        run(rt.agent(model).ask("show"))
    media = model.requests[1].messages[-1].media
    assert [(one.kind, one.type) for one in media] == [("image", "image/png")] * 2
