"""A channel to this very machine, for tests: the agent over two pipes, without a box."""

import os
import signal

from hermes.environments.contract import Refused
from hermes.environments.link import Piped


class Here:
    """Start programs here, in an environment of their own."""

    name = "here"
    where = "this machine"

    def __init__(self, home, path="/usr/bin:/bin"):
        self.home, self.path = home, path
        self.programs = []

    async def start(self, argv):
        env = {"HOME": str(self.home), "PATH": self.path, "LANG": "C.UTF-8"}
        self.programs.append(Piped(["/usr/bin/env", *argv], env))
        return self.programs[-1]

    def refusal(self, code, words):
        return None

    async def snapshot(self):
        raise Refused("there are no snapshots here")

    async def close(self):
        pass

    def cut(self):
        """Lose the connection, as a machine that goes away does."""
        os.killpg(self.programs[-1]._popen.pid, signal.SIGKILL)
