"""How soon a person sees the chat, and can type into it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Callable

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import interleave, ratio
from bench.processes import HERMES, LONGEST_SECONDS, NOTHING, ROOT, Broken, Place

PROMPT = "\u276f".encode()
READY = b"\x1b[6n"
"""The line editor asks where the cursor is: it is there."""


def first_paint(effort: Effort) -> dict[str, Measured]:
    """Compare the first prompt, and the one that can be typed into, with an empty program."""
    with Place(TERM="xterm-256color", LANG="C.UTF-8") as place:
        works = [
            place.starter(NOTHING),
            until(place, PROMPT),
            until(place, READY),
        ]
        nothing, painted, ready = interleave(effort.processes, works)
    return {"chat_paint": ratio(painted, nothing), "chat_ready": ratio(ready, nothing)}


def until(place: Place, mark: bytes) -> Callable[[], None]:
    """Return what opens the chat on a terminal and waits until something is seen."""

    def work() -> None:
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        process = subprocess.Popen(
            [HERMES, "chat"],
            env=place.environment,
            cwd=ROOT,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
        )
        os.close(follower)
        try:
            _wait(leader, mark)
        finally:
            process.kill()
            process.wait(LONGEST_SECONDS)
            os.close(leader)

    work()
    return work


def _wait(leader: int, mark: bytes) -> None:
    seen = b""
    while mark not in seen:
        try:
            seen += os.read(leader, 65536)
        except OSError as error:
            raise Broken(f"hermes chat ended: {seen.decode(errors='replace')}") from error


FAMILIES = (
    Family(
        "chat",
        (
            Figure("chat_paint", "first paint of `hermes chat` ÷ `python -c pass`", bar=8),
            Figure("chat_ready", "until its prompt can be typed into ÷ the same"),
        ),
        first_paint,
    ),
)
