import asyncio
import os
import threading

import pytest
from tests.environments.agent_channel import Here
from tests.services.files.archive_samples import LEFT_OUT, header, tar
from tests.services.files.conftest import Caller
from tests.services.files.test_archives import tree

from hermes.base.errors import Denied, ToolError
from hermes.environments.remote import RemoteEnvironment
from hermes.services.files import Files
from hermes.services.files.archives.packing import create
from hermes.services.files.archives.unpacking import Wanted, extract
from hermes.services.files.remote_disk import RemoteDisk
from hermes.services.files.watching import Wish


@pytest.fixture
def remote(tmp_path):
    """What works on a folder through the agent that other machines have."""
    folder = tmp_path / "there"
    folder.mkdir()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def submit(work):
        return asyncio.run_coroutine_threadsafe(work, loop)

    environment = RemoteEnvironment(Here(tmp_path), str(folder))
    files = Files(lambda caller, check: RemoteDisk(environment, str(folder), check, submit))
    yield files, folder
    files.close()
    submit(environment.close()).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(20)
    loop.close()


@pytest.mark.parametrize("kind", ["zip", "tar.zst"])
def test_archives_are_packed_and_unpacked_on_other_machines(remote, kind):
    files, folder = remote
    work = files.at(Caller(folder))
    (folder / "src/sub").mkdir(parents=True)
    (folder / "src/large").write_bytes(os.urandom(3 << 20))
    (folder / "src/sub/f").write_text("1")
    (folder / "src/link").symlink_to("sub/f")
    create(work, "a.zip", ["src"], kind, overwrite=False)
    extract(work, "a.zip", Wanted("new/er"))
    assert tree(folder / "new/er/src") == tree(folder / "src")
    with pytest.raises(ToolError, match="is there already"):
        extract(work, "a.zip", Wanted("new/er"))
    with pytest.raises(ToolError, match="it is there already"):
        create(work, "a.zip", ["src"], kind, overwrite=False)
    (folder / "new/er/src/sub/f").write_text("changed")
    assert extract(work, "a.zip", Wanted("new/er", overwrite=True))["replaced"] == 3
    assert tree(folder / "new/er/src") == tree(folder / "src")
    assert sorted(os.listdir(folder)) == ["a.zip", "new", "src"]


def test_nothing_is_left_there_when_something_is_wrong(remote):
    files, folder = remote

    def check(verb, path, is_sole=False):
        if path.endswith("forbidden"):
            raise Denied("no")

    work = files.at(Caller(folder, check=check))
    (folder / "a.tar").write_bytes(tar(header("fine", b"1"), header("forbidden", b"1")))
    (folder / "b.tar").write_bytes(tar(header("fine", b"1"), header("../evil", b"1")))
    (folder / "c.tar").write_bytes(LEFT_OUT["tar-link-out"])
    with pytest.raises(Denied):
        extract(work, "a.tar", Wanted("out"))
    with pytest.raises(ToolError):
        extract(work, "b.tar", Wanted("."))
    with pytest.raises(ToolError):
        create(work, "d.tar", ["nowhere"], "tar", overwrite=False)
    assert extract(work, "c.tar", Wanted("good"))["skipped"] == 1
    assert sorted(os.listdir(folder)) == ["a.tar", "b.tar", "c.tar", "good"]


def test_changes_on_other_machines_are_told(remote):
    files, folder = remote
    work = files.at(Caller(folder))
    name = files.watches.start("task", work.disk, Wish(".", ("*.txt",)))["watch_id"]
    (folder / "a.txt").write_text("1")
    (folder / "b.bin").write_text("1")
    watch = files.watches.find("task", name)
    told = asyncio.run(files.watches.wait(watch, 5))
    assert told["events"] == [{"type": "created", "path": "a.txt"}]
    files.forget("task")
