"""Choose the best sandbox that works here."""

from __future__ import annotations

import os
import platform
from functools import cache

from hermes.environments.sandbox.backend import Backend, Unconfined
from hermes.environments.sandbox.box import make_box
from hermes.environments.sandbox.bubblewrap import Bubblewrap
from hermes.environments.sandbox.landlock import Landlock
from hermes.environments.sandbox.run import Sandbox
from hermes.environments.sandbox.seatbelt import Seatbelt

_LONGEST_SECONDS = 10.0


def candidates() -> tuple[Backend, ...]:
    """Return all backends, the strongest first."""
    return (Bubblewrap(), Landlock(), Landlock(namespaces=False), Seatbelt())


@cache
def choose() -> Backend:
    """Return the first backend that is there and works, or one that does nothing and says why.

    It is tried with a real program, once for the life of this process.
    """
    reasons = []
    for backend in candidates():
        reason = problem(backend)
        if reason is None:
            return backend
        if reason not in reasons:
            reasons.append(reason)
    return Unconfined("; ".join(reasons))


def problem(backend: Backend) -> str | None:
    """Say why a backend cannot be used here, or None if a program runs in its box."""
    reason = backend.unavailable()
    if reason is not None or platform.system() != "Linux":
        return reason
    box = make_box("/usr", home="/nonexistent", hermes_home="/nonexistent", files="read-only")
    try:
        with Sandbox(backend) as sandbox:
            path = {"PATH": os.defpath}
            done = sandbox.run(["true"], box, env=path, cwd="/", seconds=_LONGEST_SECONDS)
    except OSError as error:
        return f"{backend.name} does not work here: {error.strerror or error}"
    if done.code == 0:
        return None
    said = done.errors.decode(errors="replace").strip()
    return f"{backend.name} does not work here: {said or f'exit code {done.code}'}"
