"""``hermes env``: what there is, whether it works, and a shell in it."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios

import pytest

from hermes.cli import main

SECONDS = 20
LIAR = """\
from dataclasses import replace
from hermes.app import backends
from hermes.environments.local import LocalEnvironment

class Liar(LocalEnvironment):
    async def execute(self, command, watcher):
        return replace(await super().execute(command, watcher), exit_code=0)

def make(ground, place):
    made = backends.SHIPPED["local"].make(ground, place)
    made.__class__ = Liar
    return made

BACKEND = backends.Backend("liar", "Says that all is well.", make, lambda settings: None)
"""


@pytest.fixture
def hermes(environ, tmp_path):
    """Return what runs the command in a workspace: exit code, output, errors."""
    (tmp_path / "workspace").mkdir()

    def run(*words, **given):
        done = subprocess.run(
            [sys.executable, "-m", "hermes", "env", *words],
            env=environ,
            cwd=tmp_path / "workspace",
            capture_output=True,
            text=True,
            timeout=60,
            **given,
        )
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def liar(environ, tmp_path):
    """Install a package whose environment does not tell exit codes."""
    info = tmp_path / "packages" / "liar-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: liar\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[hermes.environments]\nliar = liar:BACKEND\n")
    (tmp_path / "packages" / "liar.py").write_text(LIAR)
    environ["PYTHONPATH"] = str(tmp_path / "packages")


def test_every_environment_is_listed_with_what_it_lacks(hermes, environ):
    environ["HERMES_TERMINAL_ENVIRONMENT"] = "ssh"
    code, printed, _ = hermes("list", "--json")
    found = {one["name"]: one for one in json.loads(printed)}
    assert code == 0
    assert [name for name, one in found.items() if one["chosen"]] == ["ssh"]
    assert found["ssh"] == {
        "name": "ssh",
        "about": "Another machine, by your own OpenSSH client.",
        "chosen": True,
        "available": False,
        "missing": "no machine is named",
        "fix": "hermes config set ssh.host NAME",
    }


def test_the_list_tells_a_person_what_to_do(on_terminal):
    code, seen = on_terminal("env", "list", NO_COLOR="1")
    assert code == 0
    assert re.search(r"^local +chosen +This machine", seen, re.MULTILINE)
    assert re.search(r"^docker +\S+ +no image is named → \S*hermes config set docker", seen, re.M)


def test_the_doctor_says_what_each_environment_lacks(capsys, monkeypatch):
    main(["doctor", "--json"])
    rows = {row["subject"]: row for row in json.loads(capsys.readouterr().out)["findings"]}
    assert rows["env local"]["message"] == "chosen"
    assert rows["env ssh"]["level"] == "note"
    monkeypatch.setenv("HERMES_TERMINAL_ENVIRONMENT", "ssh")
    assert main(["doctor", "--json"]) == 1
    rows = {row["subject"]: row for row in json.loads(capsys.readouterr().out)["findings"]}
    assert rows["env ssh"] == {
        "level": "broken",
        "subject": "env ssh",
        "message": "no machine is named",
        "fix": "hermes config set ssh.host NAME",
    }


@pytest.mark.proves("environment-checks")
def test_an_environment_is_held_against_one_check_of_every_kind(hermes):
    code, printed, _ = hermes("test", "local", "--quick", "--json")
    told = json.loads(printed)
    assert (code, told["environment"], told["ok"], told["failed"]) == (0, "local", True, 0)
    assert told["passed"] == len({check["group"] for check in told["checks"]}) >= 13


@pytest.mark.proves("environment-checks")
def test_an_environment_that_breaks_its_word_is_found_out(hermes, liar, on_terminal):
    wanted = ("--check", "exit_codes_are_told", "--check", "streams_are_kept_apart")
    code, printed, _ = hermes("test", "liar", *wanted)
    rows = [line.split("\t") for line in printed.splitlines()]
    assert code == 1
    assert [row[:2] for row in rows] == [
        ["exit_codes_are_told", "failed"],
        ["streams_are_kept_apart", "passed"],
    ]
    code, seen = on_terminal("env", "test", "liar", *wanted, NO_COLOR="1")
    assert code == 1
    assert "failed: exit_codes_are_told: " in seen
    assert re.search(r"liar passed 1 check, failed 1 in [\d.]+ s\.\n$", seen)


def test_what_cannot_be_tested_is_told(hermes):
    assert hermes("test", "ssh")[0::2] == (
        1,
        "hermes: no machine is named\nhint: hermes config set ssh.host NAME\n",
    )
    code, _, told = hermes("test", "--check", "exit_codes_are_tole")
    assert (code, told.splitlines()[1]) == (2, "hint: Did you mean 'exit_codes_are_told'?")
    assert hermes("test", "lokal")[0] == 2


def test_one_command_has_the_streams_and_its_exit_code_is_kept(hermes, tmp_path):
    script = "cat; echo wrong >&2; pwd; touch /usr/planted; exit 7"
    code, printed, told = hermes("shell", "--", "sh", "-c", script, input="given\n")
    assert (code, printed) == (7, f"given\n{tmp_path}/workspace\n")
    assert told.startswith("wrong\n")
    assert "planted" in told


def test_a_script_is_read_from_a_pipe(hermes):
    assert hermes("shell", "local", input="A=1\necho $A\nkill -9 $$\n")[:2] == (137, "1\n")


class Seated:
    """A person on a terminal in front of the command."""

    def __init__(self, environ, cwd):
        self.leader, follower = pty.openpty()
        self.resize(90, 25)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hermes", "env", "shell"],
            env=environ,
            cwd=cwd,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)),
        )
        os.close(follower)
        self.seen = ""

    def resize(self, columns, rows):
        fcntl.ioctl(self.leader, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.leader, text.encode())

    def until(self, text):
        while text not in self.seen:
            assert select.select([self.leader], [], [], SECONDS)[0], self.seen
            self.seen += os.read(self.leader, 65536).decode()
        self.seen = self.seen.partition(text)[2]


def test_a_person_sits_in_a_shell_as_on_their_own_terminal(environ, tmp_path):
    seat = Seated(environ, tmp_path)
    seat.until("[local] ")
    seat.type("stty size\r")
    seat.until("25 90\r\n")
    seat.until("[local] ")
    seat.resize(70, 20)
    os.kill(seat.process.pid, signal.SIGWINCH)
    seat.type("while [ \"$(stty size)\" != '20 70' ]; do :; done; echo is resi''zed\r")
    seat.until("is resized")
    seat.until("[local] ")
    seat.type("sh -c 'echo wait\"\"ing; exec cat'\r")
    seat.until("waiting")
    seat.type("\x03")
    seat.until("[local] ")
    seat.type("echo code $?\r")
    seat.until("code 130")
    seat.until("[local] ")
    seat.type("exit 9\r")
    seat.until("exit\r\n")
    assert seat.process.wait(SECONDS) == 9
    os.close(seat.leader)
