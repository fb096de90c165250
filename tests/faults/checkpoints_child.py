"""Change four files together, again and again, and say so each time; until killed."""

import itertools
import sys
from pathlib import Path

from hermes.base.digests import digest_of_text
from hermes.services.checkpoints import Checkpoints
from hermes.services.files import Files
from hermes.services.files.changing import Step, apply
from hermes.services.files.local_disk import LocalDisk

home, folder, reached, *rest = sys.argv[1:]


class Caller:
    call_id, tool, task_id, cancelled = "call", "write_file", "task", False
    cwd, workspace = Path(folder), folder

    def digest(self, text):
        return digest_of_text(text)

    def announced(self):
        pass

    def check_path(self, verb, path, is_sole=False):
        pass


keeper = Checkpoints(Path(home))
keeper.store.recover()
files = Files(lambda caller, check: LocalDisk(folder, "/", check), keeper)
names = [f"part{number}" for number in range(4)]
numbers = itertools.count(int(reached) + 1)
for number in itertools.islice(numbers, int(rest[0])) if rest else numbers:
    new = b"%d " % number * 5_000
    steps = []
    for name in names:
        path = Path(folder, name)
        steps.append(Step(name, path.read_bytes() if path.exists() else None, new))
    apply(files.at(Caller()), steps)
    print(number, flush=True)
