"""Screens name the command as it was typed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.cli import main
from hermes.cli.invoked import as_invoked, program

LAUNCHER = Path(__file__).parent.parent.parent / "hermes"


@pytest.mark.parametrize(
    ("typed", "path", "expected"),
    [
        ("hermes", "/bin", "hermes"),
        ("./hermes", "/bin", "./hermes"),
        ("../tools/hermes", "/bin", "../tools/hermes"),
        ("/opt/hermes/bin/hermes", "/bin:/opt/hermes/bin", "hermes"),
        ("/opt/hermes/bin/hermes", "/bin", "/opt/hermes/bin/hermes"),
        ("/a clone/hermes", "/bin", "'/a clone/hermes'"),
        ("/site-packages/hermes/__main__.py", "/bin", "hermes"),
        ("-c", "/bin", "hermes"),
    ],
)
def test_the_command_is_named_as_it_can_be_typed_again(monkeypatch, typed, path, expected):
    monkeypatch.setattr(sys, "argv", [typed])
    monkeypatch.setenv("PATH", path)
    assert program() == expected


def test_only_commands_in_a_text_are_named_anew(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["./hermes"])
    text = "hermes runs; see 'hermes tool list', /x/hermes tool and hermes --help of hermes"
    assert as_invoked(text) == (
        "hermes runs; see './hermes tool list', /x/hermes tool and ./hermes --help of hermes"
    )


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ((), "  ./hermes tool call system_info"),
        (("--help",), "Usage: ./hermes COMMAND"),
        (("journal",), "  ./hermes journal verify"),
        (("tool", "call", "-h"), "| ./hermes tool call sleep --stdin"),
        (("tool", "show", "nope"), "hint: './hermes tool list'"),
        (("tool", "list", "extra"), "'./hermes tool list --help'"),
        (("config", "get", "xyzzyq", "--json"), "'./hermes config list'"),
    ],
)
def test_every_screen_and_hint_shows_what_was_typed(monkeypatch, capsys, words, shown):
    monkeypatch.setattr(sys, "argv", ["./hermes"])
    main(words)
    out, err = capsys.readouterr()
    assert shown in out + err


@pytest.fixture
def clone(tmp_path):
    """A folder with the launcher, which believes that it is set up."""
    (tmp_path / "hermes").write_text(LAUNCHER.read_text(encoding="utf-8"), encoding="utf-8")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    for file in (tmp_path / "hermes", python):
        file.chmod(0o755)
    (tmp_path / ".venv" / ".hermes-base").write_text(f"{tmp_path.resolve()}\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("typed", ["./hermes", "{clone}/hermes", "hermes"])
def test_the_launcher_tells_how_it_was_called(clone, environ, typed):
    words = [typed.format(clone=clone), "config", "get", "xyzzyq", "--json"]
    path = f"{clone}{os.pathsep}{environ['PATH']}" if typed == "hermes" else environ["PATH"]
    done = subprocess.run(
        ["sh", "-c", '"$@"', "sh", *words],
        cwd=clone,
        env=environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert json.loads(done.stdout)["hint"] == f"'{words[0]} config list' shows every key."
