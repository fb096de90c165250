"""The terminal through its public door: what a model calls and what it reads."""

import asyncio
import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from hermes import Runtime


@pytest.fixture
def drive(hermes_home, tmp_path):
    """Run a coroutine that is given a caller, with a runtime in a workspace of its own."""

    def run(story, **options):
        async def main():
            async with Runtime(cwd=tmp_path, **options) as rt:

                async def call(command=None, *, tool="terminal", task=None, **more):
                    arguments = more if command is None else {"command": command, **more}
                    return json.loads(await rt.call(tool, arguments, task))

                return await asyncio.wait_for(story(call), 50)

        return asyncio.run(main())

    return run


@pytest.mark.proves("terminal-state")
def test_state_lasts_within_a_task_and_never_beyond(drive):
    async def story(call):
        await call(
            "cd /usr; export A=1; B=2; f() { echo f$1; }; alias g='echo g'; shopt -s nullglob"
        )
        for _ in range(50):
            await call("true")
        mine = await call("pwd; echo $A$B; f 3; g 4; shopt nullglob")
        other = await call("pwd; echo [$A$B]; f 3", task="other")
        return mine, other

    mine, other = drive(story)
    assert mine["stdout"] == "/usr\n12\nf3\ng 4\nnullglob       \ton\n"
    assert other["stdout"].endswith("[]\n")
    assert other["exit_code"] == 127


@pytest.mark.proves("terminal-state")
def test_changes_of_commands_that_run_together_are_all_kept(drive):
    async def story(call):
        await asyncio.gather(*(call(f"sleep 0.1; export V{n}={n}") for n in range(8)))
        return await call("echo $V0$V1$V2$V3$V4$V5$V6$V7")

    assert drive(story)["stdout"] == "01234567\n"


def test_a_folder_for_one_command_counts_for_that_one(drive, tmp_path):
    odd = tmp_path / "a (b) ü"
    odd.mkdir()

    async def story(call):
        return (
            await call("pwd", workdir=str(odd)),
            await call("pwd"),
            await call("pwd", workdir="no"),
        )

    there, back, missing = drive(story)
    assert there["stdout"] == f"{odd}\n"
    assert back["stdout"] == f"{tmp_path}\n"
    assert missing["exit_code"] == 126


@pytest.mark.parametrize("end", ["exit 3", "kill -9 $$", "exec true", "set -e; false"])
def test_a_command_that_ends_the_shell_costs_nothing_else(drive, end):
    async def story(call):
        await call("export KEPT=yes; cd /usr")
        ended = await call(end)
        return ended, await call("echo $KEPT; pwd")

    ended, after = drive(story)
    assert isinstance(ended["exit_code"], int)
    assert after["stdout"] == "yes\n/usr\n"


@pytest.mark.proves("terminal-stops")
def test_a_command_whose_time_is_up_is_stopped_with_its_output(drive):
    async def story(call):
        late = await call("echo before; sleep 30; echo after", timeout=0.3)
        loop = await call("while :; do :; done", timeout=0.3)
        return late, loop, await call("echo alive")

    late, loop, after = drive(story)
    assert (late["stdout"], late["timed_out"]) == ("before\n", True)
    assert loop["timed_out"]
    assert after["stdout"] == "alive\n"


def test_a_command_goes_on_in_the_background_if_asked(drive):
    async def story(call):
        moved = await call(
            "echo one; sleep 0.5; echo two", timeout=0.2, timeout_action="background"
        )
        ended = await call(tool="process", action="wait", session_id=moved["session_id"])
        log = await call(tool="process", action="log", session_id=moved["session_id"])
        return moved, ended, log, await call("echo here")

    moved, ended, log, after = drive(story)
    assert moved["stdout"] == "one\n"
    assert ended["exit_code"] == 0
    assert log["output"] == "one\ntwo"
    assert after["stdout"] == "here\n"


@pytest.mark.proves("terminal-background")
def test_the_background_is_fed_followed_and_told_of_once(drive):
    async def story(call):
        await call("export WHO=world")
        started = await call(
            'echo ready; read x; echo "$x $WHO"',
            background=True,
            notify_on_complete=True,
            watch_patterns=["ready"],
        )
        name = started["session_id"]
        await call(tool="process", action="submit", session_id=name, data="hello")
        ended = await call(tool="process", action="wait", session_id=name)
        again = await call(tool="process", action="poll", session_id=name)
        return started, ended, again

    started, ended, again = drive(story)
    told = [notice["event"] for one in (started, ended, again) for notice in one.get("notices", ())]
    assert ended["output"] == "ready\nhello world\n"
    assert sorted(told) == ["ended", "matched"]
    assert again["output"] == ""


def test_a_terminal_is_given_and_answered(drive):
    async def story(call):
        seen = await call("test -t 0 && stty size", pty=True)
        asked = await call("read -p 'name? ' x; echo hi $x", background=True, pty=True)
        name = asked["session_id"]
        await call(tool="process", action="submit", session_id=name, data="you")
        return seen, await call(tool="process", action="wait", session_id=name)

    seen, asked = drive(story)
    assert seen["stdout"] == "40 120\n"
    assert "hi you" in asked["output"]


