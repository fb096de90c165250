"""Which permission profile is in force."""

import json
import os
import subprocess
import sys

import pytest

from hermes.app.profiles import PERMISSIONS_FILE, resolve_profile
from hermes.base.errors import ConfigError
from hermes.config.load import load as load_settings
from hermes.policy.permissions import Profile

TWO = "profiles:\n  tight: {allow: ['file:read']}\n  wide: {allow: ['*']}\n"


@pytest.fixture
def file(hermes_home):
    return hermes_home / PERMISSIONS_FILE


def resolved(rules=None, **config):
    return resolve_profile(load_settings(overrides=config), rules)


def test_without_name_and_file_the_shipped_default_is_meant_and_nothing_is_loaded():
    assert resolved() is None
    program = (
        "import sys; from hermes.app.profiles import resolve_profile; "
        "from hermes.config.load import load; assert resolve_profile(load()) is None; "
        "print(sorted({'yaml', 'pathlib', 'hermes.policy.permissions'} & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert ran.stdout.strip() == "[]"


def test_a_name_given_beats_the_setting_which_beats_the_files_default(file):
    file.write_text(f"default_profile: tight\n{TWO}  other: {{}}\n")
    assert resolved().name == "tight"
    assert resolved(permissions={"profile": "other"}).name == "other"
    assert resolved("wide", permissions={"profile": "other"}).name == "wide"
    assert resolved({}, permissions={"profile": "other"}) == Profile("inline")


def test_a_file_without_a_default_puts_nothing_in_force(file):
    file.write_text(TWO)
    assert resolved() is None


def test_profiles_that_ship_can_be_named_and_extended(file):
    assert resolved("trusted").judge(["danger:delete"]).decision == "allow"
    assert resolved(permissions={"profile": "readonly"}).name == "readonly"
    mine = resolved({"extends": "developer", "deny": ["env:write"]})
    assert mine.judge(["danger:delete"]).decision == "ask"
    assert mine.judge(["env:write"]).decision == "deny"
    file.write_text("default_profile: headless\nprofiles: {}\n")
    assert resolved().name == "headless"


def test_a_restriction_narrows_whatever_is_in_force(file):
    narrow = resolve_profile(load_settings(), None, {"deny": ["env:*"]})
    assert narrow.judge(["env:read"]).decision == "deny"
    assert narrow.judge(["file:read"]).decision == "allow"
    assert narrow.judge(["danger:delete"]).decision == "ask"
    wide = resolve_profile(load_settings(), {"allow": ["a:b"]}, {"allow": ["*"]})
    assert [wide.judge([name]).decision for name in ("a:b", "a:c")] == ["allow", "deny"]
    file.write_text("broken: [")
    closed = resolve_profile(load_settings(), None, {"allow": ["*"]})
    assert closed.judge(()).decision == "deny"
    with pytest.raises(ConfigError):
        resolve_profile(load_settings(), None, ["env:*"])


def test_rules_may_be_a_mapping_or_a_profile():
    assert resolved({"deny": ["A:B"]}) == Profile("inline", deny=("a:b",))
    assert resolved(Profile("mine", deny=("A:B",))) == Profile("mine", deny=("a:b",))


@pytest.mark.parametrize("rules", [[], 0, 5, False, True, {1: 2}, ["tight"], {"deny": 5}, b"tight"])
def test_what_is_no_profile_is_a_config_error(rules):
    with pytest.raises(ConfigError) as caught:
        resolved(rules)
    assert caught.value.hint


@pytest.mark.parametrize("name", ["tigt", "", "Tight", "nothing like it"])
def test_a_named_profile_that_is_not_there_is_a_config_error(file, name):
    with pytest.raises(ConfigError, match="there is no permission profile") as caught:
        resolved(name)
    assert PERMISSIONS_FILE in caught.value.hint
    file.write_text(TWO)
    with pytest.raises(ConfigError, match="there is no permission profile") as caught:
        resolved(name)
    assert "tight" in caught.value.hint


def broken(file, how):
    if how == "folder":
        file.mkdir()
    elif how == "link to nowhere":
        file.symlink_to(file.with_name("missing"))
    elif how == "pipe":
        os.mkfifo(file)
    else:
        file.write_bytes(how)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("folder", "hermes_permissions.yaml: is not a file. Put a YAML file"),
        ("link to nowhere", "hermes_permissions.yaml: cannot be read: No such file"),
        ("pipe", "hermes_permissions.yaml: is not a file"),
        (b"profiles:\n  a: {}\n  # \xff\n", "hermes_permissions.yaml:3: is not UTF-8 text. Save"),
        (b"", "hermes_permissions.yaml:1: must map 'profiles' to profiles. Write it like"),
        (b"profiles: [\n", "hermes_permissions.yaml:2: is not YAML"),
        (b"profiles:\n  a: {deny: false}\n", "hermes_permissions.yaml:2: profile 'a': 'deny'"),
        (b"default_profile: b\nprofiles: {a: {}}\n", "hermes_permissions.yaml:1: default_profile"),
        (b"profiles: {}\n" + b"#" * 300_000, "hermes_permissions.yaml: is larger than 256 KB"),
    ],
)
def test_a_broken_file_closes_everything_and_says_why(file, how, words):
    broken(file, how)
    verdict = resolved().judge(())
    assert verdict.decision == "deny"
    assert words in verdict.reason
    with pytest.raises(ConfigError, match=r"hermes_permissions\.yaml"):
        resolved("a")


def test_rules_that_are_handed_in_need_no_file(file):
    file.write_text("broken: [")
    assert resolved({"allow": ["*"]}) == Profile("inline", allow=("*",))


@pytest.mark.proves("policy-closed")
def test_under_a_broken_file_tools_are_listed_and_no_call_runs(file, registry, runtime):
    ran = []
    registry.register("free", "mine", {"type": "object"}, lambda args: ran.append(args))
    file.write_text("profiles:\n  tight: {deny: {'terminal:execute': false}}\n")
    rt = runtime(config={"journal.enabled": False})
    assert [tool["function"]["name"] for tool in rt.definitions()] == ["free"]
    answer = json.loads(rt.call_sync("free"))
    assert answer["code"] == "denied"
    assert f"{file}:2: profile 'tight': 'deny' must be a list" in answer["error"]
    assert "Write it like `deny: [file:read" in answer["error"]
    assert ran == []


def test_the_files_default_is_in_force(file, registry, runtime):
    made = {"type": "object"}
    registry.register("look", "mine", made, lambda args: "seen", permissions=["file:read"])
    registry.register("act", "mine", made, lambda args: "done", permissions=["file:write"])
    file.write_text(f"default_profile: tight\n{TWO}")
    rt = runtime(config={"journal.enabled": False})
    assert json.loads(rt.call_sync("look")) == {"result": "seen"}
    assert json.loads(rt.call_sync("act"))["error"] == "profile 'tight' does not allow file:write"
