"""The gate: rules first, a person last, and any doubt means no."""

import asyncio
import json

import pytest

from hermes.base.errors import ConfigError, HermesError
from hermes.policy.verdict import ALLOWED, Verdict
from hermes.runtime.declare import entry_attached, entry_of
from hermes.runtime.entry import by
from hermes.runtime.hooks import Rewrite
from hermes.tools.tool_search.tool_call import tool_call

doors = pytest.mark.parametrize("door", ["sync", "async"])


@pytest.fixture
def ran(registry):
    found = []

    def write(path: str, lines: list[str] | None = None):
        found.append((path, lines))
        return "written"

    registry.add(entry_of(write, permissions=["file:write"]))
    registry.add(entry_of(lambda: found.append("free"), name="free"))
    return found


def call(rt, name="write", args=None, *, door="sync", **options):
    args = {"path": "a"} if args is None and name == "write" else args
    if door == "sync":
        return json.loads(rt.call_sync(name, args, **options))
    return json.loads(asyncio.run(rt.call(name, args, **options)))


class Person:
    """An approver that remembers what it was asked."""

    def __init__(self, answer="once"):
        self.answer = answer
        self.asked = []

    async def __call__(self, request):
        self.asked.append(request)
        return self.answer


@doors
@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ({"allow": ["file:write"]}, None),
        ({"allow": ["file:*"]}, None),
        ({"allow": ["*"]}, None),
        ({}, "denied"),
        ({"allow": ["file:read"]}, "denied"),
        ({"allow": ["*"], "deny": ["file:write"]}, "denied"),
        ({"allow": ["*"], "approval_required": ["file:write"]}, "denied"),
        ({"allow": ["*"], "restrictions": {"file:write": {"denied_paths": ["a"]}}}, "denied"),
        ({"allow": ["*"], "restrictions": {"file:write": {"denied_paths": ["b"]}}}, None),
    ],
)
def test_a_profile_decides_and_what_nothing_allows_is_denied(ran, runtime, door, rules, code):
    answer = call(runtime(profile=rules), door=door)
    assert answer.get("code") == code
    assert ran == ([] if code else [("a", None)])


@doors
def test_a_tool_that_needs_no_permission_runs_under_any_profile(ran, runtime, door):
    assert call(runtime(profile={}), "free", {}, door=door) == {"result": None}


def test_a_denial_names_the_reason_and_the_rule(ran, runtime):
    answer = call(runtime(profile={"allow": ["*"], "deny": ["file:*"]}))
    assert answer == {
        "error": "profile 'inline' denies file:write",
        "code": "denied",
        "hint": "The rule is 'deny: file:*'; only the user can change it.",
        "rule": "deny: file:*",
    }


@doors
@pytest.mark.proves("call-no-effect-before-run")
def test_a_denied_call_never_reaches_its_handler_nor_the_intents(ran, registry, runtime, door):
    registry.add(entry_of(lambda: ran.append("acted"), name="act", permissions=["x:write"]))
    rt = runtime(profile={})
    assert call(rt, "act", {}, door=door)["code"] == "denied"
    assert ran == []
    (entry,) = rt.journal.entries()
    assert (entry.verdict, entry.outcome, entry.status) == ("deny", "denied", "error")
    assert rt.journal.verify().rows == 1


@doors
@pytest.mark.parametrize(
    "verdict",
    [
        Verdict("deny", "judge says no", "rule 1"),
        None,
        "allow",
        True,
        Verdict("maybe", "unknown word"),
    ],
)
@pytest.mark.proves("call-gate-fails-closed")
def test_a_judge_that_says_no_or_nothing_sensible_stops_the_call(ran, runtime, door, verdict):
    rt = runtime()
    rt.gate.judges.append(lambda request: verdict)
    assert call(rt, door=door)["code"] == "denied"
    assert ran == []


@doors
@pytest.mark.parametrize(
    "error", [ValueError("x"), HermesError("no"), ConfigError("no"), RecursionError(), KeyError(1)]
)
@pytest.mark.proves("call-gate-fails-closed")
def test_a_judge_that_breaks_stops_the_call(ran, runtime, door, error):
    def judge(request):
        raise error

    rt = runtime(profile={"allow": ["*"]})
    rt.gate.judges.append(judge)
    assert call(rt, door=door)["code"] == "denied"
    assert ran == []


@doors
@pytest.mark.proves("call-gate-fails-closed")
def test_permissions_that_cannot_be_worked_out_stop_the_call(ran, registry, runtime, door):
    registry.add(
        entry_of(lambda: ran.append(1), name="odd", permissions=lambda args: 1 / 0, effects="read")
    )
    for rules in ({}, {"allow": ["*"]}):
        assert "error" in call(runtime(profile=rules), "odd", {}, door=door)
    assert ran == []


@doors
@pytest.mark.parametrize("first", ["allow", "ask", "deny"])
@pytest.mark.parametrize("second", ["allow", "ask", "deny"])
def test_the_strictest_of_all_judges_counts(ran, runtime, door, first, second):
    person = Person()
    rt = runtime(approver=person)
    rt.gate.judges += [lambda _: Verdict(first, "one"), lambda _: Verdict(second, "two")]
    denied = "deny" in (first, second)
    asked = not denied and "ask" in (first, second)
    assert call(rt, door=door).get("code") == ("denied" if denied else None)
    assert len(person.asked) == asked
    assert len(ran) == (not denied)


