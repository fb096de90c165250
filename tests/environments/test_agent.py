"""The agent over two pipes of this machine: every check of the contract, losses, manners."""

import asyncio
import json
import os
import resource
import runpy
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from hermes.environments import bootstrap
from hermes.environments.capture import Capture
from hermes.environments.conformance import CHECKS
from hermes.environments.contract import Command, Refused, Screen
from hermes.environments.inside.frames import HELLO, Frames, pack
from hermes.environments.remote import RemoteEnvironment

HERE = Path(__file__).parent
Here = runpy.run_path(str(HERE / "agent_channel.py"))["Here"]
RUNNING = runpy.run_path(str(HERE / "running.py"))
out = RUNNING["out"]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the agent runs on Linux")


@pytest.fixture
def live(tmp_path):
    """Return what runs a story with an environment and its channel, and closes that."""

    def run(story, **options):
        channel = Here(tmp_path, **options)
        environment = RemoteEnvironment(channel, str(tmp_path))
        return RUNNING["live"](story, environment, channel, seconds=30)

    return run


async def until(environment, name):
    while (await out(environment, f"[ -e {name} ]"))[0].exit_code != 0:
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_agent_passes(check, tmp_path):
    def environment(name):
        (tmp_path / name).mkdir()
        return RemoteEnvironment(Here(tmp_path), str(tmp_path / name))

    RUNNING["passes"](check, environment)


def test_a_lost_agent_costs_what_ran_and_no_state(live):
    async def story(environment, channel):
        await out(
            environment, "export A=1; B=two; f() { echo called; }; alias g='f'; mkdir d; cd d"
        )
        await out(environment, "cd ../d", env={"C": "given"})
        losing = asyncio.ensure_future(out(environment, "echo ran >> ../log; sleep 30"))
        await until(environment, "../log")
        channel.cut()
        lost, _ = await losing
        return lost, await out(environment, "echo $A $B $C; g; basename $PWD; cat ../log")

    lost, (after, printed) = live(story)
    assert (lost.how, lost.exit_code) == ("lost", None)
    assert (after.exit_code, printed) == (0, "1 two given\ncalled\nd\nran\n")


def test_a_place_that_takes_no_more_is_told_and_costs_nothing_else(live, tmp_path):
    (tmp_path / "big").write_bytes(os.urandom(3_000_000))

    async def story(environment, channel):
        await out(environment, "true")
        agent = channel.programs[-1]._popen.pid
        resource.prlimit(agent, resource.RLIMIT_FSIZE, (100_000, 100_000))
        with pytest.raises(OSError, match="too large"):
            await environment.upload(str(tmp_path / "big"), str(tmp_path / "there"))
        await environment.upload(__file__, str(tmp_path / "small"))
        return await out(environment, "echo fine")

    assert live(story)[1] == "fine\n"
    assert (tmp_path / "small").read_bytes() == Path(__file__).read_bytes()
    assert not (tmp_path / "there").exists()


def test_changes_of_commands_beside_the_shell_survive_a_loss(live):
    async def story(environment, channel):
        await asyncio.gather(
            *(out(environment, f"export P{n}={n}; sleep 0.1") for n in range(4)),
        )
        await out(environment, "sleep 0.3")
        channel.cut()
        for _ in range(100):
            outcome, printed = await out(environment, "echo $P0$P1$P2$P3")
            if outcome.how == "exited":
                return printed
        return "always lost"

    assert live(story) == "0123\n"


def test_what_runs_in_the_background_is_told_to_be_lost(live):
    async def story(environment, channel):
        process = await environment.spawn(Command("sleep 30"), Capture())
        channel.cut()
        outcome = await process.wait()
        with pytest.raises(BrokenPipeError):
            await process.write(b"x")
        await process.close()
        return outcome.how, (await out(environment, "echo on"))[1]

    assert live(story) == ("lost", "on\n")


def test_a_watch_goes_on_after_a_loss(live, tmp_path):
    async def story(environment, channel):
        seen = []
        stop = await environment.files.watch(str(tmp_path), lambda *news: seen.append(news))
        channel.cut()
        while not seen:
            await environment.files.stat(str(tmp_path)) if environment._link.lost.is_set() else None
            await asyncio.sleep(0.01)
        await environment.files.write(str(tmp_path / "new"), b"x")
        while not any(path.endswith("/new") for _, path in seen):
            await asyncio.sleep(0.01)
        stop()
        return seen[0]

    assert live(story) == ("overflow", "")


def test_nothing_of_this_process_reaches_the_commands(live, monkeypatch):
    monkeypatch.setenv("CANARY", "seen")

    async def story(environment, channel):
        return (await out(environment, "env; ls /proc/self/fd"))[1]

    printed = live(story)
    assert "CANARY" not in printed
    assert printed.splitlines()[-4:] == ["0", "1", "2", "3"]


