"""Approvals: a person is asked once, and a yes covers exactly what was asked."""

import asyncio
import json
from pathlib import Path

import pytest

from hermes.policy.need import Need
from hermes.runtime.declare import entry_of

ASK = {"approval_required": ["*"]}
doors = pytest.mark.parametrize("door", ["sync", "async"])


@pytest.fixture
def ran(registry):
    found = []

    def write(path: str = "a", options: dict | None = None):
        found.append((path, options))

    def remove(path: str = "a"):
        found.append(("removed", path))

    registry.add(entry_of(write, permissions=["file:write"]))
    registry.add(entry_of(remove, permissions=["file:write"]))
    return found


class Person:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def __call__(self, request):
        self.asked.append(request)
        return self.answers[min(len(self.asked), len(self.answers)) - 1]


def call(rt, name="write", args=None, *, door="sync", **options):
    args = args or {"path": "a"}
    if door == "sync":
        return json.loads(rt.call_sync(name, args, **options))
    return json.loads(asyncio.run(rt.call(name, args, **options)))


@doors
def test_a_person_is_told_who_wants_what_and_why(ran, runtime, door):
    person = Person("once")
    rt = runtime(profile=ASK, approver=person)
    call(rt, door=door, task_id="t", call_id="c")
    asked = person.asked[0]._asdict()
    assert {name: asked[name] for name in list(asked)[:7]} == {
        "tool": "write",
        "arguments": {"path": "a"},
        "permissions": ("file:write",),
        "reason": "profile 'inline' wants a person to approve file:write",
        "rule": "approval_required: *",
        "task_id": "t",
        "call_id": "c",
    }
    assert asked["cwd"] == str(Path.cwd()) and asked["seconds"] == 60 and asked["withheld"] == ""
    assert asked["deed"].needs == (Need("file:write", str(Path("a").absolute()), "path"),)
    assert ran == [("a", None)]


@doors
@pytest.mark.parametrize(
    "answer", ["deny", "no", "", "Once", "ONCE", None, True, 1, ["once"], {"once": True}, b"once"]
)
@pytest.mark.proves("call-gate-fails-closed")
def test_any_answer_but_a_yes_means_no(ran, runtime, door, answer):
    rt = runtime(profile=ASK, approver=Person(answer))
    assert call(rt, door=door)["code"] == "denied"
    assert ran == []


@doors
@pytest.mark.parametrize(
    "error", [ValueError("x"), EOFError(), TimeoutError(), RecursionError(), KeyError()]
)
@pytest.mark.proves("call-gate-fails-closed")
def test_an_approver_that_breaks_means_no(ran, runtime, door, error):
    async def person(request):
        raise error

    assert call(runtime(profile=ASK, approver=person), door=door)["code"] == "denied"
    assert ran == []


@doors
def test_an_approver_that_is_not_async_means_no(ran, runtime, door):
    rt = runtime(profile=ASK, approver=lambda request: "always")
    assert call(rt, door=door)["code"] == "denied"
    assert ran == []


@doors
@pytest.mark.proves("call-gate-fails-closed")
def test_nobody_to_ask_and_no_answer_in_time_mean_no(ran, runtime, door):
    stopped = []

    async def person(request):
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(True)

    absent = call(runtime(profile=ASK), door=door)
    assert absent["code"] == "denied" and "nobody is there to ask" in absent["error"]
    config = {"approvals": {"timeout_seconds": 0.02}}
    late = call(runtime(profile=ASK, approver=person, config=config), door=door)
    assert late["code"] == "denied" and "in time" in late["error"]
    assert stopped == [True] and ran == []


OTHERS = [
    ("write", {"path": "b"}, "t"),
    ("write", {"path": "a", "options": {}}, "t"),
    ("remove", {"path": "a"}, "t"),
]


@doors
def test_once_covers_one_call(ran, runtime, door):
    person = Person("once")
    rt = runtime(profile=ASK, approver=person)
    for _ in range(2):
        call(rt, door=door, task_id="t")
    assert len(person.asked) == 2


@doors
@pytest.mark.parametrize(
    ("scope", "other_task_asks"), [("session", True), ("always", False)], ids=["session", "always"]
)
def test_a_wider_yes_covers_the_same_call_and_nothing_else(
    ran, runtime, door, scope, other_task_asks
):
    person = Person(scope, "deny")
    rt = runtime(profile=ASK, approver=person)
    for _ in range(3):
        assert call(rt, door=door, task_id="t") == {"result": None}
    assert len(person.asked) == 1
    for number, (name, args, task) in enumerate(OTHERS, 2):
        assert call(rt, name, args, door=door, task_id=task)["code"] == "denied"
        assert len(person.asked) == number
    elsewhere = call(rt, door=door, task_id="other")
    assert ("code" in elsewhere) == other_task_asks
    assert ran == [("a", None)] * (3 if other_task_asks else 4)


