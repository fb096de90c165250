"""The walk of one call: what it promises, whatever the tools, hooks and callers do."""

import asyncio
import json
import threading

import pytest

from hermes.runtime.declare import entry_of
from hermes.runtime.hooks import Block
from hermes.tools import ToolError

doors = pytest.mark.parametrize("door", ["sync", "async", "many"])


def call(rt, name, args=None, *, door, **options):
    """The answer of one call by any of the three doors."""
    if door == "sync":
        return json.loads(rt.call_sync(name, args, **options))
    if door == "async":
        return json.loads(asyncio.run(rt.call(name, args, **options)))
    asked = {"tool_calls": [{"id": "1", "name": name, "arguments": {} if args is None else args}]}
    (answer,) = rt.call_many_sync(asked, **options)
    return json.loads(answer["content"])


STOPS = {
    "unknown": ("acct", {"n": 1}, {}, "unknown_tool"),
    "misfit": ("act", {"n": "many"}, {}, "invalid_arguments"),
    "malformed": ("act", '{"n": 1', {}, "malformed_arguments"),
    "hook": ("act", {"n": 1}, {}, "denied"),
    "profile": ("act", {"n": 1}, {"profile": {}}, "denied"),
    "nobody to ask": ("act", {"n": 1}, {"profile": {"approval_required": ["*"]}}, "denied"),
    "toolset": ("act", {"n": 1}, {"toolsets": ["other"]}, "not_offered"),
    "unavailable": ("gone", {}, {}, "unavailable"),
}


@doors
@pytest.mark.parametrize("why", STOPS)
@pytest.mark.proves("call-no-effect-before-run")
def test_a_call_that_is_stopped_has_no_effect_and_leaves_no_intent(
    registry, runtime, tmp_path, door, why
):
    name, args, options, code = STOPS[why]

    def act(n: int):
        (tmp_path / "effect").write_text("happened")

    registry.add(entry_of(act, toolset="acting", permissions=["x:write"]))
    registry.add(entry_of(act, name="gone", toolset="acting", requires_env=["NOT_SET_HERE"]))
    registry.add(entry_of(lambda: 1, name="else", toolset="other"))
    rt = runtime(**options)
    if why == "hook":
        rt.hooks.add("pre_tool_call", lambda: Block("no"))
    assert call(rt, name, args, door=door)["code"] == code
    assert not (tmp_path / "effect").exists()
    assert rt.journal.unfinished() == []
    (entry,) = rt.journal.entries()
    assert entry.outcome == code
    assert rt.journal.verify().rows == 1


@doors
@pytest.mark.proves("call-any-json")
@pytest.mark.parametrize("broken", ["effects", "permissions", "paths"])
def test_a_tool_whose_own_rules_break_is_answered_and_does_not_run(registry, runtime, door, broken):
    ran = []

    def act(n: int = 0, path: list | None = None):
        ran.append(n)

    rules = {
        "effects": {"effects": lambda args: 1 / 0},
        "permissions": {"permissions": lambda args: 1 / 0, "effects": "write"},
        "paths": {"effects": "write", "paths": ["path"]},
    }
    registry.add(entry_of(act, **rules[broken]))
    registry.add(entry_of(lambda: "well", name="other", effects="read"))
    rt = runtime(profile={"allow": ["*"]})
    args = {"path": ["a\0b", "c"]} if broken == "paths" else {}
    answer = call(rt, "act", args, door=door)
    assert broken == "paths" or ("error" in answer and ran == [])
    if door == "many":
        calls = [{"id": "1", "name": "act", "arguments": args}, {"id": "2", "name": "other"}]
        assert json.loads(rt.call_many_sync(calls)[1]["content"]) == {"result": "well"}


@pytest.mark.proves("call-judged-is-run")
@pytest.mark.parametrize("moment", ["before hook", "waiting for a person"])
def test_a_caller_that_changes_its_dict_meanwhile_changes_nothing(registry, runtime, moment):
    ran, entered, go_on = [], threading.Event(), threading.Event()

    def act(path: str, lines: list[str]):
        ran.append((path, list(lines)))

    async def pause(**_):
        entered.set()
        while not go_on.is_set():
            await asyncio.sleep(0)

    async def person(request):
        if moment != "before hook":
            await pause()
        return "once"

    registry.add(entry_of(act, permissions=["x:write"]))
    rt = runtime(profile={"approval_required": ["*"]}, approver=person)
    if moment == "before hook":
        rt.hooks.add("pre_tool_call", pause)
    given = {"path": "a", "lines": ["x"]}

    async def scene():
        pending = asyncio.ensure_future(rt.call("act", given))
        while not entered.is_set():
            await asyncio.sleep(0)
        given["path"] = "/etc/passwd"
        given["lines"].append("root")
        go_on.set()
        return json.loads(await pending)

    assert "error" not in asyncio.run(scene())
    assert ran == [("a", ["x"])]


