"""Every call that goes through the pipeline is in the journal, as it really ran."""

import asyncio
import json
import sqlite3
import threading

import pytest

from hermes.policy.verdict import Verdict
from hermes.runtime.declare import entry_attached, entry_of
from hermes.runtime.hooks import Block, Rewrite
from hermes.tools import ToolContext, ToolError
from hermes.tools.tool_search.tool_call import tool_call

doors = pytest.mark.parametrize("door", ["sync", "async"])


@pytest.fixture
def rt(registry, runtime):
    def look(path: str = ".", depth: int = 1):
        return {"path": path, "depth": depth}

    def change(path: str, lines: list[str] | None = None):
        return "changed"

    def fail(kind: str = "x"):
        raise ToolError("no luck", code="luckless")

    registry.add(entry_of(look, effects="read"))
    registry.add(entry_of(change, permissions=["file:write"], aliases=["alter"]))
    registry.add(entry_of(fail, effects="write"))
    registry.add(entry_of(lambda n=0: n, name="plain"))
    return runtime()


def call(rt, name, args=None, *, door="sync", **options):
    if door == "sync":
        return json.loads(rt.call_sync(name, args, **options))
    return json.loads(asyncio.run(rt.call(name, args, **options)))


def recorded(rt):
    """All calls, oldest first; the chain is proved on the way."""
    assert rt.journal.verify().ok
    return list(reversed(rt.journal.entries(limit=1_000)))


def kinds(rt):
    rt.journal.flush()
    with sqlite3.connect(rt.settings.home / "state.db") as database:
        return [kind for (kind,) in database.execute("SELECT kind FROM journal ORDER BY id")]


@doors
def test_a_call_is_recorded_with_who_what_and_how_it_ended(rt, door):
    answer = call(rt, "look", {"path": "a"}, door=door, task_id="t", call_id="c")
    (entry,) = recorded(rt)
    assert (entry.call_id, entry.task_id, entry.door, entry.tool) == ("c", "t", "python", "look")
    assert (entry.arguments, entry.changes, entry.verdict) == ({"path": "a"}, (), "allow")
    assert (entry.status, entry.outcome, entry.detail) == ("ok", "ok", None)
    assert entry.duration >= 0
    assert entry.size == len(json.dumps(answer, separators=(",", ":")))


@doors
def test_the_fitted_arguments_are_recorded_with_what_was_changed(rt, door):
    call(rt, "look", '{"Path": "a", "depth": "2",}', door=door)
    (entry,) = recorded(rt)
    assert entry.arguments == {"path": "a", "depth": 2}
    assert len(entry.changes) >= 2
    assert any("depth" in change for change in entry.changes)


@doors
def test_arguments_rewritten_by_a_hook_are_recorded_as_they_ran(rt, door):
    rt.hooks.add("pre_tool_call", lambda args: Rewrite({"path": "b", "depth": "5"}))
    call(rt, "look", {"path": "a"}, door=door)
    (entry,) = recorded(rt)
    assert entry.arguments == {"path": "b", "depth": 5}
    assert any("hook" in change for change in entry.changes)


@doors
@pytest.mark.proves("journal-intent-first")
def test_the_intent_of_a_call_with_effects_is_durable_before_it_runs(rt, registry, door):
    seen = []

    def act(n: int):
        seen.extend(kinds(rt))
        return n

    registry.add(entry_of(act, effects="write"))
    call(rt, "act", {"n": "1"}, door=door, call_id="c")
    assert seen == ["intent"]
    assert kinds(rt) == ["intent", "outcome"]
    (entry,) = recorded(rt)
    assert (entry.arguments, entry.status, entry.outcome) == ({"n": 1}, "ok", "ok")


@doors
def test_a_call_that_only_reads_has_one_record(rt, door):
    call(rt, "look", door=door)
    call(rt, "plain", door=door)
    assert kinds(rt) == ["done", "done"]


