import asyncio
import json
import threading

from hermes.runtime.declare import entry_of


def declare(registry, function, **options):
    registry.add(entry_of(function, **options))


def calls(*pairs):
    return {
        "role": "assistant",
        "tool_calls": [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for n, (name, arguments) in enumerate(pairs, 1)
        ],
    }


def contents(messages):
    return [json.loads(message["content"]) for message in messages]


def test_answers_come_in_order_under_their_ids(registry, runtime):
    async def wait(ticks: int):
        for _ in range(ticks):
            await asyncio.sleep(0)
        return ticks

    declare(registry, wait)
    message = calls(*[("wait", {"ticks": n}) for n in (5, 0, 3)])
    answers = runtime().call_many_sync(message)
    assert [answer["tool_call_id"] for answer in answers] == ["c1", "c2", "c3"]
    assert contents(answers) == [{"result": 5}, {"result": 0}, {"result": 3}]
    assert all(answer["role"] == "tool" and answer["name"] == "wait" for answer in answers)


def test_reads_run_together(registry, runtime):
    meeting = threading.Barrier(3)

    def meet():
        meeting.wait(5)
        return "met"

    declare(registry, meet, effects="read")
    answers = runtime().call_many_sync(calls(*[("meet", {})] * 3))
    assert contents(answers) == [{"result": "met"}] * 3


def recorder(registry, order, name, **options):
    async def act(path: str = "x", tag: int = 0):
        order.append(("start", tag))
        await asyncio.sleep(0.005)
        order.append(("end", tag))
        return tag

    declare(registry, act, name=name, **options)


def test_an_exclusive_call_runs_alone_and_in_its_place(registry, runtime):
    order = []
    recorder(registry, order, "peek", effects="read")
    recorder(registry, order, "act", effects="exec")
    runtime().call_many_sync(
        calls(*[(name, {"tag": n}) for n, name in enumerate(["peek", "act", "peek", "act"])])
    )
    assert order == [(word, tag) for tag in range(4) for word in ("start", "end")]


def test_writes_to_one_path_keep_their_order_and_others_do_not_wait(registry, runtime):
    order = []
    recorder(registry, order, "write", effects="write", paths=["path"])
    recorder(registry, order, "read", effects="read", paths=["path"])
    runtime().call_many_sync(
        calls(
            ("write", {"path": "a", "tag": 1}),
            ("write", {"path": "./a", "tag": 2}),
            ("read", {"path": "a", "tag": 3}),
            ("write", {"path": "b", "tag": 4}),
        )
    )
    on_a = [event for event in order if event[1] != 4]
    assert on_a == [(word, tag) for tag in (1, 2, 3) for word in ("start", "end")]
    assert order.index(("start", 4)) < order.index(("end", 1))


def test_one_failing_or_hanging_call_loses_no_other_answer(registry, runtime):
    async def hang():
        await asyncio.sleep(30)

    def fail():
        raise ValueError("no")

    declare(registry, hang, timeout_seconds=0.05)
    declare(registry, fail)
    declare(registry, lambda: "fine", name="fine")
    answers = contents(
        runtime().call_many_sync(calls(("hang", {}), ("fail", {}), ("nope", {}), ("fine", {})))
    )
    assert [answer.get("code") for answer in answers] == [
        "timeout",
        "tool_failed",
        "unknown_tool",
        None,
    ]


def test_every_dialect_is_answered_in_kind(registry, runtime):
    declare(registry, lambda n=0: n, name="echo")
    rt = runtime()
    plain = {"tool_calls": [{"id": "1", "name": "echo", "arguments": {"n": 1}}]}
    assert rt.call_many_sync(plain) == [
        {"role": "tool", "tool_call_id": "1", "name": "echo", "content": '{"result":1}'}
    ]
    block = {"type": "tool_use", "id": "tu", "name": "echo", "input": {"n": 2}}
    anthropic = {"role": "assistant", "content": [{"type": "text", "text": "hm"}, block]}
    assert rt.call_many_sync(anthropic) == [
        {"type": "tool_result", "tool_use_id": "tu", "content": '{"result":2}'}
    ]
    item = {"type": "function_call", "call_id": "fc", "name": "echo", "arguments": '{"n": 3}'}
    assert rt.call_many_sync({"output": [item]}) == [
        {"type": "function_call_output", "call_id": "fc", "output": '{"result":3}'}
    ]
    part = {"functionCall": {"name": "echo", "args": {"n": 4}}}
    (answer,) = rt.call_many_sync({"role": "model", "parts": [part]})
    assert answer["functionResponse"]["response"] == {"result": 4}


