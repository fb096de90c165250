"""Hooks: who is asked, what they may change, and what happens when they break."""

import asyncio
import json

import pytest

from hermes.base.errors import ConfigError
from hermes.runtime.declare import entry_of
from hermes.runtime.hooks import POINTS, Block, Rewrite


@pytest.fixture
def ran(registry):
    """The arguments with which the tool `act` really ran."""
    found = []

    def act(n: int = 0, items: list[int] | None = None):
        found.append({"n": n, "items": items})
        return {"n": n}

    registry.add(entry_of(act))
    return found


def call(rt, args=None, *, door):
    return json.loads(
        rt.call_sync("act", args) if door == "sync" else asyncio.run(rt.call("act", args))
    )


doors = pytest.mark.parametrize("door", ["sync", "async"])


@doors
def test_hooks_run_in_the_order_they_were_added_and_see_the_rewrites_before_them(
    ran, runtime, door
):
    rt = runtime()
    seen = []

    async def second(args):
        await asyncio.sleep(0)
        seen.append(args["n"])
        return Rewrite({**args, "n": args["n"] * 10})

    rt.hooks.add("pre_tool_call", lambda args: Rewrite({**args, "n": args["n"] + 1}))
    rt.hooks.add("pre_tool_call", second)
    rt.hooks.add("pre_tool_call", lambda args: seen.append(args["n"]))
    assert call(rt, {"n": 1}, door=door) == {"n": 20}
    assert seen == [2, 20]
    assert ran == [{"n": 20, "items": None}]


def test_a_hook_that_was_taken_out_is_not_asked_again(ran, runtime):
    rt = runtime()
    take_out = rt.hooks.add("pre_tool_call", lambda: Block("no"))
    assert call(rt, door="sync")["code"] == "denied"
    take_out()
    take_out()
    assert call(rt, door="sync") == {"n": 0}


@doors
def test_a_hook_that_takes_itself_out_does_not_hide_the_next_one(ran, runtime, door):
    rt = runtime()

    def once():
        take_out()

    take_out = rt.hooks.add("pre_tool_call", once)
    rt.hooks.add("pre_tool_call", lambda: Block("no"))
    assert call(rt, door=door)["code"] == "denied"
    assert ran == []


def test_an_unknown_point_suggests_the_nearest(runtime):
    with pytest.raises(ConfigError) as caught:
        runtime().hooks.add("pre_tool_cal", lambda: None)
    assert "pre_tool_call" in caught.value.hint


@pytest.mark.parametrize("point", POINTS)
def test_a_hook_may_take_everything_its_point_gives(ran, runtime, point):
    rt = runtime()
    seen = {}
    rt.hooks.add(point, lambda **event: seen.update(event))
    rt.call_sync("act", {"n": 3}, task_id="t", call_id="c")
    assert sorted(seen) == sorted(POINTS[point])
    assert (seen["name"], seen["args"], seen["task_id"], seen["call_id"]) == (
        "act",
        {"n": 3},
        "t",
        "c",
    )


def unknown(nme):
    """It asks for what no point gives."""


def unknown_among_all(nme, **rest):
    """It takes everything, and one thing more."""


def starred(*args):
    """`args` is a name the points give, but not like this."""


def by_place_only(name, /):
    """Hooks are called with keywords."""


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("hook", [unknown, unknown_among_all, starred, by_place_only, 5, "text"])
def test_a_hook_that_could_never_be_called_is_refused_when_it_is_added(runtime, point, hook):
    with pytest.raises(ConfigError):
        runtime().hooks.add(point, hook)


def test_a_hook_may_have_parameters_of_its_own_with_defaults(ran, runtime):
    rt = runtime()
    seen = []
    rt.hooks.add("pre_tool_call", lambda name, mine=5: seen.append((name, mine)))
    rt.call_sync("act")
    assert seen == [("act", 5)]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Block("because"), "because"),
        ({"block": "because"}, "because"),
        ({"action": "block", "message": "because"}, "because"),
        ({"action": "block"}, "blocked"),
        (True, "bool"),
        (False, "bool"),
        ("block", "str"),
        ([], "list"),
        ({}, "dict"),
        ({"action": "aprove"}, "dict"),
        ({"args": "text"}, "dict"),
    ],
)
@doors
@pytest.mark.proves("call-before-hooks-fail-closed")
def test_a_block_and_any_answer_without_meaning_stop_the_call(ran, runtime, door, answer, words):
    rt = runtime()
    rt.hooks.add("pre_tool_call", lambda: answer)
    refused = call(rt, door=door)
    assert refused["code"] == "denied" and words in refused["error"]
    assert ran == []


