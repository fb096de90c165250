"""A folder with files, changes of it, and ways to break them at every call of the system."""

import contextlib
import os
import signal
from pathlib import Path

from hermes.base.digests import digest_of_text
from hermes.services.checkpoints import Checkpoints, notes, undoing
from hermes.services.files import Files
from hermes.services.files.changing import Step, apply
from hermes.services.files.local_disk import LocalDisk

CALLS = [
    "open",
    "write",
    "pwritev",
    "fsync",
    "fdatasync",
    "replace",
    "link",
    "unlink",
    "mkdir",
    "rmdir",
    "ftruncate",
    "symlink",
    "fchmod",
    "utime",
]
OLD = b"old line\n" * 1_500
NEW = b"a new line\n" * 1_000
LONG = b"much longer\n" * 3_000


class Caller:
    """Who calls, as the runtime would say it."""

    call_id, tool, task_id, cancelled = "call", "write_file", "task", False

    def __init__(self, folder):
        self.cwd, self.workspace = folder, str(folder)

    def digest(self, text):
        return digest_of_text(text)

    def announced(self):
        pass

    def check_path(self, verb, path, is_sole=False):
        pass


class World:
    """A folder to work in, and the checkpoints of a home."""

    def __init__(self, base):
        self.home, self.folder = base / "home" / "checkpoints", base / "work"
        self.folder.mkdir()
        for name in ("a", "c", "d"):
            (self.folder / name).write_bytes(OLD)
        (self.folder / "d").chmod(0o750)
        (self.folder / "one").write_bytes(OLD)
        os.link(self.folder / "one", self.folder / "other")

    def keeper(self):
        return Checkpoints(self.home)

    def change(self, *steps):
        """Change files together, as a tool does."""
        with contextlib.closing(self.keeper()) as keeper:
            files = Files(lambda caller, check: LocalDisk(str(self.folder), "/", check), keeper)
            apply(files.at(Caller(self.folder)), steps)

    def held(self):
        """Return everything in the folder: names, modes, contents."""
        return {
            str(path.relative_to(self.folder)): (
                path.lstat().st_mode,
                path.read_bytes() if path.is_file() else None,
            )
            for path in sorted(self.folder.rglob("*"))
        }

    def recovered(self):
        """Start anew, as after a crash, and return what is there then."""
        keeper = self.keeper()
        keeper.store.recover()
        keeper.close()
        return self.held()

    def undo(self, force=False):
        """Take the newest change back."""
        with contextlib.closing(self.keeper()) as keeper:
            newest = next(one for one in keeper.store.all() if one.origin != "undo")
            plan = undoing.plan(keeper, [newest])
            return undoing.perform(keeper, plan, workspace=str(self.folder), force=force)


def one_file(world):
    world.change(Step("a", OLD, NEW))


def new_file(world):
    world.change(Step("x/y/new", None, NEW))


def several_files(world):
    steps = [
        Step("a", OLD, NEW),
        Step("x/b", None, NEW),
        Step("c", OLD, None),
        Step("d", OLD, LONG),
    ]
    world.change(*steps)


def linked_file(world):
    world.change(Step("one", OLD, LONG), Step("a", OLD, NEW))


def linked_file_shorter(world):
    world.change(Step("one", OLD, b"short"), Step("a", OLD, NEW))


def undoing_it(world):
    world.undo()


DEEDS = [one_file, new_file, several_files, linked_file, linked_file_shorter]


@contextlib.contextmanager
def counted(act):
    """Have ``act(number, name, call, arguments)`` stand in for every call that changes a disk."""
    real = {name: getattr(os, name) for name in CALLS}
    sync = notes._sync
    number = 0

    def stand_in(name, call):
        def calling(*arguments, **options):
            nonlocal number
            if name == "open" and not arguments[1] & os.O_CREAT:
                return call(*arguments, **options)
            number += 1
            return act(number, name, lambda *given: call(*given, **options), arguments)

        return calling

    for name, call in real.items():
        setattr(os, name, stand_in(name, call))
    notes._sync = stand_in("fdatasync", sync)
    try:
        yield
    finally:
        for name, call in real.items():
            setattr(os, name, call)
        notes._sync = sync


def killed_at(number, deed, world):
    """Do it in a process that is killed in the middle of a call; return whether it got there."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    signal.alarm(20)

    def act(count, name, call, arguments):
        if count != number:
            return call(*arguments)
        if name == "write":
            call(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
        elif name == "pwritev":
            call(arguments[0], [bytes(arguments[1][0])[: len(arguments[1][0]) // 2]], arguments[2])
        os.kill(os.getpid(), signal.SIGKILL)
        return None

    try:
        with counted(act):
            deed(world)
    finally:
        os._exit(0)


def leftovers(world):
    """Return temporary files that nobody needs."""
    places = [world.folder, world.home]
    return [path for place in places for path in Path(place).rglob("*.hermes-tmp")]
