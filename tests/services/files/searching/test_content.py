import os
import threading
import time

import pytest
from tests.services.files.conftest import Caller

from hermes.base.errors import Denied, ToolError


@pytest.mark.proves("search-no-option")
@pytest.mark.parametrize(
    "pattern", ["--pre=./evil", "-> None", "--verbose", "-e", "--", "-f/etc/passwd", "--files"]
)
def test_a_pattern_is_never_an_option(look, put, folder, pattern):
    put({"evil": "#!/bin/sh\ntouch ran\n", "text": f"one\nx {pattern} y\n"})
    (folder / "evil").chmod(0o755)
    answer = look(pattern)
    assert [(hit["path"], hit["line"]) for hit in answer["matches"]] == [("text", 2)]
    assert not (folder / "ran").exists()


def test_no_setting_of_ripgrep_counts(look, put, folder, monkeypatch):
    put({"rc": "--invert-match\n", "text": "here\nnot\n"})
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(folder / "rc"))
    assert look("here")["total"] == 1


@pytest.mark.proves("search-honest")
def test_the_total_is_that_of_all_hits_and_pages_go_on(look, put):
    put({f"f{n:02}": "hit\n" * 11 for n in range(11)})
    first = look("hit")
    assert (first["total"], first["truncated"], first["next_offset"], first["files"]) == (
        121, True, 50, 11,
    )  # fmt: skip
    pages = [look("hit", offset=offset) for offset in (0, 50, 100)]
    found = [(hit["path"], hit["line"]) for page in pages for hit in page["matches"]]
    assert found == [(f"f{n:02}", line) for n in range(11) for line in range(1, 12)]
    assert (pages[2]["truncated"], "next_offset" in pages[2]) == (False, False)
    assert look("hit", offset=500)["matches"] == []


def test_files_only_and_counts_are_honest_too(look, put):
    put({"a": "x\nx\n", "b": "x\n", "c": "y\n"})
    assert look("x", output_mode="files_only") == {
        "files": ["a", "b"], "total": 2, "truncated": False,
    }  # fmt: skip
    assert look("x", output_mode="count", limit=1) == {
        "counts": {"a": 2}, "total": 3, "truncated": True, "next_offset": 1, "files": 2,
    }  # fmt: skip


def test_a_line_with_several_matches_is_one_hit(look, put):
    put({"a": "x x x\n"})
    assert look("x")["total"] == 1


def test_context_comes_with_each_hit_and_no_line_twice(look, put):
    put({"a": "".join(f"line {n}\n" for n in range(1, 11))})
    answer = look("line [47]$", context=2)
    assert answer["matches"] == [
        {"path": "a", "line": 4, "text": "line 4", "before": ["line 2", "line 3"],
         "after": ["line 5", "line 6"]},
        {"path": "a", "line": 7, "text": "line 7", "after": ["line 8", "line 9"]},
    ]  # fmt: skip


def test_a_long_line_shows_the_match_in_a_window(look, put):
    put({"a": "a" * 5_000 + "NEEDLE" + "é" * 5_000 + "\n", "b": "NEEDLE" + "b" * 9_000})
    first, second = look("NEEDLE")["matches"]
    assert "NEEDLE" in first["text"]
    assert len(first["text"]) <= 502
    assert (first["text"][0], first["text"][-1], first["column"]) == ("…", "…", 5_001)
    assert second["text"].startswith("NEEDLEb")


def test_encodings_with_a_mark_are_searched(look, put):
    put({"wide": "eins\nzwei drei\n".encode("utf-16"), "marked": b"\xef\xbb\xbfzwei\nx\nzwei\n"})
    answer = look("^zwei", context=1)
    assert [(hit["path"], hit["line"], hit["text"]) for hit in answer["matches"]] == [
        ("marked", 1, "zwei"), ("marked", 3, "zwei"), ("wide", 2, "zwei drei"),
    ]  # fmt: skip


