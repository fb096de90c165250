"""Pack or unpack in children that kill themselves at every moment they touch the disk."""

import os
import shutil
import signal
import sys
from pathlib import Path

from hermes.base.digests import digest_of_text
from hermes.services.files import Files
from hermes.services.files.archives.packing import create
from hermes.services.files.archives.unpacking import Wanted, extract
from hermes.services.files.leftovers import Leftovers
from hermes.services.files.local_disk import LocalDisk

TOUCHES = ("open", "os.", "fcntl.flock", "shutil.rmtree")
MOST = 2_000


class Caller:
    task_id = call_id = "task"
    tool = ""
    cancelled = False

    def __init__(self, folder):
        self.cwd, self.workspace = folder, str(folder)

    def digest(self, text):
        return digest_of_text(text)

    def announced(self):
        pass

    def check_path(self, verb, path, is_sole=False):
        pass


def works(home, folder):
    leftovers = Leftovers(home / "unfinished")
    files = Files(lambda caller, check: LocalDisk(str(folder), "/", check), leftovers=leftovers)
    return files.at(Caller(folder))


def prepare(top, scenario):
    shutil.rmtree(top, ignore_errors=True)
    work = top / "work"
    (work / "src/sub").mkdir(parents=True)
    for name in ("a", "b", "sub/c"):
        (work / "src" / name).write_text(f"new {name}" * 50)
    for path in [work / "src", *(work / "src").rglob("*")]:
        os.utime(path, (1_600_000_000, 1_600_000_000))  # so that each time makes the same archive
    if scenario.startswith("create"):
        if scenario == "create-over":
            (work / "out.tar.gz").write_text("old")
        return work
    kind = "zip" if scenario.endswith("zip") else "tar.gz"
    create(works(top / "home", work), "in.archive", ["src"], kind, overwrite=False)
    shutil.rmtree(work / "src")
    if scenario.startswith("merge"):
        (work / "out/src/sub").mkdir(parents=True)
        for name in ("b", "sub/c", "mine"):
            (work / "out/src" / name).write_text(f"old {name}")
    return work


def act(work, scenario):
    if scenario.startswith("create"):
        create(work, "out.tar.gz", ["src"], "tar.gz", overwrite=True)
    else:
        overwrite = scenario.startswith("merge")
        extract(work, "in.archive", Wanted("out/deeper" if not overwrite else "out",
                                           overwrite=overwrite))  # fmt: skip


def state(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def killed_at(top, scenario, moment):
    """Run in a child that dies at the given touch of the disk; say whether it did."""
    work = prepare(top, scenario)
    before = state(work)
    child = os.fork()
    if child == 0:
        count = 0

        def watch(event, arguments):
            nonlocal count
            if event.startswith(TOUCHES):
                count += 1
                if count == moment:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        act(works(top / "home", work), scenario)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return work, before, os.WIFSIGNALED(status)


def seen_between(left, before, after):
    """Every file that can be seen, hidden ones of ours apart, is an old or a new one."""
    for name, data in left.items():
        if ".hermes-" in name or data is None:
            continue
        assert data in (before.get(name), after.get(name)), name


def main(top, scenario):
    work, before, _ = killed_at(top, scenario, MOST)
    after = state(work)
    assert after != before
    olds = news = 0
    for moment in range(1, MOST):
        work, _, was_killed = killed_at(top, scenario, moment)
        if not was_killed:
            break
        seen_between(state(work), before, after)
        Files(lambda caller, check: None, leftovers=Leftovers(top / "home/unfinished"))
        left = state(work)
        assert left in (before, after), (moment, sorted(left))
        assert list((top / "home/unfinished").glob("*.record")) == [], moment
        olds, news = olds + (left == before), news + (left == after)
        if left == before:
            act(works(top / "home", work), scenario)
            assert state(work) == after, moment
    sys.stdout.write(f"{olds} {news}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
