"""Walls around the containment experiment itself, so that not even a broken box does any harm.

Whatever the experiment runs has namespaces of its own, no network, a tree that is read-only, and
memory in place of everything that people keep: homes, temporary folders and sockets. Its user is
nobody, or whoever started it if that is not root.
"""

from __future__ import annotations

import os
import signal
import sys

from hermes.environments.sandbox.inside import kernel
from hermes.environments.sandbox.inside.enter import write

NEW_PROCESSES = 0x20000000
COVERED = ("/home", "/root", "/tmp", "/var/tmp", "/dev/shm", "/run")
ROOM = "size=192m,nr_inodes=20000"
HOME = "/home/dev"
_FIRST_USER, _USERS = 200_000, 100_000


class NoWalls(Exception):
    """The walls cannot be built here."""


def shut_in(argv, env, *, needed):
    """Run a program behind the walls and return its exit code; it sees the needed folders."""
    try:
        user = _namespaces()
        child = os.fork()
        if child == 0:
            _become(argv, env, user, needed)
    except OSError as error:
        raise NoWalls(str(error)) from error
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def prove():
    """Stop at once unless this process is shut in: the last look before anything dangerous."""
    assert os.getuid() != 0, "the experiment never runs as root"
    assert os.geteuid() != 0, "the experiment never runs as root"
    assert os.getpid() == 1, "the experiment needs processes of its own"
    assert set(os.listdir("/root")) <= _first_below("/root"), "/root is not covered"
    for folder in ("/", "/etc", "/usr", "/var", "/work", "/srv", "/opt"):
        assert not _can_write(folder), f"{folder} is writable"
    with open("/proc/self/status", encoding="utf-8") as status:
        facts = dict(line.rstrip("\n").split(":\t", 1) for line in status)
    assert int(facts["CapEff"], 16) == int(facts["CapPrm"], 16) == 0, "it has capabilities"
    assert facts["NoNewPrivs"] == "1", "it could gain rights"
    with open("/proc/net/dev", encoding="utf-8") as devices:
        names = [line.split(":")[0].strip() for line in devices if ":" in line]
    assert set(names) <= {"lo", "sit0", "tunl0", "ip6tnl0", "gre0"}, f"it has a network: {names}"


def _namespaces():
    """Move into new namespaces; return the user to become, or None to stay who we are."""
    apart = kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS | kernel.CLONE_NEWNET
    if os.geteuid() == 0:
        kernel.unshare(apart | NEW_PROCESSES)
        return _FIRST_USER + os.getpid() % _USERS
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(apart | NEW_PROCESSES | kernel.CLONE_NEWUSER)
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{user} {user} 1")
    write("/proc/self/gid_map", f"{group} {group} 1")
    return None


def _become(argv, env, user, needed):
    """Build the walls as the first process in there, drop every right, and become the program."""
    try:
        _build(needed)
        owner = os.getuid() if user is None else user
        os.mkdir(HOME, 0o755)
        os.chown(HOME, owner, owner if user is not None else os.getgid())
        if user is not None:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        kernel.gain_nothing()
        kernel.drop_capabilities()
        kernel.die_with_parent(signal.SIGKILL)
        os.execve(argv[0], argv, env)
    except OSError as error:
        print(f"no walls: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(77)


def _build(needed):
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_SLAVE)
    hidden = [path for path in needed if any(_below(path, place) for place in COVERED)]
    held = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in hidden}
    kernel.harden("/", kernel.READ_ONLY | kernel.NO_SETUID)
    for place in COVERED:
        if os.path.isdir(place) and not os.path.islink(place):
            mode = "mode=755" if place in ("/home", "/root") else "mode=1777"
            kernel.mount("tmpfs", place, "tmpfs", kernel.SAFE, f"{ROOM},{mode}")
    for path, fd in held.items():
        os.makedirs(path, 0o755, exist_ok=True)
        kernel.mount(f"/proc/self/fd/{fd}", path, "", kernel.MS_BIND | kernel.MS_REC)
        kernel.harden(path, kernel.READ_ONLY | kernel.SAFE)
    kernel.mount("proc", "/proc", "proc", kernel.SAFE)


def _below(path, folder):
    return path == folder or path.startswith(f"{folder}/")


def _first_below(folder):
    """Return what may stand in a covered folder: the way to Pythons that are kept there."""
    kept = [path for path in (sys.base_prefix, sys.prefix) if _below(path, folder)]
    return {path.removeprefix(f"{folder}/").split("/")[0] for path in kept}


def _can_write(folder):
    probe = f"{folder}/containment-probe"
    try:
        os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except OSError:
        return False
    os.unlink(probe)
    return True
