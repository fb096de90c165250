"""Say which rule of a box stopped what a command tried, so that it can ask for exactly that."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable

from hermes.base.mounts import is_below
from hermes.environments.sandbox.box import Box

_MOST_LINES = 400
_LONGEST_LINE = 2_000
_REFUSED = re.compile(
    r"Read-only file system|Permission denied|Operation not permitted|EROFS|EACCES|EPERM|Errno 30\b"
    r"|Device or resource busy",
)
_MISSING = re.compile(r"No such file or directory|ENOENT|cannot access")
_OFFLINE = re.compile(
    r"Could not resolve host|Temporary failure in name resolution|Name or service not known"
    r"|Network is unreachable|ENETUNREACH|EAI_AGAIN|getaddrinfo|nodename nor servname"
    r"|Failed to establish a new connection|Could not resolve proxy|socket: Operation not permitted"
    r"|Cannot assign requested address|Address family not supported|[Uu]nable to resolve host",
)
_UNCONNECTED = re.compile(r"Failed to connect to|Couldn't connect to|Connection refused")
_UNIX = re.compile(r"AF_UNIX|[Uu]nix.{0,20}[Ss]ocket|UNIX.{0,20}[Ss]ocket|\.sock\b|\.s\.PGSQL")
_NOT_PERMITTED = re.compile(r"[Oo]peration not permitted|EPERM")
_PATH = re.compile(r"(?<![\w.:])(/[^\s'\"`:,;<>|()\[\]\u2018\u2019]+)")
_QUOTED = re.compile(r"['\"`\u2018](/[^'\"`\u2019]+)['\"`\u2019]")
_CANNOT = re.compile(r"^cannot [a-z]+ ")
_BETWEEN = re.compile(r": |['\"`\u2018\u2019]")
_NO_UNIX_SOCKETS = (
    "The sandbox refuses Unix sockets, which could reach programs outside of it: "
    "use pipes, socketpair(), or TCP where the sandbox has a network or a loopback."
)
_REFUSED_BY_PROXY = re.compile(r"hermes proxy: ([^\r\n]{1,200})")


def explain(
    box: Box, errors: str, code: int, *, cwd: str = "", refused: Iterable[str] = ()
) -> str | None:
    """Return one sentence for each rule that a failed command ran into, or None.

    ``refused`` is what its proxy did not pass on.
    It reads what the program said, so it is advice: the boundary does not depend on it.
    """
    if code == 0:
        return None
    lines = [line[:_LONGEST_LINE] for line in errors.splitlines()[-_MOST_LINES:]]
    found = [reason for line in lines for reason in _reasons(box, line, cwd)]
    if any(map(_UNIX.search, lines)) and any(map(_NOT_PERMITTED.search, lines)):
        found.append(_NO_UNIX_SOCKETS)
    found += [_proxied(reason) for reason in refused]
    found += _limits(box, code)
    return " ".join(dict.fromkeys(found)) or None


def _is_offline(box: Box, line: str) -> bool:
    if box.network == "on" or _UNIX.search(line):
        return False
    return bool(_OFFLINE.search(line) or (box.network == "off" and _UNCONNECTED.search(line)))


def _reasons(box: Box, line: str, cwd: str) -> list[str]:
    if refused := _REFUSED_BY_PROXY.search(line):
        return [_proxied(refused[1].strip())]
    if _is_offline(box, line):
        return [_network(box)]
    if not box.confined:
        return []
    if _REFUSED.search(line):
        return [reason for path in _paths(line, cwd) if (reason := _write_rule(box, path))]
    if _MISSING.search(line):
        return [reason for path in _paths(line, cwd) if (reason := _read_rule(box, path))]
    return []


def _proxied(reason: str) -> str:
    return f"The network proxy refused it: {reason}."


def _network(box: Box) -> str:
    if box.network == "proxy":
        return "The sandbox reaches the network only through its proxy, for allowed hosts."
    kept = " but its own loopback" if box.network == "loopback" else ""
    return f"The sandbox has no network{kept}; ask for the network if the command needs it."


def _paths(line: str, cwd: str) -> list[str]:
    found = _QUOTED.findall(line) or _PATH.findall(line)
    if len(found) > 1 and line.startswith(f"{found[0]}:"):
        del found[0]  # the program that complains
    if not found and cwd:
        parts = [part.strip() for part in _BETWEEN.split(line)]
        found = [f"{cwd}/{_CANNOT.sub('', part)}" for part in parts]
    return [path.rstrip("/.") or "/" for path in found]


def _write_rule(box: Box, path: str) -> str | None:
    if reason := _read_rule(box, path):
        return reason
    for place in box.protected:
        if is_below(path, place):
            return f"{path} is protected: commands may not change {place}."
    if not any(is_below(path, root) for root in (*box.writable, "/tmp", "/dev")):
        roots = ", ".join(box.writable) or "nothing"
        return f"{path} is read-only in the sandbox, which may write {roots}."
    return None


def _read_rule(box: Box, path: str) -> str | None:
    for place in box.hidden:
        if is_below(path, place):
            return f"{place} is hidden from commands, because it may hold secrets."
    seen = (*box.readable, *box.writable, "/tmp", "/dev", "/proc")
    if is_below(path, box.home) and not any(is_below(path, root) for root in seen):
        return f"{path} is not seen in the sandbox: of the home only toolchains are."
    return None


def _limits(box: Box, code: int) -> list[str]:
    number = -code if code < 0 else code - 128
    if number == signal.SIGXCPU and box.limits.cpu_seconds is not None:
        return [f"It used more than {box.limits.cpu_seconds} seconds of processor time."]
    if number == signal.SIGXFSZ and box.limits.file_bytes is not None:
        return [f"It wrote a file larger than {box.limits.file_bytes} bytes."]
    if number == signal.SIGSYS:
        return ["It made a system call that the sandbox refuses."]
    return []