def test_windows_line_ends_do_not_hide_the_end_of_a_line(lines, put):
    put({"a": "one\r\ntwo\r\n"})
    assert lines("one$") == [("a", 1)]
    assert lines("^two$") == [("a", 2)]


def test_binary_files_are_left_out_and_counted(look, put):
    put({"a.bin": b"\0\0needle\n", "b": "needle\n"})
    answer = look("needle")
    assert (answer["total"], answer["binary_files"]) == (1, 1)
    with pytest.raises(ToolError, match="not text"):
        look("needle", path="a.bin")


def test_a_path_may_be_a_file(look, put):
    put({"d/a": "x\ny\nx\n", "d/b": "x\n"})
    answer = look("x", path="d/a", context=1)
    assert [(hit["path"], hit["line"]) for hit in answer["matches"]] == [("d/a", 1), ("d/a", 3)]
    assert answer["total"] == 2


@pytest.mark.parametrize("path", ["d", "d/", "./d", "."])
def test_paths_are_named_so_that_other_tools_find_them(look, put, folder, path):
    put({"d/a": "x\n"})
    assert [hit["path"] for hit in look("x", path=path)["matches"]] == ["d/a"]
    assert look("x", path=f"{folder}/d")["matches"][0]["path"] == f"{folder}/d/a"


def test_literal_case_and_lines_that_span(lines, put):
    put({"a": "a.b\naxb\nA.B\nfoo(\n  bar)\n"})
    assert lines("a.b", literal=True) == [("a", 1)]
    assert lines("a.b", ignore_case=True) == [("a", 1), ("a", 2), ("a", 3)]
    assert lines(r"foo\(.*bar", multiline=True) == [("a", 4)]
    assert lines("foo(\n  bar", literal=True) == [("a", 4)]
    assert lines(r"B\nfoo") == [("a", 3)]
    assert lines(r"foo(?=\()") == [("a", 4)]


@pytest.mark.parametrize(
    ("pattern", "at"), [("foo(", 4), ("ab[z-a]", 4), ("*a", 1), (r"ab\y", 3), ("a(?P<n>x", 2)]
)
def test_a_broken_pattern_is_told_with_its_place(look, put, pattern, at):
    put({"a": "x\n"})
    with pytest.raises(ToolError) as caught:
        look(pattern)
    assert caught.value.code == "invalid_pattern"
    assert "at character" in caught.value.message
    assert "literal=true" in caught.value.hint
    assert look(pattern, literal=True)["total"] == 0


def test_ignored_and_hidden_files_are_left_out_unless_wanted(lines, put):
    put({
        ".gitignore": "*.log\nbuild/\n!keep.log\n", "a": "x\n", "b.log": "x\n", "keep.log": "x\n",
        "build/c": "x\n", ".hidden": "x\n", ".d/e": "x\n", "sub/.gitignore": "/own\n",
        "sub/own": "x\n", "sub/deep/own": "x\n", ".git/config": "x\n",
    })  # fmt: skip
    shown = [("a", 1), ("keep.log", 1), ("sub/deep/own", 1)]
    assert lines("x") == shown
    assert lines("^x", hidden=True) == [(".d/e", 1), (".hidden", 1), *shown]
    assert lines("x", ignored=True) == [
        ("a", 1), ("b.log", 1), ("build/c", 1), ("keep.log", 1), ("sub/deep/own", 1),
        ("sub/own", 1),
    ]  # fmt: skip


def test_a_repository_rules_the_folders_that_are_searched_in_it(lines, put):
    put({".git/HEAD": "", ".gitignore": "*.log\n/d/no\n", "d/a.log": "x\n", "d/no": "x\n",
         "d/a": "x\n", "d/inner/.git/HEAD": "", "d/inner/b.log": "x\n"})  # fmt: skip
    assert lines("x", path="d") == [("d/a", 1), ("d/inner/b.log", 1)]