@doors
def test_a_call_with_effects_that_fails_has_its_outcome(rt, door):
    call(rt, "fail", door=door)
    assert kinds(rt) == ["intent", "outcome"]
    (entry,) = recorded(rt)
    assert (entry.status, entry.outcome) == ("error", "luckless")
    assert "no luck" in entry.detail


@doors
def test_calls_that_did_not_run_are_recorded_too(rt, door):
    take_out = rt.hooks.add("pre_tool_call", lambda name: Block("no") if name == "plain" else None)
    call(rt, "plain", {"n": 1}, door=door)
    take_out()
    call(rt, "lok", {"path": "a"}, door=door)
    call(rt, "look", {"depth": "deep"}, door=door)
    call(rt, "change", '{"path": "a', door=door)
    rt.gate.judges.append(lambda request: Verdict("deny", "not here"))
    call(rt, "look", {"path": "a"}, door=door)
    assert [(entry.tool, entry.verdict, entry.outcome) for entry in recorded(rt)] == [
        ("plain", "deny", "denied"),
        ("lok", "refused", "unknown_tool"),
        ("look", "refused", "invalid_arguments"),
        ("change", "refused", "malformed_arguments"),
        ("look", "deny", "denied"),
    ]
    assert set(kinds(rt)) == {"done"}


@doors
def test_a_denied_call_is_recorded_as_the_tool_and_the_arguments_that_were_judged(
    rt, registry, door
):
    registry.add(entry_attached(tool_call))
    rt.gate.judges.append(lambda request: Verdict("deny", "not here"))
    call(rt, "alter", {"path": "a", "lines": "x"}, door=door)
    call(rt, "tool_call", {"name": "change", "arguments": {"path": "b"}}, door=door)
    rt.hooks.add("pre_tool_call", lambda: Rewrite({"path": "/etc/passwd"}))
    call(rt, "change", {"path": "c"}, door=door)
    assert [(entry.tool, entry.arguments) for entry in recorded(rt)] == [
        ("change", {"path": "a", "lines": ["x"]}),
        ("change", {"path": "b"}),
        ("change", {"path": "/etc/passwd"}),
    ]


@doors
@pytest.mark.proves("offer-unwrapped")
def test_a_call_through_tool_call_or_an_alias_is_recorded_as_the_tool_itself(rt, registry, door):
    registry.add(entry_attached(tool_call))
    call(rt, "tool_call", {"name": "look", "arguments": {"path": "a"}}, door=door)
    call(rt, "alter", {"path": "b"}, door=door)
    assert [(entry.tool, entry.arguments) for entry in recorded(rt)] == [
        ("look", {"path": "a"}),
        ("change", {"path": "b"}),
    ]


@doors
@pytest.mark.proves("result-redacted")
def test_secrets_are_absent_whatever_became_of_the_call(registry, runtime, monkeypatch, door):
    secret = "correct-horse-battery"
    monkeypatch.setenv("SERVICE_TOKEN", secret)

    def use(text: str, password: str = ""):
        raise ValueError(f"could not use {text}")

    registry.add(entry_of(use, effects="write"))
    registry.add(entry_of(use, name="peek", effects="read"))
    rt = runtime()
    for name in ("use", "peek", "nope"):
        call(rt, name, {"text": f"x {secret} y", "password": "hunter2-hunter2"}, door=door)
        call(rt, name, f'{{"text": "{secret}", "password": "hunter2-hunter2", 5}}', door=door)
        call(rt, name, {"text": [secret], "password": {"a": secret}, "other": secret}, door=door)
    assert len(recorded(rt)) == 9
    rt.close()
    for file in rt.settings.home.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert secret.encode() not in content, file
            assert b"hunter2" not in content, file


