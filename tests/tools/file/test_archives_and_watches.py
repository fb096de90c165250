import asyncio
import json

import pytest

from hermes import Runtime


@pytest.fixture
def run(tmp_path):
    """Run a story with a runtime and what calls its tools."""
    folder = tmp_path / "work"
    folder.mkdir()

    def do(story):
        async def whole():
            config = {"home": str(tmp_path / "home")}
            async with Runtime(cwd=folder, config=config) as runtime:

                async def call(name, **arguments):
                    return json.loads(await runtime.call(name, arguments, task_id="task"))

                return await asyncio.wait_for(story(call, folder), 30)

        return asyncio.run(whole())

    return do


def test_a_folder_is_packed_listed_and_unpacked(run):
    async def story(call, folder):
        (folder / "src").mkdir()
        (folder / "src/a").write_text("1")
        made = await call("file_compress", action="create", archive="a.tgz", paths=["src"])
        assert (made["format"], made["files"]) == ("tar.gz", 1)
        listed = await call("file_compress", action="list", archive="a.tgz")
        assert [entry["name"] for entry in listed["entries"]] == ["src", "src/a"]
        got = await call("file_compress", action="extract", archive="a.tgz", destination="out")
        assert (got["files"], (folder / "out/src/a").read_text()) == (1, "1")
        again = await call("file_compress", action="extract", archive="a.tgz", destination="out")
        assert again["code"] == "exists"

    run(story)


def test_unpacking_where_the_policy_says_no_does_nothing(run, tmp_path):
    async def story(call, folder):
        (folder / "hosts").write_text("1")
        await call("file_compress", action="create", archive="a.zip", paths=["hosts"])
        got = await call("file_compress", action="extract", archive="a.zip", destination="/etc/x")
        assert got["code"] == "denied"

    run(story)


def test_an_archive_elsewhere_may_be_read_and_not_made(run, tmp_path):
    """By its action an archive is read or written; who judges it knows that."""

    async def story(call, folder):
        (folder / "f").write_text("1")
        made = await call("file_compress", action="create", archive="/usr/a.zip", paths=["f"])
        assert made["code"] == "denied"
        listed = await call("file_compress", action="list", archive="/usr/a.zip")
        assert listed["code"] == "not_found"

    run(story)


def test_changes_are_waited_for(run):
    async def story(call, folder):
        started = await call("file_watch", action="start", path=".", patterns=["*.py"])
        (folder / "a.py").write_text("1")
        got = await call("file_watch", action="wait", watch_id=started["watch_id"], timeout=5)
        assert got["events"] == [{"type": "created", "path": "a.py"}]
        assert "stopped" in await call("file_watch", action="stop", watch_id=started["watch_id"])
        gone = await call("file_watch", action="poll", watch_id=started["watch_id"])
        assert gone["code"] == "not_found"
        assert (await call("file_watch", action="start"))["code"] == "invalid_arguments"

    run(story)