@doors
def test_the_presets_of_an_alias_hold_however_the_arguments_come(registry, runtime, door):
    def remove(path: str, dry_run: bool = False):
        return {"path": path, "dry_run": dry_run}

    alias = {"name": "try_remove", "preset": {"dry_run": True}, "rename": {"file": "path"}}
    registry.add(entry_of(remove, aliases=[alias]))
    rt = runtime()
    for given in ({"file": "a"}, '{"file": "a"}', '"{\\"file\\": \\"a\\"}"', b'{"file": "a"}'):
        assert call(rt, "try_remove", given, door=door) == {"path": "a", "dry_run": True}


@pytest.mark.proves("call-one-answer")
def test_every_call_gets_one_answer_under_its_id_in_the_order_asked(registry, runtime):
    def fail():
        raise ToolError("no")

    async def hang():
        await asyncio.Event().wait()

    registry.add(entry_of(fail, effects="write"))
    registry.add(entry_of(hang, timeout_seconds=0.02, effects="read"))
    registry.add(entry_of(lambda: "fine", name="fine", effects="read"))
    names = ["hang", "fine", "fail", "nope", "fine", "hang"]
    calls = [{"id": f"id-{n}", "name": name, "arguments": {}} for n, name in enumerate(names)]
    answers = runtime().call_many_sync({"tool_calls": [*calls, 5, {"id": "last"}]})
    *ids, made_up, last = [answer["tool_call_id"] for answer in answers]
    assert (ids, last) == ([f"id-{n}" for n in range(6)], "last")
    assert made_up and made_up not in {*ids, last}
    assert [json.loads(answer["content"]).get("code") for answer in answers] == [
        "timeout",
        None,
        "tool_error",
        "unknown_tool",
        None,
        "timeout",
        "malformed_call",
        "malformed_call",
    ]


@pytest.mark.proves("call-cancellation")
def test_cancelling_a_message_cancels_all_its_calls(registry, runtime):
    entered, ended, never = [], [], asyncio.Event()

    async def hang(n: int):
        entered.append(n)
        try:
            await never.wait()
        finally:
            ended.append(n)

    registry.add(entry_of(hang, effects="read"))
    rt = runtime()

    async def scene():
        calls = [{"id": str(n), "name": "hang", "arguments": {"n": n}} for n in range(3)]
        pending = asyncio.ensure_future(rt.call_many(calls))
        while len(entered) < 3:
            await asyncio.sleep(0)
        pending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await pending
        return sorted(ended)

    assert asyncio.run(scene()) == [0, 1, 2]


@pytest.mark.proves("call-keeps-entry")
@pytest.mark.parametrize("change", ["replaced", "removed"])
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_call_in_flight_keeps_its_entry(registry, runtime, change, kind):
    entered, go_on = threading.Event(), threading.Event()

    def act():
        entered.set()
        go_on.wait(5)
        return "old"

    async def act_later():
        return await asyncio.to_thread(act)

    registry.add(entry_of(act if kind == "sync" else act_later, name="act", effects="write"))
    rt = runtime()
    answers = []
    running = threading.Thread(target=lambda: answers.append(json.loads(rt.call_sync("act"))))
    running.start()
    assert entered.wait(5)
    if change == "removed":
        registry.deregister("act")
    else:
        registry.add(entry_of(lambda: "new", name="act"))
    after = json.loads(rt.call_sync("act"))
    go_on.set()
    running.join(5)
    assert answers == [{"result": "old"}]
    assert after.get("result") == ("new" if change == "replaced" else None)
    assert {entry.outcome for entry in rt.journal.entries()} <= {"ok", "unknown_tool"}


def test_a_tool_removed_while_another_call_looks_it_up_does_not_come_back(registry, runtime):
    """One call has found the entry and is about to remember it when the tool is taken out."""
    registry.add(entry_of(lambda: "ran", name="act"))
    registry.add(entry_of(lambda: "other", name="other"))
    rt = runtime()
    rt.call_sync("other")
    find = registry.find

    def find_slowly(name):
        found = find(name)
        if name == "act":
            registry.find = find
            registry.deregister("act")
            rt.call_sync("other")
        return found

    registry.find = find_slowly
    rt.call_sync("act")
    assert json.loads(rt.call_sync("act"))["code"] == "unknown_tool"


