"""Seatbelt: the sandbox of macOS, told what to do by a profile."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence

from hermes.environments.sandbox.box import Box
from hermes.environments.sandbox.limits import rlimits
from hermes.environments.sandbox.order import Command, Walls

_PROGRAM = "/usr/bin/sandbox-exec"
_ALWAYS = """(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow user-preference-read)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow ipc-posix-sem)
(allow pseudo-tty)
(allow file-read-metadata)
(allow file-read* (literal "/"))
(allow file-read* file-write* file-ioctl (regex #"^/dev/(null|zero|tty|ptmx|ttys[0-9]+)$"))
(allow file-read* (regex #"^/dev/u?random$"))"""
_SYSTEM = ("/System", "/usr", "/bin", "/sbin", "/Library", "/opt", "/private/etc", "/Applications")


class Seatbelt:
    """Run a program under a profile that is written for its box."""

    name = "seatbelt"
    confines = True
    builds_tree = False

    def unavailable(self) -> str | None:
        """Say why this cannot be used here, or None."""
        return None if platform.system() == "Darwin" else "Seatbelt is a part of macOS"

    def walls(self, box: Box, stage: str) -> Walls:
        """Return the limits; all else is in the profile."""
        del stage
        return Walls(limits=rlimits(box.limits))

    def command(self, box: Box, argv: Sequence[str], *, cwd: str, stage: str) -> Command:
        """Return how the system's own launcher is called."""
        del stage
        return Command((_PROGRAM, "-p", profile(box), "--", *argv), cwd)


def profile(box: Box) -> str:
    """Write the profile of a box; of rules that match, the last one holds."""
    lines = [_ALWAYS]
    if box.confined:
        scratch = [box.scratch] if box.scratch else []
        lines += _rule("allow file-read*", (*_SYSTEM, *box.readable))
        lines += _rule("allow file-read* file-write*", (*box.writable, *scratch))
        lines += _rule("deny file-write*", box.protected)
        lines += _rule("deny file-write-unlink", _parents(box))
        lines += _rule("deny file-read* file-write*", box.hidden)
    else:
        lines.append("(allow file*)")
    return "\n".join([*lines, *_network(box)]) + "\n"


def _rule(what: str, paths: Iterable[str]) -> list[str]:
    places = "".join(f"\n  (subpath {quoted(path)})" for path in paths)
    return [f"({what}{places})"] if places else []


def _parents(box: Box) -> list[str]:
    """Return folders around protected places: moving one away would move the place away."""
    found = dict.fromkeys(path.rpartition("/")[0] for path in box.protected)
    return [path for path in found if path not in box.writable]


def _network(box: Box) -> list[str]:
    if box.network == "on":
        return ["(allow network*)", "(allow system-socket)"]
    if box.network == "loopback":
        return [
            '(allow network-bind network-inbound (local ip "localhost:*"))',
            '(allow network-outbound (remote ip "localhost:*"))',
        ]
    if box.network == "proxy":
        return [f'(allow network-outbound (remote ip "localhost:{box.proxy_port}"))']
    return []


def quoted(text: str) -> str:
    """Write a string as the profile language reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
