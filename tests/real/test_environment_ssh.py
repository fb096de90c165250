"""The ssh environment against a real sshd: every check of the contract, and what only ssh has."""

import asyncio
import os
import runpy
import signal
import subprocess
from pathlib import Path

import pytest

from hermes.environments.conformance import CHECKS
from hermes.environments.contract import Refused
from hermes.environments.ssh import SshOptions, ssh_environment

HERE = Path(__file__).parent
SSHD = runpy.run_path(str(HERE / "sshd.py"))
RUNNING = runpy.run_path(str(HERE.parent / "environments" / "running.py"))
KILLING = runpy.run_path(str(HERE / "killing.py"))
run = RUNNING["out"]
if reason := SSHD["missing"]():
    pytest.skip(reason, allow_module_level=True)


@pytest.fixture(scope="module")
def sshd():
    """Return a server of our own in a short folder: names of sockets are short."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="hsd-", dir="/tmp") as folder:
        server = SSHD["Sshd"](folder)
        server.start()
        yield server
        ending = ["ssh", "-F", str(server.config), "-O", "exit", "shared"]
        subprocess.run(ending, capture_output=True, timeout=5)
        server.stop()


@pytest.fixture
def make(sshd):
    """Return what makes an environment on one of the hosts of our settings."""
    return lambda host="box", root="": ssh_environment(
        SshOptions(host, config=str(sshd.config), root=root)
    )


def clients(environment):
    """Return the clients of an environment: the shared connection and the agent's own."""
    folder = environment._channel._folder
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if folder.encode() in words and entry.name.isdigit():
            found.append(int(entry.name))
    return found


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_ssh_environment_passes(check, make, tmp_path):
    def environment(name):
        (tmp_path / name).mkdir()
        return make("shared", str(tmp_path / name))

    RUNNING["passes"](check, environment)


@pytest.mark.proves("environment-killed")
def test_what_runs_on_a_machine_ends_with_a_killed_hermes(sshd, make, tmp_path):
    settings = {"host": "box", "config": str(sshd.config), "root": str(tmp_path)}
    config = {"terminal.environment": "ssh", "ssh": settings}
    with KILLING["running"](config, tmp_path) as child:
        left = list(Path("/tmp").glob(f"hermes-ssh-*-{child.pid}-*"))
        KILLING["kill"](child)
        assert KILLING["all_ended"](tmp_path)

    async def story(environment):
        await environment.start()
        return [folder.exists() for folder in left]

    assert RUNNING["live"](story, make()) == [False]


def test_a_lost_connection_costs_what_ran_and_no_state(make):
    async def story():
        environment = make()
        try:
            await run(environment, "export A=kept; f() { echo called; }; mkdir -p deep; cd deep")
            await RUNNING["told"](environment, "kept")
            losing = asyncio.ensure_future(run(environment, "echo once >> ../log; sleep 30"))
            while not (await run(environment, "cat ../log 2>/dev/null"))[1]:
                await asyncio.sleep(0.02)
            for client in clients(environment):
                os.kill(client, signal.SIGKILL)
            lost, _ = await asyncio.wait_for(losing, 10)
            after, printed = await run(environment, "echo $A; f; basename $PWD; cat ../log")
            await run(environment, "rm -r ../log ../deep")
        finally:
            await environment.close()
        return lost, after, printed

    lost, after, printed = asyncio.run(story())
    assert (lost.how, lost.exit_code) == ("lost", None)
    assert "not run again" in lost.note
    assert (after.how, after.exit_code) == ("exited", 0)
    assert printed == "kept\ncalled\ndeep\nonce\n"


def test_what_ran_ends_with_the_connection(make, tmp_path):
    lock = tmp_path / "lock"

    async def story():
        environment, other = make(), make()
        try:
            losing = asyncio.ensure_future(
                run(environment, f"setsid flock {lock} sleep 60 & flock {lock}2 sleep 60")
            )
            held = f"while flock -n {lock} true || flock -n {lock}2 true; do sleep 0.02; done"
            assert (await run(other, held))[0].exit_code == 0
            for client in clients(environment):
                os.kill(client, signal.SIGKILL)
            await asyncio.wait_for(losing, 10)
            free = await run(other, f"flock -w 10 {lock} true && flock -w 10 {lock}2 true")
        finally:
            await environment.close()
            await other.close()
        return free[0].exit_code

    assert asyncio.run(story()) == 0


def test_a_machine_that_comes_back_is_used_again(sshd, make):
    async def story():
        environment = make()
        try:
            await run(environment, "export A=kept")
            await RUNNING["told"](environment, "kept")
            sshd.stop()
            for client in clients(environment):
                os.kill(client, signal.SIGKILL)
            await asyncio.sleep(0)
            refusals = []
            for _ in range(100):
                try:
                    outcome, _printed = await run(environment, "true")
                except Refused as error:
                    refusals.append(error.message)
                    break
                assert outcome.how == "lost"
            sshd.start()
            return refusals, (await run(environment, "echo $A"))[1]
        finally:
            await environment.close()

    assert asyncio.run(story()) == (["box takes no connections"], "kept\n")


@pytest.mark.parametrize(
    ("host", "message", "hint"),
    [
        ("unknown", "the key of unknown is not known, or has changed", "Connect once by hand"),
        ("stranger", "stranger does not let us in", "ssh-add"),
        ("closed", "closed takes no connections", "SSH server"),
    ],
)
def test_a_machine_that_cannot_be_had_is_refused_in_words(make, host, message, hint):
    async def story():
        environment = make(host)
        try:
            await environment.start()
        finally:
            await environment.close()

    with pytest.raises(Refused) as refused:
        asyncio.run(story())
    assert refused.value.message == message
    assert hint in refused.value.hint


def test_a_jump_host_of_the_settings_is_honoured(make):
    async def story():
        environment = make("behind")
        try:
            return (await run(environment, "echo over there"))[1]
        finally:
            await environment.close()

    assert asyncio.run(story()) == "over there\n"


def test_a_missing_folder_is_refused(make):
    async def story():
        environment = make(root="/no/such/folder")
        try:
            await environment.start()
        finally:
            await environment.close()

    with pytest.raises(Refused, match="there is no folder /no/such/folder on box"):
        asyncio.run(story())


def test_nothing_is_left_after_closing(make):
    async def story():
        environment = make()
        await run(environment, "sleep 60 & echo $!")
        folder = environment._channel._folder
        mode = os.stat(folder).st_mode & 0o777
        assert clients(environment)
        await environment.close()
        environment._channel._folder = folder
        return mode, clients(environment), os.path.exists(folder)

    assert asyncio.run(story()) == (0o700, [], False)


def test_what_a_login_script_prints_does_not_disturb(sshd, make):
    script = sshd.folder / "home" / ".bashrc"
    script.write_text("echo welcome; echo; echo to the machine\n")

    async def story():
        environment = make()
        try:
            return (await run(environment, "echo hello"))[1]
        finally:
            await environment.close()

    try:
        assert asyncio.run(story()) == "hello\n"
    finally:
        script.unlink()