CURSES = """
import curses
def draw(screen):
    screen.addstr(1, 4, "what next?")
    screen.refresh()
    key = screen.getkey()
    screen.addstr(2, 4, f"you said {key}")
    screen.refresh()
    screen.getkey()
curses.wrapper(draw)
"""


def test_a_screen_that_a_program_draws_is_shown_as_text_and_answered(drive, tmp_path):
    (tmp_path / "draw.py").write_text(CURSES)

    async def story(call):
        asked = await call("TERM=xterm python3 draw.py", background=True, pty=True)
        name = asked["session_id"]
        screens = [""]

        async def until(words):
            for _ in range(200):
                seen = await call(tool="process", action="poll", session_id=name)
                screens.append(seen.get("screen", screens[-1]))
                if words in screens[-1]:
                    return
                await asyncio.sleep(0.02)

        await until("what next?")
        await call(tool="process", action="write", session_id=name, data="y")
        await until("you said y")
        await call(tool="process", action="write", session_id=name, data="q")
        return screens[-1], await call(tool="process", action="wait", session_id=name)

    screen, ended = drive(story)
    assert screen.split("\n")[1:3] == ["    what next?", "    you said y"]
    assert ended["exit_code"] == 0


def test_much_output_is_shown_at_both_ends_and_saved(drive):
    async def story(call):
        return await call("seq 1 100000")

    got = drive(story)
    assert got["truncated"]
    assert got["stdout"].startswith("1\n2\n")
    assert got["stdout"].endswith("99999\n100000\n")
    assert Path(got["saved"]).read_text(encoding="utf-8").split()[-1] == "100000"


def test_what_is_left_running_does_not_hold_the_answer_and_is_not_killed(drive, tmp_path):
    async def story(call):
        started = await call("(sleep 0.5; echo late; touch done) & echo now")
        await call("while [ ! -e done ]; do sleep 0.05; done", timeout=10)
        return started

    assert drive(story)["stdout"] == "now\n"
    assert (tmp_path / "done").exists()


@pytest.fixture
def outside():
    """A folder of the person's home, which no box shows."""
    folder = Path(tempfile.mkdtemp(prefix=".hermes-test-", dir=Path.home()))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.proves("terminal-power")
def test_a_command_gets_exactly_what_was_allowed(drive, outside):
    asked = []

    async def yes(request):
        asked.append(request.reason)
        return "once"

    async def story(call):
        await call("rm() { echo shadow; }; export LD_PRELOAD=/nothing.so GIVEN=1")
        allowed = await call(f"touch {outside}/y && echo $GIVEN [$LD_PRELOAD]; type -t rm")
        return allowed, await call("rm")

    allowed, after = drive(story, approver=yes)
    assert allowed["stdout"] == "1 []\nfile\n"
    assert after["stdout"] == "shadow\n"
    assert "y" in os.listdir(outside)
    assert len(asked) == 2  # the library, and the folder


@pytest.mark.proves("terminal-power")
def test_what_nobody_understood_stays_in_the_box(drive, outside):
    async def story(call):
        return await call(
            f"cp /bin/true ./tool && ./tool && make -f - <<< 'all:; touch {outside}/x'"
        )

    drive(story)
    assert os.listdir(outside) == []


def test_nobody_to_ask_means_no_more_than_the_sandbox(drive):
    async def story(call):
        return await call("true", access="outside")

    assert drive(story)["code"] == "denied"


def test_secrets_of_hermes_reach_no_command(drive, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")

    async def story(call):
        return await call("env; cat /proc/$PPID/environ"), await call("env", background=True)

    first, _ = drive(story)
    assert "sk-canary" not in json.dumps(first)


def test_numbers_are_explained_where_they_mean_something(drive):
    async def story(call):
        return [
            (await call(command)).get("meaning")
            for command in (
                "grep -q no /etc/passwd-no || grep x /dev/null",
                "nosuch",
                "sh -c 'kill $$'",
            )
        ]

    none, missing, killed = drive(story)
    assert none == "no match; not an error"
    assert missing == "a command was not found"
    assert "TERM" in killed


def test_a_folder_that_is_gone_is_told(drive, tmp_path):
    async def story(call):
        await call("mkdir gone; cd gone")
        (tmp_path / "gone").rmdir()
        return await call("echo fine")

    got = drive(story)
    assert got["stdout"] == "fine\n"
    assert "removed" in got["note"]


FETCH = (
    "python3 -c 'import urllib.request as u; u.urlopen(\"http://nowhere.invalid/\")' 2>/dev/null"
)


def test_what_the_sandbox_held_back_is_told_of_that_command_alone(drive):
    async def story(call):
        return (
            await call(FETCH),
            await call("false"),
            await call(f"{FETCH}; true"),
            await call("false"),
        )

    refused, after, well, last = drive(story)
    assert "nowhere.invalid" in refused["denied_by"]
    assert not any("denied_by" in each for each in (after, well, last))
