"""Podman in a folder of a test's own: its own storage, and a service for docker's client."""

import copy
import os
import runpy
import shutil
import subprocess
import time
from pathlib import Path

IMAGE = runpy.run_path(str(Path(__file__).parent / "image.py"))
SETTINGS = """\
[containers]
default_ulimits = ["nofile=16384:16384", "nproc=16384:16384"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "{folder}/tmp"
"""
STORAGE = """\
[storage]
driver = "overlay"
graphroot = "{folder}/root"
runroot = "{folder}/run"
"""
REGISTRIES = """\
[[registry]]
location = "127.0.0.1"
insecure = true
"""
FULL, SMALL = "localhost/hermes-test:latest", "localhost/hermes-small:latest"


def missing():
    """Return what this machine lacks."""
    lacking = [name for name in ("podman", "runc", "busybox") if shutil.which(name) is None]
    if lacking:
        return f"{', '.join(lacking)} is missing (scripts/parts)"
    if os.geteuid() != 0:
        return "podman's rootless mode is not set up for these tests"
    return IMAGE["missing"]()


class Podman:
    """The engine with two images: one with bash and Python, one with nothing but a shell."""

    client = "podman"

    def __init__(self, folder):
        self.folder = Path(folder)
        settings, storage = self.folder / "containers.conf", self.folder / "storage.conf"
        settings.write_text(SETTINGS.format(folder=folder))
        registries = self.folder / "registries.conf"
        registries.write_text(REGISTRIES)
        storage.write_text(STORAGE.format(folder=folder))
        self.variables = {
            "CONTAINERS_CONF": str(settings),
            "CONTAINERS_STORAGE_CONF": str(storage),
            "CONTAINERS_REGISTRIES_CONF": str(registries),
            "DOCKER_HOST": f"unix://{folder}/podman.sock",
        }
        full = IMAGE["make_tar"](folder, self.folder / "full.tar")
        small = IMAGE["make_small_tar"](self.folder / "small.tar")
        self.run("import", "-q", str(full), FULL)
        self.run("import", "-q", str(small), SMALL)
        full.unlink()
        self.service = None

    def run(self, *words):
        """Run podman's own client."""
        env = {**os.environ, **self.variables}
        done = subprocess.run(
            ["podman", *words], env=env, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def serve(self):
        """Start the service that speaks docker's own protocol."""
        words = ["podman", "system", "service", "--time=0", self.variables["DOCKER_HOST"]]
        with open(self.folder / "service.log", "ab") as log:
            env = {**os.environ, **self.variables}
            self.service = subprocess.Popen(words, env=env, stdout=log, stderr=log)
        until = time.monotonic() + 10
        while not (self.folder / "podman.sock").exists():
            assert time.monotonic() < until, "podman's service does not start"
            time.sleep(0.02)

    def by_docker(self):
        """Return the same engine, reached by docker's client."""
        if self.service is None:
            self.serve()
        other = copy.copy(self)
        other.client = "docker"
        return other

    def _reset(self):
        """Remove all of it; a container that just ends may still write to what is removed."""
        for left in reversed(range(3)):
            try:
                self.run("system", "reset", "--force")
            except AssertionError:
                if not left:
                    raise
                time.sleep(0.5)
            else:
                return

    def close(self):
        if self.service is not None:
            self.service.terminate()
            self.service.wait(10)
        self._reset()
        left = ["umount", str(self.folder / "root" / "overlay")]  # where a reset stopped half-way
        subprocess.run(left, capture_output=True, timeout=10)
