"""The completion scripts in real shells: a person types, presses Tab, and the word is there."""

import os
import pty
import select
import shutil
import subprocess
import sys

import pytest

from hermes.cli import main

TAB, START_OF_LINE, ENTER = "\t", "\x01", "\n"
SECONDS = 20
TYPED = {
    "hermes to": "hermes tool",
    "hermes tool call sl": "hermes tool call sleep",
    "hermes tool call sleep sec": "hermes tool call sleep seconds=",
    "hermes tool call clipboard action=w": "hermes tool call clipboard action=write",
    "hermes toolset show tool_s": "hermes toolset show tool_search",
    "./hermes config get journal.en": "./hermes config get journal.enabled",
}


class Terminal:
    """A shell on a terminal, which is typed at."""

    def __init__(self, command, environ, folder):
        self.folder = folder
        self.leader, follower = pty.openpty()
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environ,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
        )
        os.close(follower)

    def say(self, line, *, until):
        """Type a line and wait until a text is seen."""
        os.write(self.leader, line.encode())
        seen = ""
        while until not in seen:
            assert select.select([self.leader], [], [], SECONDS)[0], seen
            seen += os.read(self.leader, 65536).decode()

    def completed(self, typed):
        """Return what a line becomes when Tab is pressed at its end."""
        self.say(f"{typed}{TAB}{START_OF_LINE}told {ENTER}", until="written")
        return (self.folder / "told").read_text()

    def close(self):
        """End the shell."""
        self.process.kill()
        self.process.wait(SECONDS)
        os.close(self.leader)


def hermes_at(folder):
    """Put a command of that name into a folder."""
    (folder / "hermes").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hermes "$@"\n')
    (folder / "hermes").chmod(0o755)


@pytest.fixture
def shell(tmp_path, environ, capsys):
    """Return a function that starts a shell which knows the command and its completion."""
    hermes_at(tmp_path)
    found = {**environ, "PATH": f"{tmp_path}:{environ['PATH']}", "PS1": "", "HOME": str(tmp_path)}
    started = []

    def start(name, *options, first=""):
        if shutil.which(name) is None:
            pytest.skip(f"needs {name} (apt package {name})")
        assert main(["completion", name]) == 0
        (tmp_path / "completion").write_text(capsys.readouterr().out)
        terminal = Terminal([name, *options], found, tmp_path)
        started.append(terminal)
        told = "told() { printf %s \"$*\" > told; echo wri''tten; }"
        terminal.say(f"{told}; {first}. ./completion; echo rea''dy\n", until="ready")
        return terminal

    yield start
    for terminal in started:
        terminal.close()


def test_bash_completes_commands_tools_toolsets_and_arguments(shell):
    terminal = shell("bash", "--norc", "--noprofile", "-i")
    assert {typed: terminal.completed(typed) for typed in TYPED} == TYPED


def test_zsh_completes_commands_tools_toolsets_and_arguments(shell):
    terminal = shell("zsh", "-f", "-i", first="autoload -U compinit; compinit -u -d dump; ")
    assert {typed: terminal.completed(typed) for typed in TYPED} == TYPED


def test_zsh_finds_the_script_in_its_function_path(shell):
    place = "mkdir f; mv completion f/_hermes; touch completion; fpath=($PWD/f $fpath); "
    terminal = shell("zsh", "-f", "-i", first=f"{place}autoload -U compinit; compinit -u -d dump; ")
    assert terminal.completed("hermes tool call sl") == "hermes tool call sleep"


def test_fish_completes_commands_tools_toolsets_and_arguments(tmp_path, environ, capsys):
    if shutil.which("fish") is None:
        pytest.skip("needs fish (apt package fish)")
    hermes_at(tmp_path)
    assert main(["completion", "fish"]) == 0
    script = capsys.readouterr().out
    for typed, completed in TYPED.items():
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"{script}\ncomplete -C '{typed}'"],
            cwd=tmp_path,
            env={**environ, "PATH": f"{tmp_path}:{environ['PATH']}", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        words = [line.partition("\t")[0] for line in done.stdout.splitlines()]
        assert completed.split()[-1] in words, done
