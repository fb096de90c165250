"""Every place that commands of a task can run in but this machine: settings, and its files here."""

import contextlib
import runpy
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMES = ("podman", "ssh", "apptainer", "modal", "daytona")


def place(name):
    """Return a context that gives a place, or skips the test with what is missing."""
    return {
        "podman": _podman,
        "ssh": _ssh,
        "apptainer": _apptainer,
        "modal": _cloud,
        "daytona": _cloud,
    }[name](name)


class Place:
    """Settings for a runtime, and where the folder that tasks start in is on this machine."""

    def __init__(self, config, workspace, *, is_cloud=False):
        self.config, self._workspace = config, workspace
        self.is_cloud = is_cloud

    def workspace(self, cwd):
        """Return the task's folder of a runtime in ``cwd``."""
        return self._workspace(cwd)


def _needs(reason):
    if reason:
        pytest.skip(reason)


def _folder():
    return tempfile.TemporaryDirectory(prefix="hpl-", dir="/tmp", ignore_cleanup_errors=True)


@contextlib.contextmanager
def _podman(name):
    podman = runpy.run_path(str(HERE / "podman.py"))
    _needs(podman["missing"]())
    with _folder() as folder, pytest.MonkeyPatch.context() as patch:
        engine = podman["Podman"](folder)
        for key, value in engine.variables.items():
            patch.setenv(key, value)
        settings = {"image": podman["FULL"], "engine": name}
        try:
            yield Place({"terminal": {"environment": "docker"}, "docker": settings}, Path)
        finally:
            engine.close()


@contextlib.contextmanager
def _ssh(name):
    sshd = runpy.run_path(str(HERE / "sshd.py"))
    _needs(sshd["missing"]())
    with _folder() as folder:
        server = sshd["Sshd"](folder)
        server.start()
        there = Path(folder) / "there"
        there.mkdir()
        settings = {"host": "box", "config": str(server.config), "root": str(there)}
        try:
            yield Place({"terminal": {"environment": name}, "ssh": settings}, lambda _: there)
        finally:
            ending = ["ssh", "-F", str(server.config), "-O", "exit", "shared"]
            subprocess.run(ending, capture_output=True, timeout=5)
            server.stop()


@contextlib.contextmanager
def _apptainer(name):
    apptainer = runpy.run_path(str(HERE / f"{name}.py"))
    _needs(apptainer["missing"]())
    with _folder() as folder:
        settings = {"image": apptainer["make_image"](folder), "program": apptainer["PROGRAM"]}
        config = {"terminal": {"environment": "singularity"}, "singularity": settings}
        yield Place(config, Path)


@contextlib.contextmanager
def _cloud(name):
    if find_spec(name) is None:
        pytest.skip(f"needs the extra {name}")
    served = runpy.run_path(str(HERE / f"{name}_server.py"))
    clouds = runpy.run_path(str(HERE / "clouds.py"))
    with clouds["serving"](served) as server:

        def workspace(_):
            (home,) = {each.home for each in server.sandboxes.values() if each.home.exists()}
            return home / "workspace"

        config = {"terminal": {"environment": name}, name: {"root": "workspace"}}
        yield Place(config, workspace, is_cloud=True)
