"""Programs of YAML tools inside the boundary of a runtime."""

import asyncio
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.app.boundaries import Boxes, rules_of
from hermes.app.profiles import default_profile
from hermes.app.reaching import check
from hermes.app.reaching import rules_of as hosts_of
from hermes.base.errors import Denied
from hermes.environments.sandbox.backend import Unconfined
from hermes.environments.sandbox.choose import choose
from hermes.policy.profile_rules import profile
from hermes.policy.profiles import shipped
from hermes.policy.urls import UrlRules
from hermes.runtime.boundary import Granted, Launch, Wants
from hermes.runtime.call_policy import CallPolicy, Surroundings
from hermes.runtime.context import Task
from hermes.runtime.yaml_tools import YamlSource

FAULTS = Path(__file__).parents[1] / "faults"
CANARIES = runpy.run_path(str(FAULTS / "sandbox_world.py"))["CANARY_NAMES"]
IS_CONFINED = choose().confines
confined = pytest.mark.skipif(not IS_CONFINED, reason="needs a sandbox: install bubblewrap")


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def call(runtime, workspace, tmp_path):
    """Call a command tool of a script, with further lines of its file, and return the answer."""

    def run(script, more="", **options):
        folder = tmp_path / "tools"
        folder.mkdir(exist_ok=True)
        text = f"name: t\ndescription: d\ntype: command\nargv: [bash, -c, {json.dumps(script)}]\n"
        (folder / "t.yaml").write_text(text + more)
        rt = runtime(cwd=workspace, **options)
        rt.add_source(YamlSource(folder))
        return json.loads(rt.call_sync("t", {}))

    return run