@doors
@pytest.mark.proves("call-denied-not-asked")
def test_a_person_is_never_asked_when_a_rule_denies_anyway(ran, registry, runtime, door):
    both = ["file:write", "network:fetch"]
    registry.add(entry_of(lambda: ran.append(1), name="both", permissions=both))
    person = Person("always")
    for denying in ({"deny": ["network:*"]}, {"allow": []}, {"tools": {"both": "deny"}}):
        rt = runtime(profile={"approval_required": ["file:write"], **denying}, approver=person)
        assert call(rt, "both", {}, door=door)["code"] == "denied"
    rt = runtime(profile={"approval_required": ["*"]}, approver=person)
    rt.gate.judges.append(lambda _: Verdict("deny", "no"))
    assert call(rt, "both", {}, door=door)["code"] == "denied"
    assert person.asked == [] and ran == []


@doors
@pytest.mark.proves("call-judged-is-run")
def test_judges_see_the_arguments_as_hooks_left_them_and_those_run(ran, runtime, door):
    rt = runtime(profile={"approval_required": ["file:write"]}, approver=(person := Person()))
    seen = []
    rt.gate.judges.append(lambda request: seen.append(dict(request.arguments)) or ALLOWED)
    rt.hooks.add("pre_tool_call", lambda args: Rewrite({"Path": "b", "lines": "['x']"}))
    call(rt, args={"path": "a"}, door=door)
    assert seen == [{"path": "b", "lines": ["x"]}]
    assert person.asked[0].arguments == {"path": "b", "lines": ["x"]}
    assert ran == [("b", ["x"])]


@doors
@pytest.mark.proves("call-judged-is-run")
def test_a_judge_cannot_change_what_runs(ran, runtime, door):
    rt = runtime()

    def meddle(request):
        request.arguments["path"] = "/etc/passwd"
        request.arguments["lines"].append("root")
        return ALLOWED

    rt.gate.judges.append(meddle)
    given = {"path": "a", "lines": ["x"]}
    call(rt, args=given, door=door)
    assert ran == [("a", ["x"])]
    assert given == {"path": "a", "lines": ["x"]}


@doors
@pytest.mark.proves("call-judged-is-run")
def test_a_caller_cannot_change_what_runs_once_it_is_judged(ran, runtime, door):
    given = {"path": "a", "lines": ["x"]}

    async def person(request):
        given["path"] = "/etc/passwd"
        given["lines"].append("root")
        return "once"

    rt = runtime(profile={"approval_required": ["file:write"]}, approver=person)
    call(rt, args=given, door=door)
    assert ran == [("a", ["x"])]


@doors
@pytest.mark.proves("call-judged-is-run")
def test_an_approver_cannot_change_what_runs(ran, runtime, door):
    async def person(request):
        request.arguments["path"] = "/etc/passwd"
        request.arguments["lines"].append("root")
        return "once"

    rt = runtime(profile={"approval_required": ["file:write"]}, approver=person)
    call(rt, args={"path": "a", "lines": ["x"]}, door=door)
    assert ran == [("a", ["x"])]


@doors
def test_permissions_follow_the_arguments(ran, registry, runtime, door):
    def store(action: str):
        ran.append(action)

    registry.add(entry_of(store, permissions=by("action", get="s:read", put="s:write")))
    rt = runtime(profile={"allow": ["s:read"]})
    assert "code" not in call(rt, "store", {"action": "get"}, door=door)
    for action in ("put", "PUT", "unforeseen"):
        assert call(rt, "store", {"action": action}, door=door)["code"] == "denied"
    assert ran == ["get"]


@doors
@pytest.mark.proves("offer-unwrapped")
def test_a_call_through_tool_call_is_judged_as_the_tool_inside(ran, registry, runtime, door):
    registry.add(entry_attached(tool_call))
    wrapped = {"name": "write", "arguments": {"path": "a"}}
    seen = []
    rt = runtime(profile={"allow": ["other:*"]})
    rt.hooks.add("pre_tool_call", lambda name, args: seen.append((name, dict(args))))
    assert call(rt, "tool_call", wrapped, door=door)["code"] == "denied"
    assert seen == [("write", {"path": "a"})] and ran == []
    rt = runtime(profile={"allow": ["file:write"]})
    assert call(rt, "tool_call", wrapped, door=door) == {"result": "written"}


def test_a_profile_is_chosen_by_name_from_the_permissions_file(ran, runtime, hermes_home):
    (hermes_home / "hermes_permissions.yaml").write_text(
        "profiles:\n  writer: {allow: ['file:*']}\n  reader: {allow: ['file:read']}\n"
    )
    assert call(runtime(profile="writer")) == {"result": "written"}
    assert call(runtime(profile="reader"))["code"] == "denied"
    assert call(runtime(config={"permissions": {"profile": "reader"}}))["code"] == "denied"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("profiles: {writer: {}}", "writer"),
        ("profiles: [writer]", "profiles"),
        ("", "profiles"),
    ],
)
def test_a_profile_that_cannot_be_had_is_an_error_and_never_no_profile(
    ran, runtime, hermes_home, text, words
):
    (hermes_home / "hermes_permissions.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        runtime(profile="writr")
    assert words in f"{caught.value} {caught.value.hint}"
    assert ran == []


@pytest.mark.parametrize(
    "rules", [{"alow": []}, {"allow": "file:read"}, {"deny": [1]}, {"restrictions": ["x"]}]
)
def test_wrong_rules_are_an_error_and_nothing_runs(ran, runtime, rules):
    with pytest.raises(ConfigError):
        runtime(profile=rules)
    assert ran == []
