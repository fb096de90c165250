import stat
from argparse import Namespace

import pytest

from hermes.cli import mcp_door, mcp_serve
from hermes.cli.command import Usage

NOTHING = {
    "profile": None,
    "toolsets": None,
    "cwd": None,
    "http": None,
    "token_file": None,
    "no_token": False,
    "allow_host": [],
    "allow_origin": [],
}


def options(**given):
    return Namespace(**{**NOTHING, **given})


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ("127.0.0.1:8000", ("127.0.0.1", 8000)),
        ("8123", ("127.0.0.1", 8123)),
        (":8123", ("127.0.0.1", 8123)),
        ("localhost", ("localhost", 8000)),
        ("[::1]:9000", ("::1", 9000)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),
    ],
)
def test_an_address_can_be_said_in_short(given, where):
    door = mcp_door.opened(options(http=given))
    assert (door.host, door.port) == where


@pytest.mark.parametrize("given", ["127.0.0.1:http", "127.0.0.1:99999", "a:-1"])
def test_an_address_that_is_none_is_refused(given):
    with pytest.raises(Usage):
        mcp_door.opened(options(http=given))


@pytest.mark.proves("mcp-serve-door")
def test_a_token_is_made_and_printed_once_where_none_is_given(capsys):
    door = mcp_door.opened(options(http="8000"))
    said = capsys.readouterr()
    assert len(door.token) >= 40
    assert said.out == ""
    assert said.err.count(door.token) == 1


def test_a_token_file_is_made_for_its_owner_alone_and_kept(tmp_path, capsys):
    file = tmp_path / "new" / "token"
    first = mcp_door.opened(options(http="8000", token_file=str(file))).token
    assert first not in capsys.readouterr().err
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert mcp_door.opened(options(http="8000", token_file=str(file))).token == first


def test_settings_name_the_token_file_and_who_is_let_in(tmp_path, hermes_home):
    file = tmp_path / "token"
    file.write_text("a-token-of-some-length\n")
    lines = [
        "mcp_serve:",
        f"  token_file: {file}",
        "  hosts: [tools.example]",
        "  origins: ['https://app.example']",
    ]
    (hermes_home / "config.yaml").write_text("\n".join(lines))
    door = mcp_door.opened(options(http="8000", allow_host=["more.example"]))
    assert door.token == "a-token-of-some-length"
    assert door.hosts == ("tools.example", "more.example")
    assert door.origins == ("https://app.example",)


@pytest.mark.parametrize("text", ["", "short", "two words of some length", "\x00" * 20])
def test_a_file_without_a_good_token_is_refused(tmp_path, text):
    file = tmp_path / "token"
    file.write_text(text)
    with pytest.raises(Usage, match="no good token"):
        mcp_door.opened(options(http="8000", token_file=str(file)))


@pytest.mark.proves("mcp-serve-door")
def test_no_token_is_for_this_machine_alone():
    assert mcp_door.opened(options(http="127.0.0.1:8000", no_token=True)).token is None
    with pytest.raises(Usage, match="this machine alone"):
        mcp_door.opened(options(http="0.0.0.0:8000", no_token=True))
    with pytest.raises(Usage, match="exclude each other"):
        mcp_door.opened(options(http="8000", no_token=True, token_file="x"))


@pytest.mark.parametrize("given", [{"no_token": True}, {"token_file": "x"}, {"allow_host": ["x"]}])
def test_what_is_for_http_is_refused_without_it(given):
    with pytest.raises(Usage, match="HTTP only"):
        mcp_serve.serve(options(**given))


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(Usage, match="no folder"):
        mcp_serve.serve(options(cwd=str(tmp_path / "none")))
