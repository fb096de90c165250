"""A folder to work in, and the checkpoints of a home."""

import contextlib

import pytest

from hermes.base.digests import digest_of_text
from hermes.services.checkpoints import Checkpoints
from hermes.services.files import Files
from hermes.services.files.changing import Step, apply
from hermes.services.files.local_disk import LocalDisk


class Caller:
    call_id, tool, task_id, cancelled = "call", "write_file", "task", False

    def __init__(self, folder):
        self.cwd, self.workspace = folder, str(folder)

    def digest(self, text):
        return digest_of_text(text)

    def announced(self):
        pass

    def check_path(self, verb, path, is_sole=False):
        pass


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "work"
    made.mkdir()
    return made


@pytest.fixture
def keeper(tmp_path):
    with contextlib.closing(Checkpoints(tmp_path / "home" / "checkpoints")) as made:
        yield made


@pytest.fixture
def change(folder, keeper):
    """Return a function that changes files, each by name and new content, as a tool does."""

    def changing(**names):
        files = Files(lambda caller, check: LocalDisk(str(folder), "/", check), keeper)
        steps = []
        for name, after in names.items():
            path = folder / name
            steps.append(Step(name, path.read_bytes() if path.exists() else None, after))
        apply(files.at(Caller(folder)), steps)
        return keeper.store.all()[0]

    return changing
