"""The profiles that ship, judged on what people and models do."""

import pytest

from hermes.policy.deeds import Asked, deed_of, place
from hermes.policy.guesses import inferred_permissions
from hermes.policy.profiles import shipped
from hermes.policy.shipped import DEFAULT, PROFILES
from hermes.policy.subjects import subjects_of

HERE = place("/workspace", ("/workspace",), "/home/me", "/home/me/.hermes")
CALLS = {
    "look": ("terminal", {"command": "git status && ls"}),
    "build": ("terminal", {"command": "make test > log.txt"}),
    "lose": ("terminal", {"command": "git reset --hard && rm -rf src"}),
    "wipe": ("terminal", {"command": "rm -rf /"}),
    "bomb": ("terminal", {"command": ":(){ :|:& };:"}),
    "read": ("read_file", {"path": "a.py"}),
    "key": ("read_file", {"path": "~/.ssh/id_rsa"}),
    "write": ("write_file", {"path": "a.py"}),
    "dotenv": ("write_file", {"path": "/workspace/.env"}),
    "outside": ("write_file", {"path": "/etc/hosts"}),
    "fetch": ("web_extract", {"url": "https://example.com/"}),
    "metadata": ("web_extract", {"url": "http://169.254.169.254/"}),
    "search": ("web_search", {"query": "x"}),
}
WORDS = {
    "developer": "aaQDDaQaaQaDa",
    "trusted": "aaaDDaaaaaaDa",
    "headless": "aaDDDaDaaDaDa",
    "readonly": "aDDDDaDDDDaDa",
    "readonly_research": "DDDDDaDDDDaDa",
    "full_developer": "aaaDDaaaDDaDa",
    "production_deploy": "DDDDDDDDDDaDD",
}


def word(name, call):
    tool, arguments = CALLS[call]
    subjects = subjects_of(arguments, None)
    permissions = inferred_permissions(tool, subjects, arguments)
    found = deed_of(Asked((tool,), permissions, arguments, None, HERE))
    return shipped().by_name[name].judge_deed(found).decision


@pytest.mark.parametrize("name", WORDS)
def test_each_profile_says_what_it_promises(name):
    said = {call: word(name, call) for call in CALLS}
    meant = {"a": "allow", "Q": "ask", "D": "deny"}
    assert said == {call: meant[letter] for call, letter in zip(CALLS, WORDS[name], strict=True)}


def test_all_profiles_are_told_of():
    assert set(PROFILES) == set(WORDS)
    assert DEFAULT == "developer"
    assert all(each.description for each in shipped().by_name.values())


@pytest.mark.parametrize(
    ("name", "permission", "decision"),
    [
        ("full_developer", "env:write", "deny"),
        ("production_deploy", "docker:run", "ask"),
        ("production_deploy", "database:write", "ask"),
        ("production_deploy", "git:read", "allow"),
        ("production_deploy", "git:write", "deny"),
        ("developer", "env:write", "allow"),
        ("readonly", "env:write", "deny"),
        ("readonly", "env:read", "allow"),
    ],
)
def test_permissions_by_name(name, permission, decision):
    assert shipped().by_name[name].judge([permission]).decision == decision