@confined
def test_a_command_writes_its_workspace_and_nothing_else(call, workspace, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    answer = call(f"echo fine > here; cat here; echo no > {outside}/file")
    assert (workspace / "here").read_text() == "fine\n"
    assert list(outside.iterdir()) == []
    assert (answer["code"], answer["stdout"]) == ("exit_code", "fine")


@confined
def test_what_held_a_command_back_is_told_with_the_way_to_allow_it(call):
    answer = call("echo no > /usr/share/planted")
    assert answer["denied_by"].startswith("/usr/share/planted is read-only in the sandbox")
    assert "sandbox: {writable: [PATH]}" in answer["hint"]


@confined
def test_a_tool_file_lets_its_command_write_more(call, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    answer = call(f"echo yes > {outside}/file", f"sandbox: {{writable: [{outside}]}}\n")
    assert answer["exit_code"] == 0
    assert (outside / "file").read_text() == "yes\n"


def test_a_path_that_a_file_lets_write_must_be_there(call, tmp_path):
    answer = call("true", f"sandbox: {{writable: [{tmp_path}/missing]}}\n")
    assert answer["code"] == "unavailable"


@confined
def test_a_tool_file_switches_the_sandbox_off_but_not_under_a_closed_profile(call, tmp_path):
    outside = tmp_path / "outside"
    script, off = f"echo out > {outside}", "sandbox: off\n"
    assert call(script, off)["exit_code"] == 0
    outside.unlink()
    call(script, off, profile="readonly")  # at most into a /tmp of its own
    assert not outside.exists()


@confined
def test_a_readonly_profile_lets_a_command_look_and_change_nothing(call, workspace):
    (workspace / "seen").write_text("seen")
    answer = call("cat seen; touch new", profile="readonly")
    assert (answer["code"], answer["stdout"]) == ("exit_code", "seen")
    assert not (workspace / "new").exists()


@pytest.mark.proves("sandbox-variables")
def test_no_secret_of_the_environment_reaches_a_command(call, monkeypatch):
    assert len(CANARIES) == 38
    for name in set(CANARIES) - {"HERMES_HOME"}:  # which a test has anyway
        monkeypatch.setenv(name, f"canary-{name}-51c0")
    script = "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'"
    said = call(script, "env: {GREETING: hello}\n")["stdout"]
    assert "GREETING=hello" in said
    assert [name for name in CANARIES if f"{name}=" in said or f"canary-{name}-51c0" in said] == []


@confined
def test_the_proxy_says_which_host_it_refused(call):
    answer = call("exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT example.com:443 HTTP/1.1\\r\\n"
                  "\\r\\n' >&3; head -1 <&3; exit 1")  # fmt: skip
    assert answer["denied_by"] == (
        "The network proxy refused it: example.com:443 is refused: "
        "example.com is not among the allowed hosts."
    )


def test_nothing_of_the_sandbox_is_loaded_before_a_program_starts():
    code = (
        "import sys, hermes; hermes.Runtime().call_sync('sleep', {'seconds': 0});"
        "print([name for name in sys.modules if 'environments' in name or 'boundaries' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr) == ("[]\n", "")


class Here:
    """The context of a call in a folder."""

    def __init__(self, folder):
        self.task = Task("t", folder)
        self.told = []

    def progress(self, text):
        self.told.append(text)


def boxes(rules=None):
    found = default_profile() if rules is None else profile("p", rules)
    return Boxes(lambda: CallPolicy(found, Surroundings(str(Path.home()), "/nonexistent")))


def started(boundary, script, folder, **options):
    """Return the exit code of a script, and what its box held back."""

    async def run():
        launch = Launch(["bash", "-c", script], str(folder), {"PATH": os.environ["PATH"]})
        program = await boundary.start(launch, Here(folder), **options)
        try:
            errors = await program.stderr.read()
            code = await program.wait()
        finally:
            await program.close()
        return code, program.denied_by(errors.decode(), code)

    try:
        return asyncio.run(asyncio.wait_for(run(), 20))
    finally:
        boundary.close()


@confined
def test_a_grant_opens_exactly_what_was_granted(workspace, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    script = f"touch {one}/file && touch {other}/file"
    granted = Granted(writable=(str(one),))
    assert started(boxes(), script, workspace, granted=granted)[0] == 1
    assert [(one / "file").exists(), (other / "file").exists()] == [True, False]


def test_what_a_profile_closes_no_file_opens(workspace):
    boundary = boxes({"allow": ["*"], "sandbox": {"fs": "read-only", "net": "off"}})
    box = boundary.box(str(workspace), Wants(writable=(str(workspace),), network="on"))
    if IS_CONFINED:
        assert (box.writable, box.network) == ((), "off")
    assert not boundary.lets_out()


@confined
def test_the_whole_tree_is_no_workspace():
    assert boxes().box("/").writable == ()


def test_every_shipped_profile_has_a_sandbox():
    found = {name: rules_of(one)[:3] for name, one in shipped().by_name.items()}
    usual = ("workspace-write", "proxy", "ask")
    assert found == {
        "developer": usual,
        "trusted": ("workspace-write", "on", "allow"),
        "headless": usual,
        "readonly": ("read-only", "proxy", "deny"),
        "readonly_research": usual,
        "full_developer": usual,
        "production_deploy": usual,
    }


def test_a_profile_that_allows_no_fetching_gives_commands_no_network():
    assert rules_of(profile("p", {"allow": ["terminal:execute"]})).network == "off"
    asking = {"allow": ["*"], "approval_required": ["network:*"]}
    assert rules_of(profile("p", asking)).network == "off"


def test_limits_of_a_profile_hold_for_its_commands(workspace):
    boundary = boxes({"allow": ["*"], "limits": {"memory_mb": 256, "processes": 20}})
    limits = boundary.box(str(workspace)).limits
    assert (limits.memory_bytes, limits.processes) == (256 * 1024 * 1024, 20)


def test_hosts_are_those_of_every_level():
    rules = {"allow": ["*"], "restrictions": {"network:fetch": {"allowed_hosts": ["a.example"]}}}
    assert hosts_of(profile("p", rules), allows_private=False) == (UrlRules(False, ("a.example",)),)
    rules["restrictions"] = {"network:*": {"allowed_hosts": []}}
    (closed,) = hosts_of(profile("p", rules), allows_private=False)
    with pytest.raises(Denied, match="denied host"):
        asyncio.run(check((closed,))("pypi.org", 443))


def test_an_address_of_this_machine_is_refused_whatever_its_name():
    with pytest.raises(Denied, match="this machine itself"):
        asyncio.run(check((UrlRules(allowed_hosts=("*",)),))("localhost", 80))


class Without(Boxes):
    """A boundary on a machine where no sandbox works."""

    backend = Unconfined("nothing works")


def without(word, **more):
    rules = profile("p", {"allow": ["*"], "sandbox": {"on_missing": word}, **more})
    return Without(lambda: CallPolicy(rules, Surroundings(str(Path.home()), "/nonexistent")))


@pytest.mark.parametrize("word", ["allow", "ask", "deny"])
def test_without_a_sandbox_the_profile_decides(word):
    verdict = without(word).judge(None)
    assert verdict.decision == word
    if word != "allow":
        assert verdict.reason == "runs without a sandbox: nothing works"
        assert [finding.category for finding in verdict.findings] == ["opaque"]


def test_without_a_sandbox_and_anybody_to_ask_the_answer_is_no():
    assert without("ask", headless=True).judge(None).decision == "deny"


def test_without_a_sandbox_a_person_is_warned_once(workspace):
    boundary = without("allow")
    assert "There is no sandbox here: nothing works" in boundary.warning()
    assert boundary.warning() is None
    assert started(boundary, "exit 3", workspace) == (3, None)


def test_a_profile_that_wants_a_sandbox_starts_nothing_without(workspace):
    with pytest.raises(Denied, match="there is no sandbox here: nothing works"):
        started(without("deny"), "touch file", workspace)
    assert list(workspace.iterdir()) == []


def test_a_call_that_starts_programs_without_a_sandbox_is_asked_about(call, runtime, monkeypatch):
    monkeypatch.setattr(Boxes, "backend", Unconfined("nothing works"))
    asked = []

    async def refuse(request):
        asked.append(request.reason)
        return "deny"

    assert call("touch file", approver=refuse)["code"] == "denied"
    assert asked == ["runs without a sandbox: nothing works"]
