"""A task's files in a folder of its own, for patches."""

from types import SimpleNamespace

import pytest

from hermes.base.errors import ToolError
from hermes.services.files import Files
from hermes.services.files.local_disk import LocalDisk
from hermes.services.files.patching.applying import patch
from hermes.services.files.patching.finding import Wanted
from hermes.services.files.patching.replacing import replace


class Folder:
    """Files that are written, patched and looked at; ``refuse`` says which verbs fail on which."""

    def __init__(self, root):
        self.root = root
        self.refused = {}
        self.files = Files(lambda caller, check: LocalDisk(str(root), str(root), check))

    def _check(self, verb, path, is_sole=False):
        error = self.refused.get((verb, path.removeprefix(f"{self.root}/")))
        if error is not None:
            raise error

    def work(self, task="task"):
        caller = SimpleNamespace(
            call_id="1",
            task_id=task,
            cancelled=False,
            cwd=self.root,
            workspace=str(self.root),
            check_path=self._check,
            announced=lambda: None,
        )
        return self.files.at(caller)

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def read(self, name):
        return (self.root / name).read_bytes()

    def all(self):
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }

    def replace(self, name, old, new, *, replace_all=False, task="task"):
        return replace(self.work(task), Wanted(name, old, new, replace_all))

    def patch(self, text, task="task"):
        return patch(self.work(task), text)

    def refusal(self, do, *args, **options):
        """Return why something is refused, having made sure that it changed nothing."""
        before = self.all()
        with pytest.raises(ToolError) as caught:
            do(*args, **options)
        assert self.all() == before
        return caught.value


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    return Folder(root)
