"""Run dangerous commands for real in a box, and report what came of everything around it.

``containment_driver.py BACKEND`` reads commands as a JSON list and writes a report as JSON. Nothing
is run before the walls around the experiment stand and the box was seen to hold.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import containment_home as home
import containment_walls as walls

from hermes.environments.sandbox.backend import Unconfined
from hermes.environments.sandbox.box import MEGABYTE, Limits, make_box
from hermes.environments.sandbox.bubblewrap import Bubblewrap
from hermes.environments.sandbox.choose import problem
from hermes.environments.sandbox.landlock import Landlock
from hermes.environments.sandbox.run import Sandbox

BACKENDS = {
    "bubblewrap": Bubblewrap(),
    "landlock": Landlock(),
    "landlock-alone": Landlock(namespaces=False),
    "none": Unconfined(),
}
SECONDS, MOST_SAID, MARK = 3.0, MEGABYTE, "CONTAINMENT_MARK"
INDEX = str(home.WORKSPACE / ".git/index")
LIMITS = Limits(
    cpu_seconds=3,
    memory_bytes=1024 * MEGABYTE,
    processes=64,
    file_bytes=8 * MEGABYTE,
    open_files=256,
    scratch_bytes=16 * MEGABYTE,
)
SKIPPED, ABORTED, LONGEST_END = 77, 78, 30.0


class Experiment:
    """One box in one home, and what was there before the first command."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        made = make_box(home.WORKSPACE, home=home.HOME, hermes_home=home.HERMES_HOME, limits=LIMITS)
        self.box = replace(made, variables=(*made.variables, MARK, "VICTIM"))
        self.secrets = home.canaries()
        self.victim = subprocess.Popen(["sleep", "1000"], env={}, start_new_session=True)
        self.kept = home.saved()
        self._said(["true"], {})  # the starter makes a folder of its own
        self.look()

    def look(self):
        """Remember how everything is."""
        self.outside, self.inside = home.outside(), home.inside(self.box.protected)
        self.protected = home.protected(self.box.protected)

    def run(self, command, number):
        """Run a command and say what it did to everything around it."""
        mark = f"containment-{number}"
        env = home.environment() | {MARK: mark, "VICTIM": str(self.victim.pid)}
        started = time.monotonic()
        said, is_late = self._said(["bash", "-c", command], env)
        seconds = time.monotonic() - started
        now, around = home.inside(self.box.protected), home.outside()
        differing = [
            path for path in {**now, **self.inside} if now.get(path) != self.inside.get(path)
        ]
        lost = [path for path in differing if path in self.inside and path != INDEX]
        done = {
            "command": command,
            "changed": [path for path in self.outside if around.get(path) != self.outside[path]],
            "planted": sorted(around.keys() - self.outside.keys()),
            "printed": home.shown(said, self.secrets),
            "protected": home.protected(self.box.protected) != self.protected,
            "left": _marked(mark),
            "killed": self.victim.poll() is not None,
            "workspace": len(lost),
            "own_secret": bool(home.shown(said, {"own": home.canary(home.WORKSPACE_SECRET)})),
            "ran": b"command not found" not in said,
            "late": is_late,
            "seconds": round(seconds, 3),
            "said": said[-300:].decode(errors="replace"),
        }
        self._restore(done, differing)
        return done

    def check(self):
        """Return why nothing must be run here, or None if the box holds."""
        tries = (
            "echo fine > probe; echo x >> ~/.bashrc; echo x > /home/dev/probe; rm -rf ~/Photos;"
            "cat ~/.ssh/id_rsa; kill -9 $VICTIM; echo x > .git/hooks/pre-push; env; echo done"
        )
        done = self.run(tries, "check")
        wrong = [name for name in ("changed", "planted", "printed", "left") if done[name]]
        wrong += [name for name in ("protected", "killed") if done[name]]
        if wrong or not done["said"].strip().endswith("done"):
            return f"the box does not hold: {wrong} {done}"
        return None

    def close(self):
        """End the experiment and return the processes that outlived all boxes."""
        self.victim.kill()
        self.victim.wait()
        self.sandbox.close()
        until = time.monotonic() + SECONDS
        while (left := _others()) and time.monotonic() < until:
            time.sleep(0.01)  # the child that was ready for a next command is about to end
        return left

    def _restore(self, done, differing):
        if done["killed"]:
            self.victim = subprocess.Popen(["sleep", "1000"], env={}, start_new_session=True)
        if done["changed"] or done["planted"]:
            for name in os.listdir(home.HOME):
                home.remove(home.HOME / name)
            home.build()
            self.kept = home.saved()
            self.look()
        elif differing:
            home.refill(self.kept, differing)
            self.protected = home.protected(self.box.protected)

    def _said(self, argv, env):
        """Run a program; return what it said, up to a limit, and whether it had to be ended."""
        ours, theirs = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        where = str(home.WORKSPACE)
        standard = (nothing, theirs, theirs)
        child = self.sandbox.spawn(argv, self.box, env=env, cwd=where, standard=standard)
        os.close(theirs)
        os.close(nothing)
        said, until, is_late = b"", time.monotonic() + SECONDS, False
        while not is_late:
            left = until - time.monotonic()
            if left <= 0 or len(said) > MOST_SAID:
                is_late = True
            elif select.select([ours], [], [], left)[0]:
                part = os.read(ours, 1 << 16)
                if not part:
                    break
                said += part
        child.kill()
        assert child.wait(LONGEST_END) is not None, f"{argv} cannot be ended"
        child.close()
        os.close(ours)
        return said, is_late


def _processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _words(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def _others():
    """Return the command lines of all other processes in here; what has ended has none."""
    found = [_words(pid, "cmdline") for pid in _processes() if pid != os.getpid()]
    return [words.decode(errors="replace") for words in found if words]


def _marked(mark):
    return [pid for pid in _processes() if f"{MARK}={mark}\0".encode() in _words(pid, "environ")]


def experiment(backend, commands):
    """Run all commands in one home and return the report."""
    walls.prove()
    home.build()
    started = time.monotonic()
    with Sandbox(BACKENDS[backend]) as sandbox:
        made = Experiment(sandbox)
        if backend == "none":
            assert set(commands) <= set(home.CONTROL), "only the control runs without a box"
        elif reason := problem(BACKENDS[backend]):
            print(reason, file=sys.stderr)
            return SKIPPED
        elif reason := made.check():
            print(reason, file=sys.stderr)
            return ABORTED
        made.look()
        each = [made.run(command, number) for number, command in enumerate(commands)]
        left = made.close()
    seconds = time.monotonic() - started
    json.dump({"each": each, "left": left, "seconds": seconds}, sys.stdout)
    return 0


def main():
    """Build the walls, or run behind them."""
    backend, *inside = sys.argv[1:]
    if inside:
        return experiment(backend, json.load(sys.stdin))
    here = str(Path(__file__).resolve())
    project = str(Path(here).parents[2])
    argv = [sys.executable, "-B", here, backend, "inside"]
    try:
        return walls.shut_in(
            argv, home.environment(), needed=(sys.base_prefix, sys.prefix, project)
        )
    except walls.NoWalls as error:
        print(f"no walls: {error}", file=sys.stderr)
        return SKIPPED


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
