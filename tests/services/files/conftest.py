import pytest

from hermes.base.digests import digest_of_text
from hermes.services.files import Files
from hermes.services.files.leftovers import Leftovers
from hermes.services.files.local_disk import LocalDisk


class Caller:
    """A call of a task, without any policy unless a test brings one."""

    def __init__(self, folder, task_id="task", check=lambda verb, path, is_sole=False: None):
        self.cwd, self.workspace = folder, str(folder)
        self.cancelled = False
        self.task_id, self.call_id, self.check_path = task_id, f"call-of-{task_id}", check
        self.has_path_rules = False
        self.may_wait = True

    def digest(self, text):
        return digest_of_text(text)

    def announced(self):
        pass


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "work"
    made.mkdir()
    return made


@pytest.fixture
def files(tmp_path):
    return Files(
        lambda caller, check: LocalDisk(str(caller.cwd), str(tmp_path / "home"), check),
        leftovers=Leftovers(tmp_path / "unfinished"),
    )


@pytest.fixture
def work(files, folder):
    return files.at(Caller(folder))


@pytest.fixture
def disk(work):
    return work.disk


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch
