"""Podman in a folder of a test's own: its own storage, and a service for docker's client."""

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
"""
STORAGE = """\
[storage]
driver = "overlay"
graphroot = "{folder}/root"
runroot = "{folder}/run"
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

    def __init__(self, folder):
        self.folder = Path(folder)
        settings, storage = self.folder / "containers.conf", self.folder / "storage.conf"
        settings.write_text(SETTINGS)
        storage.write_text(STORAGE.format(folder=folder))
        self.variables = {
            "CONTAINERS_CONF": str(settings),
            "CONTAINERS_STORAGE_CONF": str(storage),
            "DOCKER_HOST": f"unix://{folder}/podman.sock",
        }
        full = IMAGE["make_tar"](folder, self.folder / "full.tar")
        small = IMAGE["make_small_tar"](self.folder / "small.tar")
        self.run("import", "-q", str(full), FULL)
        self.run("import", "-q", str(small), SMALL)
        full.unlink()
        self.service = None

    def run(self, *words, program="podman"):
        env = {**os.environ, **self.variables}
        done = subprocess.run(
            [program, *words], env=env, capture_output=True, text=True, timeout=60
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

    def close(self):
        if self.service is not None:
            self.service.terminate()
            self.service.wait(10)
        self.run("system", "reset", "--force")
