"""``hermes undo`` and ``hermes checkpoints``: what was changed, shown and taken back."""

import json
import os
import pty
import subprocess
import sys

import pytest

from hermes import Runtime
from hermes.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    made = tmp_path / "work"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


def write(**files):
    with Runtime(config={"approvals.mode": "off"}) as runtime:
        for name, content in files.items():
            said = json.loads(runtime.call_sync("write_file", {"path": name, "content": content}))
            assert "error" not in said


def run(capsys, *words):
    code = main(list(words))
    return code, capsys.readouterr()


def known(capsys):
    return json.loads(run(capsys, "checkpoints", "list", "--json")[1].out)


@pytest.mark.proves("checkpoint-undo")
def test_the_newest_change_of_a_folder_is_undone_then_the_one_before(capsys, folder):
    write(a="one")
    write(a="two")
    assert run(capsys, "undo", "--yes")[0] == 0
    assert (folder / "a").read_text() == "one"
    code, printed = run(capsys, "undo", "-y", "--json")
    said = json.loads(printed.out)
    assert said["files"] == [{"path": str(folder / "a"), "action": "remove"}]
    assert not (folder / "a").exists()
    code, printed = run(capsys, "undo", "-y")
    assert code == 1
    assert "nothing is left to undo in this folder" in printed.err
    assert run(capsys, "undo", said["checkpoint"], "-y")[0] == 0
    assert (folder / "a").read_text() == "one"


def test_every_change_since_one_is_undone_together(capsys, folder):
    (folder / "a").write_text("zero")
    write(a="one", b="x")
    first = known(capsys)[1]["id"]
    write(a="two")
    run(capsys, "undo", "-y")
    assert run(capsys, "undo", "--to", first[:5], "-y")[0] == 0
    assert (folder / "a").read_text() == "zero"
    assert not (folder / "b").exists()


def test_one_path_is_undone_alone(capsys, folder):
    write(a="one")
    write(b="x")
    assert run(capsys, "undo", "--path", "a", "-y")[0] == 0
    assert [path.name for path in folder.iterdir()] == ["b"]
    code, printed = run(capsys, "undo", "--path", "nowhere", "-y")
    assert code == 1 and "no change of nowhere is left" in printed.err


@pytest.mark.proves("checkpoint-others")
def test_a_file_changed_by_somebody_else_is_refused_unless_forced(capsys, folder):
    write(a="one")
    (folder / "a").write_text("mine")
    code, printed = run(capsys, "undo", "-y")
    assert code == 1
    assert "a: it was changed by somebody else since" in printed.err
    assert "--force" in printed.err
    assert (folder / "a").read_text() == "mine"
    assert run(capsys, "undo", "-y", "--force")[0] == 0
    assert not (folder / "a").exists()


def test_without_a_person_a_yes_is_needed(capsys, folder):
    write(a="one")
    code, printed = run(capsys, "undo")
    assert code == 2
    assert "--yes" in printed.err
    assert (folder / "a").exists()


@pytest.mark.parametrize(("answer", "is_there"), [("y", False), ("n", True), ("", True)])
def test_on_a_terminal_it_is_shown_and_asked(environ, folder, answer, is_there):
    hermes = [sys.executable, "-m", "hermes"]
    words = ["tool", "call", "write_file", "path=a", "content=x"]
    subprocess.run([*hermes, *words], env=environ, check=True, stdout=subprocess.DEVNULL)
    leader, follower = pty.openpty()
    os.write(leader, f"{answer}\n".encode())
    done = subprocess.run(
        [*hermes, "undo"], env=environ, stdin=follower, capture_output=True, text=True, timeout=20
    )
    os.close(follower)
    os.close(leader)
    assert f"  remove      {folder}/a\nUndo this? [y/N] " in done.stderr
    assert (done.returncode, (folder / "a").exists()) == (int(is_there), is_there)


def test_checkpoints_complete(capsys, folder):
    write(a="one")
    name = known(capsys)[0]["id"]
    for words in (["undo"], ["undo", "--to"], ["checkpoints", "diff"]):
        assert run(capsys, "completion", "--complete", *words, "")[1].out == f"{name}\twrite_file\n"


