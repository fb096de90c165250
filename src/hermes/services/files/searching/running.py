"""Run ripgrep: nothing that is searched for becomes an option, and no setting of it counts."""

from __future__ import annotations

import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import IO

_PART = 1 << 14
_MOST_ERRORS = 1 << 14
_LOOK_SECONDS = 0.1
"""How often it is looked whether the caller has given up."""
_OWN = (
    "--no-config",
    "--color=never",
    "--no-messages",
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--no-ignore-dot",
)


class Runner:
    """Runs ripgrep in one folder until the time is up or the caller gives up."""

    def __init__(self, program: str, folder: str, is_stopped: Callable[[], bool]) -> None:
        self._program, self._folder, self._is_stopped = program, folder, is_stopped
        self.until = time.monotonic() + 3_600

    def run(
        self, words: Sequence[str], *, rules: str = "", source: int = subprocess.DEVNULL
    ) -> Run:
        """Start it; ``rules`` are lines as in ``.gitignore``, weaker than those of the tree."""
        with tempfile.TemporaryFile() as lines:
            fds: tuple[int, ...] = ()
            if rules:
                lines.write(os.fsencode(rules))
                lines.seek(0)
                fds = (lines.fileno(),)
                words = (f"--ignore-file=/dev/fd/{fds[0]}", *words)
            output = tempfile.TemporaryFile()  # noqa: SIM115 - the run closes it
            process = subprocess.Popen(
                [self._program, *_OWN, *words],
                cwd=self._folder,
                env={},
                stdin=source,
                stdout=output,
                stderr=subprocess.PIPE,
                pass_fds=fds,
            )
        return Run(process, output, self._is_over)

    def _is_over(self) -> bool:
        return time.monotonic() > self.until or self._is_stopped()


class Run:
    """A run of ripgrep; leaving it ends the process, whatever happened.

    It prints into a file: being woken for each line would cost more than searching for it.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], output: IO[bytes], is_over: Callable[[], bool]
    ) -> None:
        self._process, self._output, self._is_over = process, output, is_over
        self._said = b""
        self.is_complete = False

    @property
    def error(self) -> str:
        """Return what it complained about, once it has ended."""
        return self._said.decode("utf-8", "replace") if self._process.poll() == 2 else ""

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._output.close()
        if self._process.stderr is not None:
            self._process.stderr.close()

    def printed(self) -> IO[bytes]:
        """Wait for its end, and return what it printed until then."""
        errors = self._process.stderr
        assert errors is not None
        with selectors.DefaultSelector() as selector:
            selector.register(errors, selectors.EVENT_READ)
            while not self.is_complete and not self._is_over():
                if selector.select(_LOOK_SECONDS):
                    part = os.read(errors.fileno(), _PART)
                    self._said = (self._said + part)[:_MOST_ERRORS]
                    self.is_complete = not part
        if self.is_complete:
            self._process.wait()
        self._output.seek(0)
        return self._output

    def text(self) -> str:
        """Return what it printed, in the way that names of files are text."""
        return os.fsdecode(self.printed().read())


def opened(path: str) -> IO[bytes] | None:
    """Open a regular file that is no link; None when it is gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    return os.fdopen(fd, "rb", buffering=0)