@doors
@pytest.mark.proves("call-tasks-apart")
def test_two_tasks_do_not_see_each_others_environment_clipboard_or_folder(monkeypatch, door):
    from hermes import Runtime

    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with Runtime() as rt:

        def ask(tool, task, /, **args):
            return call(rt, tool, args, door=door, task_id=task)

        ask("env_manager", "one", action="set", name="COLOUR", value="red")
        ask("env_manager", "two", action="set", name="COLOUR", value="blue")
        assert ask("env_manager", "one", action="get", name="COLOUR")["value"] == "red"
        assert ask("env_manager", "two", action="get", name="COLOUR")["value"] == "blue"
        assert ask("env_manager", "three", action="get", name="COLOUR")["set"] is False
        ask("env_manager", "one", action="unset", name="COLOUR")
        assert ask("env_manager", "two", action="get", name="COLOUR")["value"] == "blue"
        ask("clipboard", "one", action="write", text="mine")
        assert ask("clipboard", "two", action="read")["text"] == ""
        assert ask("clipboard", "one", action="read")["text"] == "mine"
        rt.task("one").cwd = rt.settings.home
        assert rt.task("two").cwd != rt.settings.home
        rt.end_task("one")
        rt.end_task("two")
        assert ask("clipboard", "one", action="read")["text"] == ""
        assert ask("env_manager", "two", action="get", name="COLOUR")["set"] is False


@doors
@pytest.mark.proves("call-tasks-apart")
def test_a_sessions_approval_is_of_its_task_alone(registry, runtime, door):
    asked = []

    async def person(request):
        asked.append(request.task_id)
        return "session"

    registry.add(entry_of(lambda: "ran", name="act", permissions=["x:write"]))
    rt = runtime(profile={"approval_required": ["*"]}, approver=person)
    for task in ("one", "one", "two", "one", "two", None):
        assert call(rt, "act", door=door, task_id=task) == {"result": "ran"}
    assert asked == ["one", "two", "default"]


@pytest.mark.proves("call-loop-free")
def test_a_running_loop_ticks_while_sync_handlers_judges_of_people_and_the_disk_are_waited_for(
    registry, runtime
):
    go_on = threading.Event()

    async def person(request):
        while not ticks[1]:
            await asyncio.sleep(0)
        return "once"

    def block():
        go_on.wait(5)
        return "done"

    registry.add(entry_of(block, permissions=["x:write"]))
    rt = runtime(profile={"approval_required": ["*"]}, approver=person)
    ticks = [0, False]

    async def scene():
        pending = asyncio.ensure_future(rt.call("block"))
        while ticks[0] < 50:
            await asyncio.sleep(0)
            ticks[0] += 1
            ticks[1] = ticks[0] > 20
        go_on.set()
        return json.loads(await pending)

    assert asyncio.run(scene()) == {"result": "done"}


def asked(*calls):
    return [{"id": str(n), "name": name, "arguments": args} for n, (name, args) in enumerate(calls)]


@pytest.mark.proves("call-effects-order")
def test_reads_and_writes_to_different_files_run_together(registry, runtime):
    together = threading.Barrier(3)

    def read(path: str):
        return together.wait(5) >= 0

    registry.add(entry_of(read, effects="read"))
    registry.add(entry_of(read, name="write", effects="write", paths=["path"]))
    rt = runtime()
    for name in ("read", "write"):
        answers = rt.call_many_sync(asked(*((name, {"path": path}) for path in "abc")))
        assert [json.loads(one["content"]) for one in answers] == [{"result": True}] * 3


@pytest.mark.proves("call-effects-order")
@pytest.mark.parametrize(
    "traits",
    [{"effects": "write", "paths": ["path"]}, {"effects": "read", "parallel": False}],
    ids=["one file", "exclusive"],
)
def test_writes_to_one_file_and_exclusive_calls_run_one_by_one_in_order(
    registry, runtime, tmp_path, traits
):
    """Whatever name the file goes by: relative, through a link, or in full."""
    log, lock = [], threading.Lock()

    def act(path: str, n: int):
        assert lock.acquire(blocking=False), "two at once"
        log.append(n)
        threading.Event().wait(0.005)
        lock.release()
        return n

    registry.add(entry_of(act, **traits))
    (tmp_path / "link").symlink_to(tmp_path / "a")
    names = ["a", "./a", str(tmp_path / "a"), "link", f"../{tmp_path.name}/a"]
    rt = runtime(cwd=tmp_path)
    calls = asked(*(("act", {"path": name, "n": n}) for n, name in enumerate(names)))
    answers = rt.call_many_sync(calls)
    assert [json.loads(one["content"]) for one in answers] == [{"result": n} for n in range(5)]
    assert log == [0, 1, 2, 3, 4]


@pytest.mark.proves("call-effects-order")
def test_a_read_sees_the_write_before_it_and_not_the_one_after_it(registry, runtime, tmp_path):
    def write(path: str, text: str):
        threading.Event().wait(0.005)
        (tmp_path / path).write_text(text)

    def read(path: str):
        return (tmp_path / path).read_text()

    registry.add(entry_of(write, effects="write", paths=["path"]))
    registry.add(entry_of(read, effects="read", paths=["path"]))
    answers = runtime(cwd=tmp_path).call_many_sync(
        asked(
            ("write", {"path": "f", "text": "one"}),
            ("read", {"path": "f"}),
            ("write", {"path": "f", "text": "two"}),
            ("read", {"path": "f"}),
        )
    )
    said = [json.loads(one["content"]) for one in answers]
    assert said[1] == {"result": "one"} and said[3] == {"result": "two"}