def test_python_that_is_missing_is_told(live):
    async def story(environment, channel):
        await environment.start()

    with pytest.raises(Refused) as refused:
        live(story, path="/nowhere")
    assert refused.value.message == "python3 is missing on this machine"
    assert "3.8" in refused.value.hint


def test_an_old_python_is_told(live, tmp_path):
    script = tmp_path / "python3"
    script.write_text(
        f"#!/bin/sh\necho 'hermes: Python 2.7 is too old' >&2; exit {bootstrap.TOO_OLD}\n"
    )
    script.chmod(0o755)

    async def story(environment, channel):
        await environment.start()

    with pytest.raises(Refused, match=r"Python 2\.7 is too old on this machine"):
        live(story, path=f"{tmp_path}:/usr/bin:/bin")


def test_noise_before_the_agent_speaks_is_skipped(live, tmp_path):
    script = tmp_path / "python3"
    script.write_text('#!/bin/sh\necho welcome; exec /usr/bin/python3 "$@"\n')
    script.chmod(0o755)

    async def story(environment, channel):
        return (await out(environment, "echo hello"))[1]

    assert live(story, path=f"{tmp_path}:/usr/bin:/bin") == "hello\n"


def test_much_output_waits_for_a_slow_host(live):
    async def story(environment, channel):
        heard = Capture()
        feed = heard.feed
        sizes = []

        def slow(stream, data):
            sizes.append(len(data))
            feed(stream, data)

        heard.feed = slow
        await environment.execute(Command("head -c 20000000 /dev/zero"), heard)
        return sum(sizes), max(sizes) <= 1 << 18

    assert live(story) == (20_000_000, True)


def test_a_terminal_is_answered_while_a_command_runs(live):
    async def story(environment, channel):
        heard = Capture()
        running = await environment.spawn(
            Command("read -p 'name? ' x; stty size; echo hello $x", pty=Screen(100, 30)), heard
        )
        while b"name?" not in heard.last(0):
            await asyncio.sleep(0.01)
        await running.resize(Screen(80, 20))
        await running.write(b"you\n")
        outcome = await running.wait()
        return outcome.exit_code, heard.last(0).replace(b"\r", b"").decode()

    code, printed = live(story)
    assert code == 0
    assert printed.endswith("20 80\nhello you\n")


def test_the_agent_ends_with_its_input_and_takes_all_along(tmp_path):
    lock = tmp_path / "lock"
    words = ["/usr/bin/env", "-i", "PATH=/usr/bin:/bin", f"HOME={tmp_path}", *bootstrap.program()]
    agent = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    try:
        agent.stdin.write(bootstrap.modules())
        hello = {"id": 1, "op": "hello", "root": "", "makes_root": False, "pending": ""}
        agent.stdin.write(pack(hello))
        command = {"cwd": "", "before": "", "seconds": None, "moves_on": False, "screen": None}
        text = f"setsid sh -c 'echo up; exec flock {lock} sleep 60' & wait"
        agent.stdin.write(pack({"id": 2, "op": "execute", "text": text, **command}))
        seen = b""
        while b"up\n" not in seen:
            seen += os.read(agent.stdout.fileno(), 4096)
        while subprocess.run(["flock", "-n", str(lock), "true"]).returncode == 0:
            pass
        agent.stdin.close()
        assert agent.wait(10) == 0
        assert subprocess.run(["flock", "-w", "5", str(lock), "true"]).returncode == 0
    finally:
        agent.kill()
        agent.wait()
        agent.stdout.close()
    assert HELLO in seen


def test_frames_are_cut_wherever_the_stream_is():
    heads = [{"id": 1, "text": "a\udcffb"}, {"id": 2}]
    stream = pack(heads[0], b"\0\xff") + pack(heads[1])
    frames = Frames()
    got = [each for n in range(len(stream)) for each in frames.feed(stream[n : n + 1])]
    assert got == [(heads[0], b"\0\xff"), (heads[1], b"")]
    with pytest.raises(ValueError, match="not one of messages"):
        list(Frames().feed(b"\xff" * 8))


def test_what_is_sent_has_all_modules_and_no_more():
    sent = bootstrap.modules()
    texts = json.loads(zlib.decompress(sent[9:]))
    assert "hermes.environments.inside.agent" in texts
    outer = [
        line for text in texts.values() for line in text.splitlines() if "import hermes" in line
    ]
    assert outer == []
    assert len(sent) < 60_000


def test_a_signal_reaches_the_shell_of_a_command(live):
    async def story(environment, channel):
        process = await environment.spawn(
            Command("trap 'echo usr; exit 5' USR1; echo up; while :; do sleep 0.05; done"),
            heard := Capture(),
        )
        while b"up" not in heard.last(0):
            await asyncio.sleep(0.01)
        await process.signal(signal.SIGUSR1)
        outcome = await process.wait()
        return outcome.exit_code, heard.last(0)

    code, printed = live(story)
    assert (code, printed) == (5, b"up\nusr\n")
