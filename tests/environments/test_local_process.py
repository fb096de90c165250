"""A command that took its shell into the background lets go of all that it held."""

import asyncio
import os
import signal
import subprocess

from hermes.environments.inside.pump import Pump
from hermes.environments.inside.shell import Held, Order, Shell
from hermes.environments.local_process import MovedProcess


class _Unboxed:
    """A program without a box, whose end is told when the test says so."""

    def __init__(self, process):
        self._process = process
        self.tell = None

    def on_end(self, call):
        self.tell = call

    def kill(self):
        os.killpg(self._process.pid, signal.SIGKILL)

    async def ended(self):
        return self._process.wait()


class _Deaf:
    """What a command prints is of no interest."""

    def take(self, _stream, fd):
        return bool(os.read(fd, 4096))


async def _moved(folder, pump):
    """Move a command to the background with its shell; return it and what it runs in."""
    programs = []

    async def start(argv, given):
        stdin, stdout, stderr = given
        process = subprocess.Popen(
            argv, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
        )
        programs.append(_Unboxed(process))
        return Held(programs[-1].ended, programs[-1].kill)

    shell = Shell(start, str(folder), pump.discard)
    await shell.open()
    running = shell.begin(Order("exec sleep 60"), _Deaf())
    assert not await running.answered(0.05)
    return MovedProcess(shell, running, programs[0], _Deaf(), pump), programs[0]


def _sockets():
    """Return the sockets of this process."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            found.add(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            continue
    return {each for each in found if each.startswith("socket:")}


def test_no_socket_is_left_when_the_end_is_told_before_the_shell_is_seen_to_end(tmp_path):
    pump = Pump()

    async def story():
        before = _sockets()
        moved, program = await _moved(tmp_path / "shell", pump)
        program.tell(-9, "")  # while its shell still has its end of the socket
        outcome = await moved.wait()
        left = _sockets() - before
        program.kill()
        await program.ended()
        return outcome, left

    outcome, left = asyncio.run(story())
    pump.close()
    assert (outcome.how, left) == ("signalled", set())
