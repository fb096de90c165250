"""Start programs as a user would: a clean environment, an empty home, everything warmed once."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv" / "bin" / "python")
HERMES = str(ROOT / "hermes")
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")
LONGEST_SECONDS = 600
NOTHING = [PYTHON, "-c", "pass"]


class Broken(Exception):
    """A program that was to be measured failed; the message is what it said."""


class Place:
    """A home of its own and an environment without this shell's settings, for some programs."""

    def __init__(self, **variables: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="hermes-bench-")
        self.path = Path(self._folder.name)
        self.environment = {
            **{name: os.environ[name] for name in KEPT if name in os.environ},
            "HOME": self._folder.name,
            "HERMES_HOME": str(self.path / "home"),
            **variables,
        }

    def output(self, command: Sequence[str]) -> str:
        """Run a program and return what it printed."""
        done = subprocess.run(
            command,
            env=self.environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        if done.returncode:
            raise Broken(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def starter(self, command: Sequence[str]) -> Callable[[], None]:
        """Run a program once to warm its caches; return a function that runs it for the clock."""
        self.output(command)
        return lambda: start(command, self.environment)

    def ask(self, function: str, **options: int) -> Any:
        """Run a function of bench.inside in a fresh process and return its answer."""
        code = "from bench.inside import answer; answer()"
        words = [f"{name}={value}" for name, value in options.items()]
        return json.loads(self.output([PYTHON, "-c", code, function, *words]))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._folder.cleanup()


def start(command: Sequence[str], environment: dict[str, str]) -> None:
    """Run a program to its end, at the least cost that starting one can have."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    child = os.posix_spawn(command[0], list(command), environment, file_actions=quiet)
    _, status = os.waitpid(child, 0)
    if status:
        raise Broken(f"{' '.join(command)} ended with status {os.waitstatus_to_exitcode(status)}")


def ask_fresh(function: str, **options: int) -> Any:
    """Ask a function of bench.inside in a fresh process with a home of its own."""
    with Place() as place:
        return place.ask(function, **options)