@doors
def test_what_a_handler_does_to_its_arguments_is_not_recorded_as_given(rt, registry, door):
    def consume(items: list[int], options: dict | None = None):
        items.clear()
        options["spoilt"] = True
        return "ok"

    registry.add(entry_of(consume, effects="read"))
    given = {"items": [1, 2], "options": {"a": 1}}
    call(rt, "consume", given, door=door)
    (entry,) = recorded(rt)
    assert entry.arguments == {"items": [1, 2], "options": {"a": 1}}
    assert given == {"items": [1, 2], "options": {"a": 1}}


@doors
def test_an_after_hook_cannot_change_what_is_recorded(rt, door):
    def meddle(args):
        args["path"] = "somewhere else"

    rt.hooks.add("post_tool_call", meddle)
    given = {"path": "a"}
    call(rt, "look", given, door=door)
    (entry,) = recorded(rt)
    assert entry.arguments == {"path": "a"} and given == {"path": "a"}


def test_the_calls_of_a_message_are_all_recorded_under_their_ids(rt):
    calls = [
        {"id": "a", "name": "look", "arguments": {}},
        {"id": "b", "name": "change", "arguments": {"path": "x"}},
        {"id": "c", "name": "nope", "arguments": {}},
        {"id": "d", "arguments": {}},
        {"id": "e", "name": "fail", "arguments": {}},
    ]
    rt.call_many_sync(calls, task_id="t")
    assert {entry.call_id: entry.outcome for entry in recorded(rt)} == {
        "a": "ok",
        "b": "ok",
        "c": "unknown_tool",
        "d": "malformed_call",
        "e": "luckless",
    }
    assert {entry.task_id for entry in recorded(rt)} == {"t"}


def test_two_calls_with_the_same_id_at_once_keep_their_own_outcomes(rt, registry):
    """Models that give no ids have their calls numbered, the same in every message."""
    slow_entered, quick_done = threading.Event(), threading.Event()

    def slow():
        slow_entered.set()
        quick_done.wait(5)
        return "slow went well"

    def quick():
        slow_entered.wait(5)
        raise ToolError("quick failed", code="quick")

    registry.add(entry_of(slow, effects="write"))
    registry.add(entry_of(quick, effects="write"))
    first = threading.Thread(target=rt.call_sync, args=("slow",), kwargs={"call_id": "call_1"})
    first.start()
    assert slow_entered.wait(5)
    rt.call_sync("quick", call_id="call_1")
    quick_done.set()
    first.join(5)
    assert {entry.tool: entry.outcome for entry in recorded(rt)} == {"slow": "ok", "quick": "quick"}


@doors
def test_a_cancelled_call_has_an_outcome(rt, registry, door):
    entered = threading.Event()

    async def hang():
        entered.set()
        await asyncio.Event().wait()

    async def scene():
        pending = asyncio.ensure_future(rt.call("hang"))
        while not entered.is_set():
            await asyncio.sleep(0)
        pending.cancel()
        await asyncio.gather(pending, return_exceptions=True)

    registry.add(entry_of(hang, effects="write"))
    if door == "sync":
        call(rt, "hang", timeout_seconds=0.02)
    else:
        asyncio.run(scene())
    (entry,) = recorded(rt)
    assert entry.outcome == ("timeout" if door == "sync" else "cancelled")


@doors
def test_without_a_journal_calls_run_and_nothing_is_written(registry, runtime, door):
    registry.add(entry_of(lambda: "ran", name="act", effects="write"))
    rt = runtime(config={"journal": {"enabled": False}})
    assert call(rt, "act", door=door) == {"result": "ran"}
    assert not (rt.settings.home / "state.db").exists()


@doors
def test_without_a_place_for_the_journal_effects_do_not_happen_and_reads_go_on(
    registry, runtime, hermes_home, door
):
    ran = []
    registry.add(entry_of(lambda: ran.append("act"), name="act", effects="write"))
    registry.add(entry_of(lambda: "seen", name="look", effects="read"))
    (hermes_home / "journal").write_text("a file where the folder should be")
    (hermes_home / "state.db").mkdir()
    rt = runtime()
    assert call(rt, "act", door=door)["code"] == "journal_unwritable"
    assert call(rt, "look", door=door) == {"result": "seen"}
    assert ran == []