@pytest.mark.proves("search-globs")
def test_globs_respect_folders_and_whole_names(look, lines, put):
    put({"src/deep/a.py": "x\n", "src/b.py": "x\n", "src/deep/er/c.py": "x\n", "config.py": "x\n",
         "myconfig.py": "x\n", "d.md": "x\n"})  # fmt: skip
    assert lines("x", file_glob="src/deep/*.py") == [("src/deep/a.py", 1)]
    assert lines("x", file_glob="config.py") == [("config.py", 1)]
    assert lines("x", file_glob="src/**/*.py") == [
        ("src/b.py", 1), ("src/deep/a.py", 1), ("src/deep/er/c.py", 1),
    ]  # fmt: skip
    assert lines("x", file_glob="*.{md,txt}") == [("d.md", 1)]
    assert lines("x", file_glob="!*.py") == [("d.md", 1)]
    assert look("*.py", target="files", path="src/deep")["files"] == [
        "src/deep/a.py",
        "src/deep/er/c.py",
    ]


def test_a_glob_does_not_bring_back_what_is_ignored(lines, put):
    put({".gitignore": "out/\n", "out/a.py": "x\n", "b.py": "x\n", ".h.py": "x\n"})
    assert lines("x", file_glob="*.py") == [("b.py", 1)]


def test_odd_names_are_found_and_can_be_read(lines, put, folder):
    names = ["new\nline", "-rf", " a b ", "it's", "raw\udcff"]
    put(dict.fromkeys(names, "x\n"))
    assert lines("x") == [(name, 1) for name in sorted(names)]
    assert sorted(name for name, _ in lines("x", file_glob="*")) == sorted(names)


def test_links_are_not_followed(lines, put, folder, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("x\n")
    put({"a": "x\n"})
    (folder / "link").symlink_to(tmp_path / "outside")
    (folder / "file").symlink_to(tmp_path / "outside/secret")
    assert lines("x") == [("a", 1)]


@pytest.mark.proves("search-credentials")
def test_credentials_are_left_out_and_counted_whatever_the_pattern(look, put):
    put({".env": "KEY=abc\n", "server.pem": "KEY=abc\n", "a": "KEY=\n", ".env.example": "KEY=\n"})
    answer = look("KEY=", hidden=True)
    assert [hit["path"] for hit in answer["matches"]] == [".env.example", "a"]
    assert (answer["total"], answer["withheld_files"]) == (2, 2)
    assert look("KEY=abc", hidden=True)["withheld_files"] == 2
    assert look("KEY=abd", hidden=True)["withheld_files"] == 2  # whether it is there is not told


def test_what_a_rule_denies_is_left_out(files, look, put, folder):
    put({"open/a": "x\n", "closed/b": "x\n"})

    def check(verb, path, is_sole=False):
        if "/closed/" in path:
            raise Denied(path)

    caller = Caller(folder, check=check)
    assert look("x", work=files.at(caller))["total"] == 1


def test_a_hard_link_is_judged_by_itself(files, look, put, folder):
    put({"a": "x\n", "b": "x\n"})
    os.link(folder / "b", folder / "c")

    def check(verb, path, is_sole=False):
        if path.endswith("/c"):
            raise Denied(path)

    answer = look("x", work=files.at(Caller(folder, check=check)))
    assert [hit["path"] for hit in answer["matches"]] == ["a", "b"]


def test_a_missing_path_is_told(look):
    with pytest.raises(ToolError, match="no such file"):
        look("x", path="nowhere")


def test_when_the_time_is_up_what_was_found_is_told_as_such(look, put):
    put({f"f{n}": "x\n" for n in range(50)})
    answer = look("x", seconds=-1.0)
    assert (answer["truncated"], "total" in answer, "in time" in answer["note"]) == (
        True, False, True,
    )  # fmt: skip


def test_a_caller_who_gives_up_ends_the_search(look, put, folder):
    os.mkfifo(folder / "pipe")
    put({"big": "a" * 64 + "\n"})
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    began = time.monotonic()
    answer = look(r"(a|a)*(?=b)$", is_stopped=stop.is_set)  # never ends where it goes back
    assert answer["matches"] == []
    assert time.monotonic() - began < 5
