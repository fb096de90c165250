"""What a failed command is told about the sandbox."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.environments.sandbox.box import Limits, make_box
from hermes.environments.sandbox.denials import explain

BOX = replace(
    make_box("/usr", home="/home/me", hermes_home="/home/me/.hermes"),
    writable=("/home/me/work",),
    protected=("/home/me/work/.git/hooks", "/home/me/work/.envrc"),
)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "bash: line 1: /etc/hosts: Read-only file system",
            "/etc/hosts is read-only in the sandbox, which may write /home/me/work.",
        ),
        (
            "touch: cannot touch '/opt/a b': Permission denied",
            "/opt/a b is read-only in the sandbox, which may write /home/me/work.",
        ),
        (
            "cp: cannot create regular file '/home/me/work/.git/hooks/x': Read-only file system",
            "/home/me/work/.git/hooks/x is protected: commands may not change "
            "/home/me/work/.git/hooks.",
        ),
        (
            "bash: line 1: .git/hooks/x: Read-only file system",
            "/home/me/work/.git/hooks/x is protected: commands may not change "
            "/home/me/work/.git/hooks.",
        ),
        (
            "cat: /home/me/.ssh/id_rsa: No such file or directory",
            "/home/me/.ssh is hidden from commands, because it may hold secrets.",
        ),
        (
            "curl: (6) Could not resolve host: pypi.org",
            "The sandbox has no network; ask for the network if the command needs it.",
        ),
        (
            "hermes proxy: evil.example:443 is not among the allowed hosts",
            "The network proxy refused it: evil.example:443 is not among the allowed hosts.",
        ),
        (
            "/usr/bin/bash: line 1: /etc/hosts: Read-only file system",
            "/etc/hosts is read-only in the sandbox, which may write /home/me/work.",
        ),
        (
            "LOG:  could not create Unix socket: Operation not permitted",
            "The sandbox refuses Unix sockets, which could reach programs outside of it: "
            "use pipes, socketpair(), or TCP where the sandbox has a network or a loopback.",
        ),
        ("could not open Unix socket: No such file or directory", None),
        ("make: *** [all] Error 2", None),
        ("cat: /home/me/work/nothing: No such file or directory", None),
    ],
)
def test_the_rule_that_stopped_an_access_is_named(said, expected):
    assert explain(BOX, said, 1, cwd="/home/me/work") == expected


def test_what_the_proxy_refused_is_told_though_the_command_did_not_say_so():
    refused = ["evil.example:443 is not among the allowed hosts"]
    assert explain(BOX, "curl: (56) CONNECT tunnel failed", 56, refused=refused) == (
        "The network proxy refused it: evil.example:443 is not among the allowed hosts."
    )


def test_nothing_is_explained_when_the_command_succeeded():
    assert explain(BOX, "x: /etc/hosts: Read-only file system", 0) is None


def test_a_limit_that_was_reached_is_named():
    limited = replace(BOX, limits=Limits(cpu_seconds=3, file_bytes=10))
    assert explain(limited, "", -24) == "It used more than 3 seconds of processor time."
    assert explain(limited, "", 128 + 25) == "It wrote a file larger than 10 bytes."


def test_with_the_network_on_a_name_that_does_not_resolve_is_not_our_doing():
    assert explain(BOX.granting(network=True), "Could not resolve host: x", 6) is None


@given(st.text(), st.integers(-64, 255), st.text())
def test_explaining_never_fails(said, code, cwd):
    assert explain(BOX, said, code, cwd=cwd) is None or code != 0


def test_a_name_at_the_end_of_a_complaint_is_found():
    said = "sh: 1: cannot create .git/hooks/x: Read-only file system"
    found = explain(BOX, said, 2, cwd="/home/me/work")
    place = "/home/me/work/.git/hooks"
    assert found == f"{place}/x is protected: commands may not change {place}."
