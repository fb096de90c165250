"""Run dangerous commands for real in a box, undo each, and report what was lost for good.

Reads commands as a JSON list and writes a report as JSON. It runs behind the walls of the
containment experiment, in the same home.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
from pathlib import Path

import containment_home as home
import containment_walls as walls
from containment_driver import BACKENDS, SKIPPED, Experiment

from hermes.environments.sandbox.choose import problem
from hermes.environments.sandbox.run import Sandbox
from hermes.policy.deeds import Asked, deed_of, place
from hermes.policy.losses import may_lose
from hermes.services.checkpoints import Checkpoints
from hermes.services.checkpoints.undoing import perform, plan

WORKSPACE = str(home.WORKSPACE)


def held(experiment):
    """Return everything that the workspace holds: modes, links, contents.

    What stands empty at protected names comes and goes with the box.
    """
    found, places = {}, {str(place) for place in experiment.box.protected}
    for folder, folders, files in os.walk(WORKSPACE):
        for name in (*folders, *files):
            path = f"{folder}/{name}"
            try:
                facts = os.lstat(path)
                is_empty = not (os.listdir(path) if stat.S_ISDIR(facts.st_mode) else facts.st_size)
            except FileNotFoundError:
                if path in places:  # it went while we looked
                    continue
                raise
            if path.endswith("/.git/commondir") or (is_empty and path in places):
                continue
            if stat.S_ISLNK(facts.st_mode):
                found[path] = os.readlink(path)
            elif stat.S_ISREG(facts.st_mode):
                found[path] = (facts.st_mode, Path(path).read_bytes())
            elif stat.S_ISDIR(facts.st_mode):
                found[path] = facts.st_mode
    return found


def loses(command):
    where = place(WORKSPACE, (WORKSPACE,), str(home.HOME), str(home.HERMES_HOME))
    asked = Asked(("terminal",), ("terminal:execute",), {"command": command}, None, where)
    return may_lose(deed_of(asked), WORKSPACE)


def one(experiment, keeper, command):
    """Run a command, undo it, and say what it changed and what did not come back."""
    before = held(experiment)
    running = keeper.commands.before("task", "call", WORKSPACE, command)
    experiment._said(["bash", "-c", command], home.environment())
    made = keeper.commands.after(running)
    changed = [path for path, known in before.items() if held(experiment).get(path) != known]
    if made is not None:
        perform(keeper, plan(keeper, [made]), workspace=WORKSPACE)
    after = held(experiment)
    lost = [path for path, known in before.items() if after.get(path) != known]
    return {
        "command": command,
        "changed": len(changed),
        "lost": lost,
        "left": sorted(after.keys() - before.keys()),
        "is_kept": loses(command),
    }


def experiment(commands):
    """Run all commands in one workspace and return the report."""
    walls.prove()
    home.build()
    with Sandbox(BACKENDS["bubblewrap"]) as sandbox:
        if reason := problem(BACKENDS["bubblewrap"]):
            print(reason, file=sys.stderr)
            return SKIPPED
        made = Experiment(sandbox)
        if reason := made.check():
            print(reason, file=sys.stderr)
            return 1
        keeper = Checkpoints(home.HERMES_HOME / "checkpoints")
        json.dump([one(made, keeper, command) for command in commands], sys.stdout)
        made.close()
    return 0


def main():
    """Build the walls, or run behind them."""
    if sys.argv[1:]:
        return experiment(json.load(sys.stdin))
    here = str(Path(__file__).resolve())
    needed = (sys.base_prefix, sys.prefix, str(Path(here).parents[2]))
    try:
        return walls.shut_in(
            [sys.executable, "-B", here, "inside"], home.environment(), needed=needed
        )
    except walls.NoWalls as error:
        print(f"no walls: {error}", file=sys.stderr)
        return SKIPPED


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
