"""Searching, listing and comparing through the whole pipeline."""

import asyncio
import json

import pytest

from hermes import Runtime


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "state"))
    folder = tmp_path / "work"
    folder.mkdir()

    def call(*calls, files=None):
        for name, content in (files or {}).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)

        async def all_of_them():
            async with Runtime(cwd=folder) as rt:
                return [json.loads(await rt.call(name, given)) for name, given in calls]

        return asyncio.run(asyncio.wait_for(all_of_them(), 30))

    return call


def test_a_search_answers_with_totals(call):
    (found,) = call(
        ("search_files", {"pattern": "-> None", "limit": 1}),
        files={"a.py": "def f() -> None: ...\ndef g() -> None: ...\n"},
    )
    assert found == {
        "matches": [{"path": "a.py", "line": 1, "text": "def f() -> None: ..."}],
        "total": 2, "truncated": True, "next_offset": 1, "files": 1,
    }  # fmt: skip


def test_the_other_names_of_the_search_work(call):
    answers = call(
        ("search", {"pattern": "x"}), ("file_search", {"pattern": "x"}), files={"a": "x\n"}
    )
    assert [answer["total"] for answer in answers] == [1, 1]


def test_a_search_leaves_secrets_out(call):
    found, near = call(
        ("search_files", {"pattern": "KEY", "hidden": True}),
        ("search_files", {"pattern": "KEY", "path": ".env"}),
        files={".env": "KEY=1\n", "a": "KEY\n"},
    )
    assert [hit["path"] for hit in found["matches"]] == ["a"]
    assert found["withheld_files"] == 1
    assert near["code"] == "denied"


def test_a_listing_is_a_tree(call):
    (listed,) = call(("directory_list", {"depth": 2}), files={"a/b.py": "12345", "c": ""})
    assert listed == {
        "tree": "a/\n  b.py  5 B\nc  0 B", "files": 2, "folders": 1, "total": 3, "truncated": False,
    }  # fmt: skip


def test_a_comparison_shows_the_lines(call):
    (found,) = call(("file_diff", {"a": "a", "b": "b"}), files={"a": "1\n2\n", "b": "1\n3\n"})
    assert found == {
        "identical": False, "added": 1, "removed": 1, "truncated": False,
        "diff": "--- a\n+++ b\n@@ -1,2 +1,2 @@\n 1\n-2\n+3",
    }  # fmt: skip


def test_a_comparison_reads_no_secret_however_often_it_is_called(call):
    answers = call(
        ("file_diff", {"a": "x", "b": "y"}),
        ("file_diff", {"a": ".env", "b": "y"}),
        ("file_diff", {"a": "x", "b": "./.env"}),
        files={".env": "KEY=1\n"},
    )
    assert [answer.get("code") for answer in answers] == [None, "denied", "denied"]


def test_nothing_outside_that_is_a_secret_is_listed_by_a_link(call, tmp_path):
    (tmp_path / "work").joinpath("link").symlink_to("/proc/self/environ")
    found, listed = call(
        ("search_files", {"pattern": "HOME"}), ("directory_list", {"path": ".", "depth": 3})
    )
    assert found["total"] == 0
    assert listed["tree"] == "link -> /proc/self/environ"