def test_malformed_messages_get_answers_a_model_can_act_on(registry, runtime):
    declare(registry, lambda: 1, name="one")
    rt = runtime()
    for message in ("not json", 5, {"tool_calls": 3}, {"tool_calls": [7]}, {"tool_calls": [{}]}):
        (answer,) = rt.call_many_sync(message)
        body = json.loads(answer["content"])
        assert body["code"] == "malformed_call" and body["hint"]
    assert rt.call_many_sync({"content": "just text"}) == []
    (answer,) = rt.call_many_sync({"tool_calls": [{"name": "one", "arguments": "[}"}]})
    assert json.loads(answer["content"])["code"] in ("malformed_arguments", "invalid_arguments")


def test_a_turn_that_is_too_long_is_cut_at_its_longest_answers(registry, runtime):
    declare(registry, lambda size: "x" * size, name="fill")
    rt = runtime(config={"results.per_turn_chars": 10_000})
    answers = rt.call_many_sync(calls(("fill", {"size": 9_000}), ("fill", {"size": 4_000})))
    assert sum(len(answer["content"]) for answer in answers) <= 11_000
    long, short = contents(answers)
    assert short == {"result": "x" * 4_000}
    with open(long["truncated"]["path"], encoding="utf-8") as saved:
        assert saved.read() == "x" * 9_000


def test_a_call_in_flight_keeps_its_entry(registry, runtime):
    started, release = threading.Event(), threading.Event()

    def slow():
        started.set()
        release.wait(5)
        return "old"

    declare(registry, slow)
    rt = runtime()
    answers = []
    thread = threading.Thread(target=lambda: answers.append(rt.call_sync("slow")))
    thread.start()
    assert started.wait(5)
    registry.deregister("slow")
    declare(registry, lambda: "new", name="slow")
    assert rt.call_sync("slow") == '{"result":"new"}'
    release.set()
    thread.join(5)
    assert answers == ['{"result":"old"}']


def test_calls_of_any_dialect_are_answered_in_the_tool_results_form(registry, runtime):
    declare(registry, lambda n=0: n, name="echo")
    rt = runtime()
    block = {"type": "tool_use", "id": "tu", "name": "echo", "input": {"n": 2}}
    messages = [
        {"tool_calls": [{"id": "tu", "name": "echo", "arguments": {"n": 2}}]},
        {"tool_calls": [{"id": "tu", "name": "echo", "arguments": '{"n": 2,}'}]},
        {"role": "assistant", "content": [block]},
    ]
    for message in messages:
        assert asyncio.run(rt.tool_results(message)) == {
            "tool_results": [{"id": "tu", "name": "echo", "success": True, "result": {"result": 2}}]
        }
    (failed,) = asyncio.run(rt.tool_results({"tool_calls": [{"id": "x", "name": "nope"}]}))[
        "tool_results"
    ]
    assert (failed["id"], failed["success"], failed["code"]) == ("x", False, "unknown_tool")


def test_whoever_listens_is_told_when_calls_start_and_what_they_answer(registry, runtime):
    declare(registry, lambda: "a", name="first", description="First.", effects="read")
    told = []

    async def run():
        return await runtime().call_many(
            calls(("first", {}), ("missing", {}), ("first", {})),
            told=lambda place, answer: told.append((place, answer and answer[1])),
        )

    asyncio.run(run())
    assert told[0] == (1, "unknown_tool")
    assert sorted(told[1:], key=lambda one: (one[0], one[1] or "")) == [
        (0, None),
        (0, "ok"),
        (2, None),
        (2, "ok"),
    ]


def test_calls_that_are_cancelled_have_ended_before_the_caller_goes_on(registry, runtime):
    ended = []
    running = asyncio.Event()

    async def slow(name: str):
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(name)

    declare(registry, slow, effects="read")

    async def run():
        many = asyncio.create_task(
            runtime().call_many(calls(("slow", {"name": "a"}), ("slow", {"name": "b"})))
        )
        await running.wait()
        many.cancel()
        await asyncio.wait({many})
        return many.cancelled(), sorted(ended)

    assert asyncio.run(run()) == (True, ["a", "b"])
