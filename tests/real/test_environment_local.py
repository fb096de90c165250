"""The local environment passes every check of its contract, in each kind of box that works here."""

import os
import runpy
from pathlib import Path

import pytest

from hermes.app.boundaries import Boxes
from hermes.app.boxed import boxes
from hermes.app.task_walls import TaskWalls
from hermes.environments.conformance import CHECKS
from hermes.environments.inside.pump import Pump
from hermes.environments.local import LocalEnvironment
from hermes.environments.sandbox.bubblewrap import Bubblewrap
from hermes.environments.sandbox.choose import problem
from hermes.environments.sandbox.landlock import Landlock
from hermes.runtime.bridge import loop_thread

RUNNING = runpy.run_path(str(Path(__file__).parent.parent / "environments" / "running.py"))
BACKENDS = {
    "bubblewrap": Bubblewrap(),
    "landlock": Landlock(),
    "landlock-alone": Landlock(namespaces=False),
}
VARIABLES = {"PATH": os.environ["PATH"], "HOME": str(Path.home()), "LANG": "C.UTF-8"}


@pytest.fixture(scope="module", params=list(BACKENDS))
def walls(request):
    """Return what makes the box of a folder, with each backend that this machine has."""
    backend = BACKENDS[request.param]
    if reason := problem(backend):
        pytest.skip(reason)
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(Boxes, "backend", backend)
    made, pump = boxes(), Pump()
    loop_thread()
    yield lambda root: (TaskWalls(lambda: made, root, pump), pump)
    made.close()
    pump.close()
    monkeypatch.undo()


@pytest.fixture
def make(walls, tmp_path):
    """Return what makes a local environment in an empty folder of its own."""

    def make(name):
        root = tmp_path / name
        root.mkdir()
        box, pump = walls(str(root))
        return LocalEnvironment(str(root), str(Path.home()), box, VARIABLES, pump)

    return make


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_local_environment_passes(check, make):
    RUNNING["passes"](check, make)
