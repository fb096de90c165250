"""What a sandbox costs: a fresh boxed process, and a command in a warm boxed shell."""

from __future__ import annotations

import os
import time
from pathlib import Path

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import interleave, ratio
from bench.processes import Broken, Place, start
from hermes.environments.sandbox.backend import Backend
from hermes.environments.sandbox.box import make_box
from hermes.environments.sandbox.bubblewrap import Bubblewrap
from hermes.environments.sandbox.choose import problem
from hermes.environments.sandbox.landlock import Landlock
from hermes.environments.sandbox.run import Sandbox

BASH = ["/bin/bash", "-c", "true"]
PAUSE_SECONDS = 0.01
"""A model thinks between two commands; the next box is made meanwhile."""


def landlock(effort: Effort) -> dict[str, Measured]:
    """Compare a fresh process under Landlock and seccomp with one that is not boxed."""
    return {"sandbox_landlock": _fresh(Landlock(), effort)}


def bubblewrap(effort: Effort) -> dict[str, Measured]:
    """Compare a fresh process under bubblewrap with one that is not boxed."""
    return {"sandbox_bubblewrap": _fresh(Bubblewrap(), effort)}


def warm(effort: Effort) -> dict[str, Measured]:
    """Compare a command in a boxed shell that is already there with a fresh plain one."""
    with Place() as place, Sandbox(_working(Bubblewrap(), Landlock())) as sandbox:
        there, asked = os.pipe()
        answered, back = os.pipe()
        quiet = os.open(os.devnull, os.O_RDWR)
        child = sandbox.spawn(
            ["/bin/bash"], _box(place), env=place.environment, standard=(there, back, quiet)
        )

        def ask() -> None:
            os.write(asked, b"true; echo $?\n")
            if os.read(answered, 16) != b"0\n":
                raise Broken("the shell in the sandbox did not answer")

        ask()
        works = [lambda: start(BASH, place.environment), ask]
        plain, inside = interleave(effort.processes * 4, works)
        child.close()
        for fd in (there, asked, answered, back, quiet):
            os.close(fd)
    return {"sandbox_warm": ratio(inside, plain)}


def _fresh(backend: Backend, effort: Effort) -> Measured:
    with Place() as place, Sandbox(_working(backend)) as sandbox:
        box = _box(place)
        quiet = os.open(os.devnull, os.O_RDWR)
        standard = (quiet, quiet, quiet)

        def boxed() -> None:
            child = sandbox.spawn(BASH, box, env=place.environment, standard=standard)
            if child.wait() != 0:
                raise Broken(f"{backend.name} did not run bash")

        boxed(), boxed()
        works = [lambda: start(BASH, place.environment), boxed]
        plain, inside = interleave(
            effort.processes * 4, works, between=lambda: time.sleep(PAUSE_SECONDS)
        )
        os.close(quiet)
    return ratio(inside, plain)


def _box(place: Place):
    """Return the box of a developer's command: a workspace with a repository, no network."""
    workspace = Path(place.path) / "workspace"
    for name in ("hooks", "info", "objects", "refs"):
        (workspace / ".git" / name).mkdir(parents=True, exist_ok=True)
    (workspace / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (workspace / ".git" / "config").write_text("[core]\n", encoding="utf-8")
    home = place.environment["HOME"]
    return make_box(workspace, home=home, hermes_home=place.environment["HERMES_HOME"])


def _working(*backends: Backend) -> Backend:
    reasons = []
    for backend in backends:
        reason = problem(backend)
        if reason is None:
            return backend
        reasons.append(reason)
    raise Broken("; ".join(reasons))


FAMILIES = (
    Family(
        "sandbox_landlock",
        (Figure("sandbox_landlock", "`bash -c true` under Landlock ÷ plain", bar=2),),
        landlock,
    ),
    Family(
        "sandbox_bubblewrap",
        (Figure("sandbox_bubblewrap", "`bash -c true` under bubblewrap ÷ plain", bar=5),),
        bubblewrap,
    ),
    Family(
        "sandbox_warm",
        (Figure("sandbox_warm", "`true` in a warm boxed shell ÷ plain `bash -c true`", bar=0.6),),
        warm,
    ),
)
