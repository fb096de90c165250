"""Limits: which paths, commands, hosts and values a permission stands for."""

import pytest

from hermes.policy.limit_rules import read
from hermes.policy.limits import breach
from hermes.policy.need import Deed, Need
from hermes.policy.paths import UNKNOWN, Places

PLACES = Places(("/ws",), "/home/me", "/home/me/.hermes")


def broken(limits, need=None, **arguments):
    deed = Deed(("t",), arguments=arguments, places=PLACES)
    found = breach(read(limits), need or Need("network:fetch", kind="command"), deed, is_exact=True)
    return found.limit if found else None


def path(text, permission="file:write"):
    return Need(permission, text, "path")


@pytest.mark.parametrize(
    ("subject", "limit"),
    [
        ("/ws/a", None),
        ("/tmp/a", "allowed_paths"),
        ("/ws/.env", "denied_paths"),
        ("/ws/.ENV", "denied_paths"),
        (f"/ws/{UNKNOWN}", "denied_paths"),
        (UNKNOWN, "allowed_paths"),
        ("/ws/../etc/passwd", "allowed_paths"),
    ],
)
def test_paths(subject, limit):
    limits = {"allowed_paths": ["${workspace}/**"], "denied_paths": ["/ws/.env"]}
    assert broken(limits, path(subject)) == limit


def test_a_path_that_nobody_knows_is_none_of_the_allowed():
    assert broken({"allowed_paths": ["/ws/**"]}, path(f"/ws/{UNKNOWN}")) == "allowed_paths"
    assert broken({"allowed_paths": []}, path("/ws/a")) == "allowed_paths"


def test_deleting_a_folder_deletes_what_is_denied_in_it():
    limits = {"denied_paths": ["/ws/keep/**"]}
    assert broken(limits, path("/ws", "file:delete")) == "denied_paths"
    assert broken(limits, path("/ws", "file:write")) is None


def test_commands():
    def need(*words, is_understood=True):
        return Need("terminal:execute", " ".join(words), "command", None, (words,), is_understood)

    limits = {"allowed_commands": ["git *"], "denied_commands": ["git push *"]}
    assert broken(limits, need("git", "log")) is None
    assert broken(limits, need("ls")) == "allowed_commands"
    assert broken(limits, need("git", "push")) == "denied_commands"
    assert broken(limits, need("git", "log", is_understood=False)) == "allowed_commands"
    denied = {"denied_commands": ["git push *"]}
    assert broken(denied, need("git", "log")) is None
    assert broken(denied, need("git", "log", is_understood=False)) == "denied_commands"


@pytest.mark.parametrize(
    ("kind", "subject", "limit"),
    [
        ("url", "https://example.com/x", None),
        ("url", "https://api.example.com/", None),
        ("url", "https://bad.example.com/", "denied_hosts"),
        ("url", "https://example.org/", "allowed_hosts"),
        ("url", "https://example.com@example.org/", "url form"),
        ("host", "example.com", None),
        ("host", "example.org", "allowed_hosts"),
        ("host", UNKNOWN, "allowed_hosts"),
        ("host", "", "allowed_hosts"),
    ],
)
def test_hosts(kind, subject, limit):
    limits = {
        "allowed_hosts": ["example.com", "*.example.com"],
        "denied_hosts": ["bad.example.com"],
    }
    assert broken(limits, Need("network:fetch", subject, kind)) == limit


def test_no_allowed_host_means_none():
    assert broken({"allowed_hosts": []}, Need("n:f", "example.com", "host")) == "allowed_hosts"


@pytest.mark.parametrize(
    ("limits", "arguments", "limit"),
    [
        ({"methods": ["GET", "HEAD"]}, {}, None),
        ({"methods": ["GET", "HEAD"]}, {"method": "head"}, None),
        ({"methods": ["GET", "HEAD"]}, {"method": "POST"}, "methods"),
        ({"methods": ["POST"]}, {}, "methods"),
        ({"max": {"n": 5}}, {"n": 5}, None),
        ({"max": {"n": 5}}, {"n": 5.1}, "max"),
        ({"max": {"n": 5}}, {"n": "12"}, "max"),
        ({"max": {"n": 5}}, {"n": "abcdef"}, "max"),
        ({"max": {"n": 5}}, {"n": [0] * 6}, "max"),
        ({"max": {"n": 5}}, {"n": None}, None),
        ({"max": {"n": 5}}, {}, None),
        ({"regex": {"b": "feature/.*"}}, {"b": "feature/x\ny"}, None),
        ({"regex": {"b": "feature/.*"}}, {"b": "x feature/y"}, "regex"),
        ({"regex": {"b": "[a-z]+"}}, {"b": ["ab", "c1"]}, "regex"),
        ({"regex": {"b": "[a-z]+"}}, {}, None),
    ],
)
def test_argument_values(limits, arguments, limit):
    assert broken(limits, **arguments) == limit
