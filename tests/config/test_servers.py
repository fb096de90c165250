import json

import pytest

from hermes.base.errors import ConfigError
from hermes.config.interpolating import resolved, secrets_of
from hermes.config.kinds import Mistyped
from hermes.config.load import load
from hermes.config.servers import ServerSettings, server_of, servers_of


def settings_of(tmp_path, text):
    (tmp_path / "config.yaml").write_text(text)
    return load(tmp_path, environ={})


def test_a_server_has_defaults_for_all_that_is_not_said(tmp_path):
    settings = settings_of(
        tmp_path, "mcp_servers:\n  time:\n    command: uvx\n    args: [mcp-server-time, 1]\n"
    )
    server = settings.mcp_servers["time"]
    assert (server.command, server.args, server.is_local) == ("uvx", ("mcp-server-time", "1"), True)
    assert (server.timeout, server.connect_timeout, server.enabled, server.eager) == (
        300,
        60,
        True,
        False,
    )
    assert (server.parallel, server.elicitation, server.roots) == (True, True, True)
    assert (server.sandbox, server.advisories, server.transport) == (None, "warn", "http")
    assert server.tools.resources
    assert not server.sampling.enabled
    assert json.loads(json.dumps(settings.as_dict()))["mcp_servers"]["time"]["command"] == "uvx"


def test_no_server_is_configured_by_default(tmp_path):
    assert load(tmp_path, environ={}).mcp_servers == {}
    assert settings_of(tmp_path, "mcp_servers: {}\n").mcp_servers == {}


def test_settings_of_servers_are_frozen_and_compare_by_value():
    one = server_of("a", {"command": "x", "env": {"TOKEN": "first-secret"}})
    assert one == server_of("a", {"command": "x", "env": {"TOKEN": "first-secret"}})
    assert one != server_of("a", {"command": "x", "env": {"TOKEN": "other-secret"}})
    with pytest.raises(AttributeError, match="frozen"):
        one.command = "y"
    with pytest.raises(TypeError):
        one.env["TOKEN"] = "z"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "a: needs a 'command' to start or a 'url'"),
        ({"command": "x", "url": "http://h"}, "a: has both"),
        ({"url": "ftp://h"}, "a.url: expected an http or https address"),
        ({"command": "x", "headers": {"A": "b"}}, "belong to a server with a 'url'"),
        ({"comand": "x"}, "a.comand: unknown setting; did you mean 'command'?"),
        ({"command": "x", "tools": {"inclde": []}}, "a.tools.inclde: unknown setting"),
        ({"command": "x", "tools": ["a"]}, "a.tools: expected a section with include"),
        ({"command": "x", "timeout": 0}, "a.timeout: expected a number of seconds above 0"),
        ({"command": "x", "args": "-y"}, "a.args: expected a list of texts"),
        ({"command": "x", "env": {"A": [1]}}, "a.env: expected a mapping of names to texts"),
        ("npx", "a: expected {command"),
    ],
)
def test_what_is_wrong_with_a_server_is_said_with_its_key(body, words):
    with pytest.raises(Mistyped) as caught:
        servers_of({"a": body})
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["", "a b", "ä", "-a", "_a", "a:b", "a/b", "x" * 49])
def test_a_name_that_would_not_fit_into_names_of_tools_is_refused(name):
    with pytest.raises(Mistyped, match="cannot name a server"):
        servers_of({name: {"command": "x"}})


def test_names_that_differ_only_in_case_are_refused():
    with pytest.raises(Mistyped, match="differ only in their case"):
        servers_of({"Files": {"command": "x"}, "files": {"command": "y"}})


def test_variables_are_put_in_at_the_moment_of_use():
    server = server_of(
        "a",
        {
            "url": "https://${HOST}/mcp",
            "headers": {"Authorization": "Bearer ${env:TOKEN}", "X": "${NONE:-else}"},
            "tools": {"include": ["b"]},
        },
    )
    made = resolved("a", server, {"HOST": "h", "TOKEN": "t0ken-value"})
    assert made.url == "https://h/mcp"
    assert dict(made.headers) == {"Authorization": "Bearer t0ken-value", "X": "else"}
    assert made.tools.include == ("b",)
    assert server.url == "https://${HOST}/mcp"


def test_a_variable_that_is_not_set_is_named_with_its_place():
    server = server_of("a", {"command": "x", "env": {"K": "${MISSING_ONE}"}})
    with pytest.raises(ConfigError) as caught:
        resolved("a", server, {})
    assert "mcp_servers.a.env.K: the variable MISSING_ONE is not set" in caught.value.message
    assert "Set MISSING_ONE" in caught.value.hint


def test_listings_show_references_and_hide_secrets():
    server = server_of(
        "a",
        {
            "command": "x",
            "args": ["--key", "ghp_0123456789abcdefghijABCDEFGHIJ012345"],
            "env": {"API_KEY": "literal-secret", "OTHER_TOKEN": "${T}", "MODE": "fast"},
        },
    )
    shown = server.as_dict()
    assert shown["env"] == {"API_KEY": "***", "OTHER_TOKEN": "${T}", "MODE": "fast"}
    assert "ghp_0123" not in repr(shown)
    assert "literal-secret" not in repr(server)
    remote = server_of("b", {"url": "https://h", "headers": {"Authorization": "Bearer abcdef123"}})
    assert remote.as_dict()["headers"] == {"Authorization": "***"}


def test_secrets_are_known_to_those_who_must_hide_them():
    server = server_of(
        "a",
        {"url": "https://h/${PATH_TOKEN}", "headers": {"Authorization": "Bearer ${TOKEN}"}},
    )
    environ = {"TOKEN": "abcdefgh", "PATH_TOKEN": "qwertyuiop"}
    assert set(secrets_of(server, environ)) == {"Bearer abcdefgh", "abcdefgh", "qwertyuiop"}


def test_an_empty_value_leaves_a_default():
    assert server_of("a", {"command": "x", "timeout": None}) == ServerSettings({"command": "x"})


def test_the_secret_of_a_client_is_put_in_late_and_never_listed():
    own = {"client_id": "me", "client_secret": "${CLIENT_SECRET}", "port": 7777}
    server = server_of("a", {"url": "https://h/mcp", "auth": "oauth", "oauth": own})
    environ = {"CLIENT_SECRET": "tr1cky-words"}
    filled = resolved("a", server, environ)
    assert (filled.oauth.client_id, filled.oauth.client_secret) == ("me", "tr1cky-words")
    assert filled.oauth.port == 7777
    assert secrets_of(server, environ) == ("tr1cky-words",)
    assert server.as_dict()["oauth"]["client_secret"] == "${CLIENT_SECRET}"
    assert "tr1cky-words" not in json.dumps(filled.as_dict())