@doors
def test_a_call_that_is_announced_late_has_no_effect_without_a_journal(
    registry, runtime, hermes_home, door
):
    ran = []

    def act(ctx: ToolContext):
        ctx.announced()
        ran.append("act")

    registry.add(entry_of(act, effects="write", announced_late=True))
    (hermes_home / "journal").write_text("a file where the folder should be")
    (hermes_home / "state.db").mkdir()
    rt = runtime()
    assert call(rt, "act", door=door)["code"] == "journal_unwritable"
    assert ran == []


@doors
def test_a_call_that_is_announced_late_waits_before_its_effect(registry, rt, door):
    seen = []

    def act(ctx: ToolContext):
        ctx.announced()
        entry = rt.journal.entry(ctx.call_id)
        seen.append((entry.tool, entry.status))

    registry.add(entry_of(act, effects="write", announced_late=True))
    call(rt, "act", door=door)
    assert seen == [("act", "running")]
    assert [(entry.tool, entry.outcome) for entry in recorded(rt)] == [("act", "ok")]


@doors
def test_a_call_that_fails_before_its_late_announcement_has_one_outcome(registry, rt, door):
    def act(ctx: ToolContext):
        raise ToolError("there is no such file")

    registry.add(entry_of(act, effects="write", announced_late=True))
    assert call(rt, "act", door=door)["error"] == "there is no such file"
    assert [entry.outcome for entry in recorded(rt)] == ["tool_error"]


def test_a_late_announced_call_that_is_cancelled_has_an_outcome(rt, registry):
    entered, end = threading.Event(), threading.Event()

    def act(ctx: ToolContext):
        ctx.announced()
        entered.set()
        end.wait(5)

    async def scene():
        pending = asyncio.ensure_future(rt.call("act"))
        while not entered.is_set():
            await asyncio.sleep(0)
        pending.cancel()
        await asyncio.gather(pending, return_exceptions=True)
        end.set()

    registry.add(entry_of(act, effects="write", announced_late=True))
    asyncio.run(scene())
    assert [entry.outcome for entry in recorded(rt)] == ["cancelled"]


def test_a_call_that_was_given_up_before_its_late_announcement_has_no_effect(rt, registry):
    entered, end, said = threading.Event(), threading.Event(), []

    def act(ctx: ToolContext):
        entered.set()
        end.wait(5)
        try:
            ctx.announced()
        except ToolError as error:
            said.append(error.code)
        done.set()

    async def scene():
        pending = asyncio.ensure_future(rt.call("act"))
        while not entered.is_set():
            await asyncio.sleep(0)
        pending.cancel()
        await asyncio.gather(pending, return_exceptions=True)

    done = threading.Event()
    registry.add(entry_of(act, effects="write", announced_late=True))
    asyncio.run(scene())
    end.set()
    assert done.wait(5)
    assert said == ["cancelled"]
    assert [entry.outcome for entry in recorded(rt)] == ["cancelled"]


@doors
def test_a_long_intent_is_shortened_and_on_disk_before_the_effect(registry, rt, door):
    seen = []

    def act(text: str, ctx: ToolContext):
        ctx.announced()
        seen.append(rt.journal.entry(ctx.call_id).arguments["text"])

    registry.add(entry_of(act, effects="write", announced_late=True))
    call(rt, "act", {"text": "word " * 100_000}, door=door)
    assert "500,000 characters, sha256" in seen[0]
    assert len(seen[0]) < 2_000


def test_the_key_of_a_model_is_redacted_whatever_its_variable_is_called(
    registry, runtime, monkeypatch
):
    monkeypatch.setenv("MINE", "plain-looking-words-9")
    registry.add(entry_of(lambda text: text, name="say", effects="read"))
    rt = runtime(config={"model": {"key_variable": "MINE"}})
    assert "plain-looking" not in rt.call_sync("say", {"text": "it is plain-looking-words-9"})