def test_changes_of_other_folders_are_not_taken_for_ones_own(capsys, folder, monkeypatch):
    write(a="one")
    other = folder.parent / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    assert run(capsys, "undo", "-y")[0] == 1
    assert run(capsys, "undo", "--list")[1].out == ""
    assert len(known(capsys)) == 1
    monkeypatch.chdir(folder.parent)
    assert run(capsys, "undo", "-y")[0] == 0


@pytest.mark.proves("cli-json")
def test_checkpoints_are_listed_with_all_that_is_known(capsys, folder):
    write(a="one")
    (made,) = known(capsys)
    assert made["files"] == [{"path": str(folder / "a"), "change": "made"}]
    assert (made["tool"], made["state"]) == ("write_file", "done")
    assert (made["workspace"], made["task_id"]) == (str(folder), "default")
    run(capsys, "undo", "-y")
    assert [one["state"] for one in known(capsys)] == ["done", "undone"]
    assert run(capsys, "undo", "--list")[1].out.splitlines()[1].split("\t")[3] == "made a"


def test_a_call_names_its_checkpoint(capsys, folder):
    write(a="one")
    call = known(capsys)[0]["call_id"]
    assert run(capsys, "undo", call, "-y")[0] == 0
    assert not (folder / "a").exists()


def test_the_difference_to_before_is_shown(capsys, folder):
    (folder / "a").write_text("one\ntwo\n")
    write(a="one\n2\n")
    name = known(capsys)[0]["id"]
    assert run(capsys, "checkpoints", "diff", name)[1].out.splitlines() == [
        f"--- a{folder}/a",
        f"+++ b{folder}/a",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+2",
    ]
    (folder / "a").write_bytes(b"\xff\x00")
    assert "it is not text" in run(capsys, "checkpoints", "diff", name)[1].out
    code, printed = run(capsys, "checkpoints", "diff", "nothing")
    assert code == 1 and "no checkpoint is called 'nothing'" in printed.err


def test_pruning_says_what_it_did(capsys, folder):
    write(a="one")
    said = json.loads(run(capsys, "checkpoints", "prune", "--json")[1].out)
    assert (said["checkpoints"], said["contents"]) == (0, 0)


def test_checkpoints_can_be_switched_off(capsys, folder):
    with Runtime(config={"checkpoints.enabled": False}) as runtime:
        runtime.call_sync("write_file", {"path": "a", "content": "x"})
    assert known(capsys) == []


def test_names_with_controls_are_spelt_out(capsys, folder):
    write(**{"evil\x1b[2Jname": "x"})
    assert "\x1b" not in run(capsys, "undo", "--list")[1].out
    assert "\x1b" not in run(capsys, "undo", "-y")[1].out


def test_what_was_too_large_to_be_kept_is_told_at_once_and_forcing_does_not_claim_it(
    capsys, folder
):
    small = {"approvals.mode": "off", "checkpoints.max_file_megabytes": 1}
    for name in ("a", "b", "c"):
        (folder / name).write_text("x\n" * 600_000 + "last\n")
    gone = "*** Begin Patch\n*** Delete File: c\n*** End Patch"
    with Runtime(config=small) as runtime:
        said = [
            runtime.call_sync("write_file", {"path": "a", "content": "small"}),
            runtime.call_sync("patch", {"path": "b", "old_string": "last", "new_string": "end"}),
            runtime.call_sync("patch", {"mode": "patch", "patch": gone}),
        ]
    assert ["`hermes undo` cannot take this back" in answer for answer in said] == [True] * 3
    assert "brings it back" not in said[0]
    for words in (["undo", "-y"], ["undo", "-y", "--force"]):
        code, printed = run(capsys, *words)
        assert (code, "is not kept any more" in printed.err) == (1, True)
        assert "max_file_megabytes" in printed.err


def test_where_nothing_is_kept_undoing_is_not_promised(folder):
    (folder / "a").write_text("one\n")
    with Runtime(config={"checkpoints.enabled": False}) as runtime:
        said = json.loads(runtime.call_sync("write_file", {"path": "a", "content": "two\n"}))
    assert said["warning"].endswith("it was replaced.")
