"""Calls are judged by what they would do: in the gate, by task, and cheaply where that is plain."""

import asyncio
import json
from pathlib import Path

import pytest

from hermes.base.errors import ConfigError
from hermes.policy.profile_rules import profile
from hermes.policy.subjects import subjects_of
from hermes.runtime.call_policy import CallPolicy, Described, Surroundings, declared_subjects
from hermes.runtime.context import ToolContext
from hermes.runtime.declare import entry_of
from hermes.runtime.entry import by

doors = pytest.mark.parametrize("door", ["sync", "async"])


class Person:
    """An approver that remembers what it was asked."""

    def __init__(self, answer="once"):
        self.answer, self.asked = answer, []

    async def __call__(self, request):
        self.asked.append(request)
        return self.answer


@pytest.fixture
def ran(registry):
    found = []

    def terminal(command: str):
        found.append(command)

    def store(path: str, text: str = ""):
        found.append(path)

    def get(url: str):
        found.append(url)

    def execute(program: str):
        found.append(program)

    def free(words: str = ""):
        found.append("free")

    registry.add(
        entry_of(terminal, permissions=["terminal:execute"], subjects={"command": "command"})
    )
    registry.add(entry_of(store, permissions=["file:write"], subjects={"path": "path"}))
    registry.add(entry_of(get, permissions=["network:fetch"], subjects={"url": "url"}))
    registry.add(
        entry_of(execute, permissions=["code:execute"], subjects={"program": "code:python"})
    )
    registry.add(entry_of(free))
    return found


def call(rt, name, door="sync", **arguments):
    if door == "sync":
        return json.loads(rt.call_sync(name, arguments))
    return json.loads(asyncio.run(rt.call(name, arguments)))


HARMLESS = [
    ("terminal", {"command": "git status"}),
    ("store", {"path": "a.txt", "text": "rm -rf /"}),
    ("get", {"url": "https://example.com/"}),
    ("execute", {"program": "print(1)"}),
    ("free", {"words": "rm -rf /"}),
]
DANGEROUS = [
    ("terminal", {"command": "git push --force"}),
    ("store", {"path": "/etc/passwd"}),
    ("store", {"path": "../elsewhere"}),
    ("execute", {"program": "import shutil; shutil.rmtree('/srv/data')"}),
]
FLOOR = [
    ("terminal", {"command": "rm -rf /"}),
    ("terminal", {"command": "echo x; sudo rm -rf ~"}),
    ("store", {"path": "~/.hermes-home/hermes_permissions.yaml"}),
    ("execute", {"program": "import shutil; shutil.rmtree('/')"}),
]