SIMILAR = [
    (1, 1.0),
    (1, True),
    (1, "1"),
    (None, "null"),
    ([1], {"0": 1}),
    (float("nan"), None),
    ("\ud800", "\ud801"),
    ("\ud800", "?"),
    (2**63, 2**63 + 1),
    (0.1, 0.1000000000000001),
    ({"a": 1, "b": 2}, {"a": 1, "b": [2]}),
    (b"x", "x"),
]


@doors
@pytest.mark.parametrize(("granted", "other"), SIMILAR, ids=lambda value: ascii(value))
def test_a_yes_does_not_cover_arguments_that_only_look_alike(
    registry, runtime, door, granted, other
):
    ran = []
    schema = {"type": "object", "properties": {}}
    registry.register("raw", "t", schema, lambda args: ran.append(args), permissions=("x:y",))
    person = Person("always", "deny")
    rt = runtime(profile=ASK, approver=person)
    first = call(rt, "raw", {"v": granted}, door=door)
    second = call(rt, "raw", {"v": other}, door=door)
    assert {first.get("code"), second.get("code")} & {"denied", "invalid_arguments"}
    assert len(ran) <= 1


def test_the_order_of_arguments_does_not_matter(ran, runtime):
    person = Person("always")
    rt = runtime(profile=ASK, approver=person)
    call(rt, args={"path": "a", "options": {"x": 1}})
    call(rt, args={"options": {"x": 1}, "path": "a"})
    assert len(person.asked) == 1


def test_a_sessions_yes_for_a_task_with_a_strange_name_stays_with_it(ran, runtime):
    person = Person("session", "deny")
    rt = runtime(profile=ASK, approver=person)
    assert "code" not in call(rt, task_id="*")
    assert call(rt, task_id="other")["code"] == "denied"


def test_a_sessions_yes_ends_with_its_task(ran, runtime):
    person = Person("session", "deny")
    rt = runtime(profile=ASK, approver=person)
    assert "code" not in call(rt, task_id="t")
    rt.end_task("t")
    assert call(rt, task_id="t")["code"] == "denied"


@pytest.mark.parametrize(("scope", "is_kept"), [("session", False), ("always", True)])
def test_only_a_permanent_yes_outlives_its_runtime(ran, runtime, scope, is_kept):
    person = Person(scope, "deny")
    assert "code" not in call(runtime(profile=ASK, approver=person), task_id="t")
    again = call(runtime(profile=ASK, approver=person), task_id="t")
    assert ("code" not in again) == is_kept


def test_a_yes_covers_the_permissions_it_was_asked_for(registry, runtime):
    needed = [("file:read",), ("file:write",)]
    ran = []
    registry.register(
        "drift",
        "t",
        {"type": "object", "properties": {}},
        lambda args: ran.append(args),
        permissions=lambda args: needed[len(ran)],
    )
    rt = runtime(profile=ASK, approver=Person("always", "deny"))
    assert "code" not in call(rt, "drift", {"v": 1})
    assert call(rt, "drift", {"v": 1})["code"] == "denied"


def test_the_journal_says_how_a_call_was_approved(ran, runtime):
    rt = runtime(profile=ASK, approver=Person("once", "session", "deny"))
    call(rt, args={"path": "a"})
    call(rt, args={"path": "b"})
    call(rt, args={"path": "b"})
    call(rt, args={"path": "c"})
    assert [entry.verdict for entry in reversed(rt.journal.entries())] == [
        "once",
        "session",
        "session",
        "deny",
    ]


def test_calls_of_one_message_are_asked_about_one_by_one_in_order(ran, runtime):
    asked, open_questions = [], 0

    async def person(request):
        nonlocal open_questions
        open_questions += 1
        assert open_questions == 1
        await asyncio.sleep(0)
        asked.append(request.call_id)
        open_questions -= 1
        return "once" if request.call_id != "2" else "deny"

    rt = runtime(profile=ASK, approver=person)
    calls = [{"id": str(n), "name": "write", "arguments": {"path": str(n)}} for n in range(1, 4)]
    answers = rt.call_many_sync(calls)
    assert asked == ["1", "2", "3"]
    assert [json.loads(answer["content"]).get("code") for answer in answers] == [
        None,
        "denied",
        None,
    ]
    assert sorted(ran) == [("1", None), ("3", None)]
