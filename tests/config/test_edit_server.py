"""Servers come into config.yaml and go, and every other line stays as it was."""

import pytest

from hermes.base.errors import ConfigError
from hermes.config.edit_server import add_server, remove_server, servers_in, switch_server
from hermes.config.load import load

GIT = {"command": "uvx", "args": ["mcp-server-git", "--repo=."], "env": {"LEVEL": "1"}}
FAR = {"url": "https://far.example/mcp", "headers": {"X-Key": "${KEY}"}}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "home/config.yaml"


def given(file, text):
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)


def test_the_first_server_makes_the_file(file):
    add_server(file, "git", GIT)
    assert file.read_text() == (
        "mcp_servers:\n"
        "  git:\n"
        "    command: uvx\n"
        '    args: [mcp-server-git, "--repo=."]\n'
        "    env:\n"
        '      LEVEL: "1"\n'
    )
    assert file.stat().st_mode & 0o777 == 0o600
    assert load(file.parent).mcp_servers["git"].args == ("mcp-server-git", "--repo=.")


def test_comments_and_order_stay_when_servers_come_and_go(file):
    before = (
        "# mine\n"
        "mcp_servers:\n"
        "    # the first\n"
        "    a:\n"
        "        command: a # yes\n"
        "    # after it\n"
        "tools:\n"
        "  disabled: [web]\n"
    )
    given(file, before)
    add_server(file, "git.hub", GIT)
    assert list(servers_in(file)) == ["a", "git.hub"]
    assert "# yes" in file.read_text()
    assert "# after it" in file.read_text()
    switch_server(file, "git.hub", enabled=False)
    assert load(file.parent).mcp_servers["git.hub"].enabled is False
    switch_server(file, "git.hub", enabled=True)
    assert load(file.parent).mcp_servers["git.hub"].enabled is True
    remove_server(file, "git.hub")
    assert file.read_text() == before


@pytest.mark.parametrize(
    "before",
    [
        "mcp_servers:\n",
        "mcp_servers: {}\n",
        "mcp_servers: null # none\n",
        "mcp_servers: {a: {command: x}}\n",
        "tools: {disabled: [web]}",
        "mcp_servers:\n  a: {command: x}",
        "tools:\r\n  disabled: [web]\r\n",
        "mcp_servers:\ntools:\n  disabled: [web]\n",
    ],
)
def test_any_layout_takes_a_server_and_gives_it_back(file, before):
    given(file, before)
    others = servers_in(file)
    add_server(file, "far", FAR)
    assert servers_in(file) == {**others, "far": FAR}
    switch_server(file, "far", enabled=False)
    assert servers_in(file)["far"] == {**FAR, "enabled": False}
    remove_server(file, "far")
    assert servers_in(file) == others
    load(file.parent)


def test_a_server_is_replaced(file):
    add_server(file, "a", GIT)
    add_server(file, "a", FAR)
    assert servers_in(file) == {"a": FAR}


def test_names_that_yaml_reads_otherwise_are_quoted(file):
    for name in ("on", "1", "no", "1e3"):
        add_server(file, name, FAR)
    assert list(servers_in(file)) == ["on", "1", "no", "1e3"]
    switch_server(file, "1e3", enabled=False)
    remove_server(file, "on")
    assert list(servers_in(file)) == ["1", "no", "1e3"]


def test_a_wrong_server_leaves_the_file_as_it_was(file):
    add_server(file, "a", GIT)
    before = file.read_text()
    for name, body in (
        ("b", {}),
        ("b", {"command": "x", "url": "y"}),
        ("!", GIT),
        ("A", GIT),
        ("a", {}),
    ):
        with pytest.raises(ConfigError):
            add_server(file, name, body)
    assert file.read_text() == before


def test_a_server_that_is_not_there_is_told(file):
    add_server(file, "a", GIT)
    for change in (remove_server, lambda *given: switch_server(*given, enabled=True)):
        with pytest.raises(ConfigError, match="there is no server 'b'"):
            change(file, "b")
