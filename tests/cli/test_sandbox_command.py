"""``hermes sandbox``: a command in its box, and what the box is."""

import json
import subprocess
import sys

import pytest

from hermes.cli import checks, main
from hermes.environments.sandbox import choose as choosing
from hermes.environments.sandbox.backend import Unconfined
from hermes.environments.sandbox.landlock import Landlock

confined = pytest.mark.skipif(
    not choosing.choose().confines, reason="needs a sandbox: install bubblewrap"
)


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    folder = tmp_path / "workspace"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def run(environ, workspace, *words, **given):
    """Run ``hermes sandbox run`` as a process of its own: the streams are passed through."""
    done = subprocess.run(
        [sys.executable, "-m", "hermes", "sandbox", "run", *words],
        env=environ,
        cwd=workspace,
        capture_output=True,
        text=True,
        timeout=30,
        **given,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_command_has_the_streams_and_its_exit_code_is_kept(environ, workspace):
    script = "cat; echo wrong >&2; exit 7"
    assert run(environ, workspace, "--", "sh", "-c", script, input="given") == (
        7,
        "given",
        "wrong\n",
    )


def test_a_command_that_a_signal_ended_has_the_code_that_shells_give(environ, workspace):
    assert run(environ, workspace, "--", "sh", "-c", "kill -9 $$")[0] == 137


@confined
def test_the_rule_that_stopped_a_command_is_told_with_what_would_allow_it(environ, workspace):
    code, _, told = run(environ, workspace, "--", "touch", "/usr/share/planted")
    assert code == 1
    assert told.splitlines()[1:] == [
        f"hermes: /usr/share/planted is read-only in the sandbox, which may write {workspace}.",
        "hermes: `--write PATH` and `--network on` allow more.",
    ]


@confined
def test_a_path_that_is_named_may_be_written(environ, workspace, tmp_path):
    more = tmp_path / "more"
    more.mkdir()
    assert run(environ, workspace, "--write", "../more", "--", "touch", f"{more}/file")[0] == 0
    assert (more / "file").exists()


@confined
def test_a_profile_describes_the_box(environ, workspace):
    run(environ, workspace, "--profile", "readonly", "--", "touch", "file")
    assert not (workspace / "file").exists()
    run(environ, workspace, "--", "touch", "file")
    assert (workspace / "file").exists()


def test_a_program_that_is_not_there_is_told(environ, workspace):
    code, _, told = run(environ, workspace, "--", "no-such-program-here")
    assert code != 0
    assert "no-such-program-here" in told


@pytest.mark.parametrize("path", ["/", "missing"])
def test_only_a_place_that_is_there_can_be_opened(capsys, workspace, path):
    assert main(("sandbox", "run", "--write", path, "--", "true")) == 2
    assert f"--write cannot take '{path}'" in capsys.readouterr().err


@confined
def test_at_the_top_of_the_tree_nothing_is_writable(environ):
    code, out, _ = run(environ, "/", "--", "sh", "-c", "echo here; touch /usr/planted")
    assert (code, out) == (1, "here\n")


def test_without_a_command_there_is_nothing_to_run(capsys, workspace):
    assert main(("sandbox", "run")) == 2
    assert "which command?" in capsys.readouterr().err


def test_the_box_of_a_folder_is_shown(capsys, workspace):
    assert main(("sandbox", "show", "--json")) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["backend"] == choosing.choose().name
    assert told["writable"] == [str(workspace)]
    assert str(workspace / ".git/hooks") in told["protected"]
    assert set(told) == {
        "backend", "not_used", "files", "network", "on_missing", "writable", "readable",
        "hidden", "protected", "limits", "digest",
    }  # fmt: skip
    assert main(("sandbox", "show", "--profile", "trusted")) == 0
    assert "on_missing\tallow\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("backend", "level"),
    [(Unconfined("nothing works"), "broken"), (Landlock(), "note")],
    ids=["none", "landlock"],
)
def test_a_weak_sandbox_is_told_with_the_fix(monkeypatch, backend, level):
    monkeypatch.setattr(choosing, "choose", lambda: backend)
    (found,) = checks.of_sandbox()
    assert (found.level, found.fix) == (level, "apt install bubblewrap")
