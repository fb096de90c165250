"""Docker's own engine in a folder of a test's own."""

import os
import runpy
import shutil
import subprocess
import time
from pathlib import Path

PODMAN = runpy.run_path(str(Path(__file__).parent / "podman.py"))
IMAGE, FULL, SMALL = PODMAN["IMAGE"], PODMAN["FULL"], PODMAN["SMALL"]
START_SECONDS = 30


def missing():
    """Return what this machine lacks."""
    lacking = [name for name in ("dockerd", "docker", "runc", "busybox") if not shutil.which(name)]
    if lacking:
        return f"needs {', '.join(lacking)} (apt package docker.io)"
    if os.geteuid() != 0:
        return "docker's engine needs root here"
    return IMAGE["missing"]()


class Dockerd:
    """The engine with the same two images as podman's."""

    client = "docker"

    def __init__(self, folder):
        self.folder = Path(folder)
        self.variables = {"DOCKER_HOST": f"unix://{folder}/docker.sock"}
        words = [
            *("dockerd", "--host", self.variables["DOCKER_HOST"], "--data-root", f"{folder}/data"),
            *("--exec-root", f"{folder}/exec", "--pidfile", f"{folder}/docker.pid"),
            *("--iptables=false", "--ip6tables=false", "--bridge=none"),
            *("--default-ulimit", "nofile=16384:16384"),
        ]
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log)
        self._wait()
        full = IMAGE["make_tar"](folder, self.folder / "full.tar")
        self.run("import", str(full), FULL)
        self.run("import", str(IMAGE["make_small_tar"](self.folder / "small.tar")), SMALL)
        full.unlink()

    def _wait(self):
        until = time.monotonic() + START_SECONDS
        while self._said("version").returncode != 0:
            log = (self.folder / "log").read_text()[-500:]
            assert time.monotonic() < until, f"dockerd does not start: {log}"
            assert self.process.poll() is None, f"dockerd has ended: {log}"
            time.sleep(0.05)

    def _said(self, *words):
        env = {**os.environ, **self.variables}
        return subprocess.run(
            [self.client, *words], env=env, capture_output=True, text=True, timeout=60
        )

    def run(self, *words):
        """Run docker's client on it."""
        done = self._said(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def close(self):
        if left := self.run("ps", "-aq").split():
            self.run("rm", "-f", *left)
        self.process.terminate()
        self.process.wait(20)