@pytest.mark.parametrize("answer", [None, {"action": "approve"}])
@doors
def test_an_answer_that_agrees_lets_the_call_run(ran, runtime, door, answer):
    rt = runtime()
    rt.hooks.add("pre_tool_call", lambda: answer)
    assert call(rt, door=door) == {"n": 0}


@pytest.mark.parametrize("args", ["text", None, 5, ["n"]])
@doors
def test_a_rewrite_that_is_no_object_stops_the_call(ran, runtime, door, args):
    rt = runtime()
    rt.hooks.add("pre_tool_call", lambda: Rewrite(args))
    assert "error" in call(rt, door=door)
    assert ran == []


@pytest.mark.parametrize("error", [ValueError("x"), KeyError(), RecursionError(), TimeoutError()])
@doors
@pytest.mark.proves("call-before-hooks-fail-closed")
def test_a_before_hook_that_breaks_stops_the_call(ran, runtime, door, error):
    async def breaks_later():
        await asyncio.sleep(0)
        raise error

    def breaks():
        raise error

    for hook in (breaks, breaks_later):
        rt = runtime()
        rt.hooks.add("pre_tool_call", hook)
        assert call(rt, door=door)["code"] == "denied"
    assert ran == []


@doors
def test_arguments_changed_in_place_by_a_hook_leave_the_callers_dict_alone(ran, runtime, door):
    rt = runtime()

    def meddle(args):
        args["n"] = 99
        args["items"].append(99)

    rt.hooks.add("pre_tool_call", meddle)
    given = {"n": 1, "items": [1]}
    call(rt, given, door=door)
    assert given == {"n": 1, "items": [1]}


@doors
def test_arguments_changed_in_place_by_a_hook_are_fitted_again_or_ignored(ran, runtime, door):
    rt = runtime()

    def meddle(args):
        args["n"] = "not a number"

    rt.hooks.add("pre_tool_call", meddle)
    call(rt, {"n": 1}, door=door)
    assert ran in ([], [{"n": 1, "items": None}])


@doors
@pytest.mark.proves("call-after-hooks-fail-open")
def test_after_hooks_that_break_or_meddle_cost_nothing(ran, runtime, door):
    rt = runtime()

    async def breaks_later():
        await asyncio.sleep(0)
        raise ValueError

    for point in ("post_tool_call", "transform_tool_result"):
        rt.hooks.add(point, lambda: 1 / 0)
        rt.hooks.add(point, breaks_later)
        rt.hooks.add(point, lambda: 5)
    assert call(rt, {"n": 2}, door=door) == {"n": 2}


@doors
def test_after_hooks_see_failures_too(ran, registry, runtime, door):
    def fail():
        raise ValueError("bad")

    registry.add(entry_of(fail, name="act"))
    rt = runtime()
    seen = []
    rt.hooks.add(
        "post_tool_call",
        lambda result, is_error, duration: seen.append(
            (json.loads(result)["code"], is_error, duration >= 0)
        ),
    )
    call(rt, door=door)
    assert seen == [("tool_failed", True, True)]


def test_the_first_text_that_a_transform_answers_counts(ran, runtime):
    rt = runtime()
    rt.hooks.add("transform_tool_result", lambda: None)
    rt.hooks.add("transform_tool_result", lambda result: json.dumps({"was": json.loads(result)}))
    rt.hooks.add("transform_tool_result", lambda: "never")
    assert call(rt, {"n": 4}, door="sync") == {"was": {"n": 4}}


def test_a_transformed_failure_is_still_a_failure(registry, runtime):
    def fail():
        raise ValueError("bad")

    registry.add(entry_of(fail))
    rt = runtime()
    failures = []
    rt.hooks.add("transform_tool_result", lambda: '{"all": "well"}')
    rt.hooks.add("post_tool_call", lambda is_error: failures.append(is_error))
    assert json.loads(rt.call_sync("fail")) == {"all": "well"}
    assert failures == [True]


def test_a_transformed_result_is_cut_and_redacted_like_any_other(ran, runtime, monkeypatch):
    monkeypatch.setenv("SERVICE_TOKEN", "correct-horse-battery")
    rt = runtime(config={"results": {"per_result_chars": 1_000}})
    rt.hooks.add("transform_tool_result", lambda: "correct-horse-battery " + "x" * 5_000)
    answer = rt.call_sync("act")
    assert "correct-horse" not in answer
    assert len(answer) < 1_500 and "truncated" in json.loads(answer)