@pytest.fixture
def make(runtime, tmp_path, monkeypatch):
    """Make runtimes that work in a folder of their own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / ".hermes-home"))
    (tmp_path / "ws").mkdir()

    def make(**options):
        return runtime(cwd=tmp_path / "ws", **options)

    return make


@doors
@pytest.mark.parametrize(("name", "arguments"), HARMLESS)
def test_harmless_calls_run_unasked(ran, make, door, name, arguments):
    person = Person("deny")
    assert "error" not in call(make(approver=person), name, door, **arguments)
    assert (len(ran), person.asked) == (1, [])


@doors
@pytest.mark.parametrize(("name", "arguments"), DANGEROUS)
def test_dangers_are_asked_about_once_and_denied_without_a_person(ran, make, door, name, arguments):
    person = Person("once")
    assert "error" not in call(make(approver=person), name, door, **arguments)
    assert (len(ran), len(person.asked)) == (1, 1)
    assert person.asked[0].rule == "approval_required: danger:*"
    assert call(make(), name, door, **arguments)["code"] == "denied"
    headless = make(profile="headless", approver=person)
    assert call(headless, name, door, **arguments)["code"] == "denied"
    assert (len(ran), len(person.asked)) == (1, 1)
    assert "error" not in call(make(profile="trusted"), name, door, **arguments)


@doors
@pytest.mark.proves("policy-floor")
@pytest.mark.parametrize(("name", "arguments"), FLOOR)
def test_the_floor_holds_under_trust_and_is_never_asked_about(ran, make, door, name, arguments):
    person = Person("always")
    answer = call(make(profile="trusted", approver=person), name, door, **arguments)
    assert answer["rule"].startswith("floor:")
    assert (ran, person.asked) == ([], [])


@doors
def test_an_address_inside_is_denied_and_opened_in_the_settings(ran, make, door):
    local = {"url": "http://localhost:8000/"}
    answer = call(make(profile="trusted"), "get", door, **local)
    assert answer["rule"] == "urls: loopback addresses"
    opened = make(config={"urls": {"allow_private": True}})
    assert "error" not in call(opened, "get", door, **local)


def test_names_tell_the_subjects_of_tools_that_declare_none(registry, make):
    ran = []
    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    registry.register("foreign", "mcp", schema, lambda args: ran.append(args))
    assert call(make(), "foreign", command="git push --force")["code"] == "denied"
    assert call(make(), "foreign", command="ls", path="~/.ssh/id_rsa")["code"] == "denied"
    assert call(make(), "foreign", nested={"url": "http://[::1]/"})["code"] == "denied"
    assert "error" not in call(make(), "foreign", command="ls")
    assert ran == [{"command": "ls"}]


def test_a_tool_can_say_that_nothing_of_it_is_a_subject(registry, make):
    registry.add(entry_of(lambda path: path, name="route", subjects={}))
    assert call(make(), "route", path="~/.ssh/id_rsa") == {"result": "~/.ssh/id_rsa"}


def test_every_task_has_a_workspace_of_its_own(ran, make, tmp_path):
    rt = make()
    (tmp_path / "other").mkdir()
    task = rt.task("elsewhere")
    task.cwd = tmp_path / "other"
    assert task.root == str(tmp_path / "ws")
    arguments = {"path": str(tmp_path / "other" / "x")}
    assert json.loads(rt.call_sync("store", arguments, "elsewhere"))["code"] == "denied"
    wide = make(config={"permissions": {"workspace": ["~/other"]}})
    assert "error" not in json.loads(wide.call_sync("store", arguments))
    assert json.loads(wide.call_sync("store", {"path": "../third/x"}))["code"] == "denied"


def test_a_runtime_can_be_narrowed_and_never_widened(ran, make):
    rt = make(profile="trusted", restrict={"tools": {"store": {"denied_paths": ["*.lock"]}}})
    assert call(rt, "store", path="x.lock")["rule"] == "tools: store: restrictions: *.denied_paths"
    assert "error" not in call(rt, "store", path="x.txt")
    rt = make(profile={"allow": ["terminal:*"]}, restrict={"allow": ["*"]})
    assert call(rt, "store", path="x")["code"] == "denied"


@doors
@pytest.mark.proves("policy-at-once")
def test_another_profile_is_in_force_from_the_next_call_on(ran, make, door):
    rt = make(profile="trusted")
    for _ in range(3):
        assert "error" not in call(rt, "free", door)
    rt.gate.profile = profile("shut", {"tools": {"free": "deny"}})
    assert call(rt, "free", door)["code"] == "denied"
    rt.gate.profile = profile("open", {"allow": ["*"]})
    assert "error" not in call(rt, "free", door)
    rt.gate.judges.append(lambda request: 1 / 0)
    assert call(rt, "free", door)["code"] == "denied"


def test_only_tools_whose_calls_may_all_run_are_cleared():
    def plain(n: int = 1): ...

    def with_path(path: str): ...

    policy = CallPolicy(profile("m", {"allow": ["a:*"], "tools": {"ruled": {"max": {"n": 1}}}}))
    looked = {
        "plain": entry_of(plain, permissions=["a:b"]),
        "denied": entry_of(plain, permissions=["b:c"]),
        "with a path": entry_of(with_path, permissions=["a:b"]),
        "of any shape": entry_of(lambda n=1: n, name="x", permissions=["a:b"]),
        "declared": entry_of(plain, subjects={"n": "command"}),
        "by its arguments": entry_of(plain, permissions=by("n", p="a:b", q="b:c")),
        "ruled": entry_of(plain, name="ruled"),
        "under an alias": entry_of(plain, aliases=["ruled"]),
    }
    assert [name for name, entry in looked.items() if policy.clears(entry)] == ["plain"]


def test_paths_that_order_calls_are_subjects_too():
    entry = entry_of(lambda target, q: None, name="x", paths=["target"])
    found = subjects_of({"target": "a", "command": "ls", "x": 1}, declared_subjects(entry))
    assert [each.kind for each in found] == ["path", "command"]
    said = entry_of(lambda target, q: None, name="x", paths=["target"], subjects={"q": "url"})
    assert declared_subjects(said) == {"target": "path", "q": "url"}


@pytest.mark.parametrize("subjects", [{"a": "paths"}, {"a": 5}, ["a"], "command"])
def test_wrong_subjects_are_refused_when_a_tool_is_declared(subjects):
    with pytest.raises(ConfigError):
        entry_of(lambda a: a, name="x", subjects=subjects)


def test_surroundings_are_harmless_by_default():
    policy = CallPolicy(profile("m", {"allow": ["*"]}))
    assert policy.surroundings == Surroundings()
    assert policy.under(profile("n", {})).surroundings is policy.surroundings
    assert Path(policy.surroundings.home).is_absolute()


def test_arguments_without_end_stop_the_call(registry, make):
    ran = []
    registry.register("many", "x", {"type": "object"}, lambda args: ran.append(1))
    assert call(make(), "many", paths=["a"] * 20_000)["code"] == "denied"
    assert ran == []


def test_addresses_that_a_call_comes_to_are_judged_then(registry, make):
    def wander(ctx: ToolContext):
        return ctx.check_url("https://b.example/")

    def blind():
        return "went"

    registry.add(entry_of(wander, permissions=["network:browse"], subjects={"*": "url"}))
    registry.add(entry_of(blind, permissions=["network:browse"], subjects={}))
    limited = {"allow": ["*"], "restrictions": {"network:*": {"allowed_hosts": ["a.example"]}}}
    assert "b.example" in call(make(profile=limited), "wander")["error"]
    assert "nothing can check" in call(make(profile=limited), "blind")["error"]
    limited["restrictions"]["network:*"]["allowed_hosts"] = ["*.example"]
    assert "error" not in call(make(profile=limited), "wander")


def test_who_allows_a_call_allows_the_addresses_it_comes_to(registry, make):
    def wander(ctx: ToolContext, url: str = "https://b.example/"):
        return bool(ctx.check_url(url))

    registry.add(entry_of(wander, permissions=["network:browse"], subjects={"*": "url"}))
    asking = {"allow": ["*"], "approval_required": ["network:browse", "danger:*"]}
    person = Person("once")
    assert call(make(profile=asking, approver=person), "wander") == {"result": True}
    assert len(person.asked) == 1
    token = f"https://b.example/?t=ghp_{'a1B2' * 9}"
    assert call(make(profile=asking, approver=person), "wander", url=token)["code"] == "denied"


RULES = (
    {"allow": ["*"]},
    {"allow": ["file:*"]},
    {"allow": ["file:read"], "approval_required": ["file:write"]},
    {"allow": ["*"], "deny": ["file:write"]},
    {"allow": ["*"], "approval_required": ["danger:*"]},
    {"allow": ["*"], "restrictions": {"file:*": {"denied_paths": ["/etc/**", "./secret/**"]}}},
    {"allow": ["*"], "restrictions": {"file:write": {"max": {"text": 3}}}},
    {"allow": ["*"], "tools": {"store": {"allow": ["file:read"]}}},
    {},
)


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("permission", ["file:read", "file:write", "network:fetch", "x:y"])
@pytest.mark.parametrize("kind", ["path", "path:write", "url", "command"])
@pytest.mark.parametrize("text", ["notes.txt", "secret/a", "/etc/passwd", "~/.ssh/id_rsa", "a" * 9])
def test_the_quick_verdict_is_the_one_of_the_rules(tmp_path, rules, permission, kind, text):
    made = profile("mine", rules)
    policy = CallPolicy(made, Surroundings(str(tmp_path), str(tmp_path / "state")))
    folders = (str(tmp_path), str(tmp_path))
    asked = Described.of(("store",), (permission,), {"it": text}, {"it": kind}, folders)
    for _ in range(2):
        assert policy.judge(asked) == made.judge_deed(policy.deed_of(asked))
