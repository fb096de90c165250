"""Servers of other clients' files."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import ConfigError
from hermes.mcp.importing import read_servers


@pytest.fixture
def read(tmp_path):
    def read(content, name="mcp.json"):
        file = tmp_path / name
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return read_servers(file)

    return read


def test_claude_desktop_and_cursor(read):
    found = read(
        {
            "mcpServers": {
                "filesystem": {
                    "command": "npx",
                    "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
                    "env": {"DEBUG": 1, "TOKEN": "${env:TOKEN}"},
                },
                "docs": {"url": "https://docs.example/mcp", "headers": {"X": "y"}},
                "old": {"type": "sse", "url": "https://old.example/sse"},
            }
        }
    )
    assert found.servers == {
        "filesystem": {
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
            "env": {"DEBUG": "1", "TOKEN": "${env:TOKEN}"},
        },
        "docs": {"url": "https://docs.example/mcp", "headers": {"X": "y"}},
        "old": {"url": "https://old.example/sse", "transport": "sse"},
    }
    assert (found.notes, found.left) == ((), ())


def test_claude_code_has_servers_of_projects_too(read):
    found = read(
        {
            "mcpServers": {"a": {"type": "stdio", "command": "a"}},
            "projects": {"/work": {"mcpServers": {"b": {"type": "http", "url": "https://b.c"}}}},
        }
    )
    assert found.servers == {"a": {"command": "a"}, "b": {"url": "https://b.c"}}


def test_vs_code_with_comments_and_inputs(read):
    found = read(
        """{
          // my servers
          "inputs": [{"id": "github-token", "type": "promptString", "password": true}],
          "servers": {
            "GitHub (work)": {
              "type": "http", "url": "https://api.example/mcp//x", /* yes */
              "headers": {"Authorization": "Bearer ${input:github-token}"},
            },
            "here": {"command": "run", "args": ["${workspaceFolder}"]},
          },
        }"""
    )
    assert found.servers == {
        "GitHub-work": {
            "url": "https://api.example/mcp//x",
            "headers": {"Authorization": "Bearer ${GITHUB_TOKEN}"},
        }
    }
    assert found.notes == (
        "'GitHub (work)' is called 'GitHub-work' here",
        "GitHub-work: set the variable GITHUB_TOKEN, which was asked for there",
    )
    assert found.left == (
        ("here", "its args has ${workspaceFolder}, which only the other client knows"),
    )


def test_vs_code_settings(read):
    assert read({"mcp": {"servers": {"a": {"command": "a"}}}}).servers == {"a": {"command": "a"}}


def test_zed_in_both_of_its_forms(read):
    found = read(
        {
            "context_servers": {
                "new": {"source": "custom", "command": "a", "args": ["b"]},
                "old": {"command": {"path": "a", "args": ["b"], "env": {"C": "d"}}, "settings": {}},
            }
        },
        "settings.json",
    )
    assert found.servers == {
        "new": {"command": "a", "args": ["b"]},
        "old": {"command": "a", "args": ["b"], "env": {"C": "d"}},
    }
    assert found.notes == ("old: left out settings",)


def test_codex(read):
    found = read(
        """
        model = "x"
        [mcp_servers.a]
        command = "a"
        args = ["b"]
        env_vars = ["KEY"]
        startup_timeout_sec = 20
        tool_timeout_sec = 90
        enabled_tools = ["get"]
        [mcp_servers.b]
        url = "https://b.example/mcp"
        bearer_token_env_var = "B_TOKEN"
        enabled = false
        """,
        "config.toml",
    )
    assert found.servers == {
        "a": {
            "command": "a",
            "args": ["b"],
            "env": {"KEY": "${KEY}"},
            "tools": {"include": ["get"]},
            "timeout": 90,
            "connect_timeout": 20,
        },
        "b": {
            "url": "https://b.example/mcp",
            "headers": {"Authorization": "Bearer ${B_TOKEN}"},
            "enabled": False,
        },
    }


def test_goose(read):
    found = read(
        """
        extensions:
          developer: {type: builtin, name: developer, enabled: true}
          tube:
            type: stdio
            cmd: uvx
            args: [mcp-tube]
            envs: {}
            env_keys: [TUBE_KEY]
            timeout: 300
            enabled: true
          far: {type: streamable_http, uri: "https://far.example/mcp", enabled: true}
        """,
        "config.yaml",
    )
    assert found.servers == {
        "tube": {
            "command": "uvx",
            "args": ["mcp-tube"],
            "env": {"TUBE_KEY": "${TUBE_KEY}"},
            "timeout": 300,
        },
        "far": {"url": "https://far.example/mcp"},
    }
    assert found.left == (("developer", "it is a part of the other client (builtin)"),)


def test_opencode_continue_gemini_windsurf_and_cline(read):
    opencode = {"mcp": {"a": {"type": "local", "command": ["a", "b"], "environment": {"C": "d"}}}}
    assert read(opencode).servers == {"a": {"command": "a", "args": ["b"], "env": {"C": "d"}}}
    many = {"mcpServers": [{"name": "My one", "command": "a"}]}
    assert read(many).servers == {"My-one": {"command": "a"}}
    gemini = {
        "mcpServers": {
            "a": {"httpUrl": "https://a.b", "timeout": 5000, "trust": True, "excludeTools": ["x"]}
        }
    }
    found = read(gemini)
    assert found.servers == {
        "a": {"url": "https://a.b", "tools": {"exclude": ["x"]}, "timeout": 5.0}
    }
    assert found.notes == ("a: what was approved there is not approved here",)
    assert read({"mcpServers": {"a": {"serverUrl": "https://a.b"}}}).servers == {
        "a": {"url": "https://a.b"}
    }
    cline = {"mcpServers": {"a": {"command": "a", "disabled": True, "autoApprove": ["x"]}}}
    assert read(cline).servers == {"a": {"command": "a", "enabled": False}}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, "neither a command nor an address"),
        (3, "not a mapping"),
        ({"url": "https://x", "headers": 3}, "another kind"),
        ({"command": "a", "args": 3}, "another kind"),
        ({"url": "ftp://x"}, "http or https"),
        ({"url": "wss://x", "type": "ws"}, "WebSocket"),
        ({"command": "a", "env": {"A": {}}}, "no text"),
        ({"command": ["a"], "args": [{}]}, "expected a list of texts"),
    ],
)
def test_what_cannot_be_taken_is_left_with_a_reason(read, body, why):
    found = read({"mcpServers": {"bad": body, "good": {"command": "x"}}})
    assert list(found.servers) == ["good"]
    ((name, reason),) = found.left
    assert name == "bad"
    assert why in reason


def test_two_of_one_name_are_told(read):
    found = read({"mcpServers": {"a b": {"command": "x"}, "A-b": {"command": "y"}, "..": {}}})
    assert list(found.servers) == ["a-b"]
    assert [name for name, _ in found.left] == ["A-b", ".."]


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"mcpServers": {}}', "nonsense"])
def test_a_file_without_servers_is_refused(read, content):
    with pytest.raises(ConfigError):
        read(content)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="No such file"):
        read_servers(tmp_path / "none.json")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["command", "args", "env", "url", "headers", "type", "mcp", "timeout"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
)


@given(json_values)
def test_any_file_is_read_or_refused(tmp_path_factory, value):
    file = tmp_path_factory.mktemp("any") / "mcp.json"
    file.write_text(json.dumps({"mcpServers": value}))
    with contextlib.suppress(ConfigError):
        read_servers(file)
