"""The launcher once it is set up: what it hands on, and what sends it back to the set-up."""

from __future__ import annotations

import os
import shutil

import pytest


@pytest.fixture
def ready_clone(clone):
    """A clone that believes it is set up; its Python prints what it was asked to run."""
    fake = clone / ".venv" / "bin" / "python"
    fake.parent.mkdir(parents=True)
    fake.write_text('#!/bin/sh\nshift 3\nprintf "<%s>" "$@"\nexit 7\n', encoding="utf-8")
    fake.chmod(0o755)
    (clone / "scripts" / "venv").write_text(
        '#!/bin/sh\necho "setting up $1" >&2\nexit 1\n', encoding="utf-8"
    )
    stamp(clone)
    return clone


def stamp(clone, folder=None):
    path = clone / ".venv" / ".hermes-base"
    path.write_text(f"{folder or clone.resolve()}\nsum\n", encoding="utf-8")
    newest = max((clone / name).stat().st_mtime for name in ("pyproject.toml", "requirements"))
    os.utime(path, (newest + 10, newest + 10))
    return path


@pytest.mark.proves("frame-warm-run")
def test_the_launcher_hands_on_arguments_and_exit_code_untouched(ready_clone, run):
    done = run(ready_clone / "hermes", "two words", "", "*", "$HOME", "new\nline", "--x=y")
    assert (done.stdout, done.stderr, done.returncode) == (
        "<two words><><*><$HOME><new\nline><--x=y>",
        "",
        7,
    )


@pytest.mark.parametrize("shell", ["sh", "dash", "bash", "busybox sh"])
def test_the_launcher_runs_under_every_common_shell(ready_clone, run, shell):
    program, *applet = shell.split()
    if shutil.which(program) is None:
        pytest.skip(f"needs {program} (apt package {'busybox-static' if applet else program})")
    assert run(program, *applet, "hermes", "x", cwd=ready_clone).stdout == "<x>"


def test_the_launcher_finds_its_folder_through_a_chain_of_links(ready_clone, run, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "absolute").symlink_to(ready_clone / "hermes")
    (tmp_path / "bin" / "relative").symlink_to("absolute")
    assert run(tmp_path / "bin" / "relative", "x", cwd="/").stdout == "<x>"


@pytest.mark.proves("frame-refresh")
@pytest.mark.parametrize("changed", ["requirements/base.lock", "pyproject.toml"])
def test_a_changed_lock_leads_to_the_set_up(ready_clone, run, changed):
    later = stamp(ready_clone).stat().st_mtime + 10
    os.utime(ready_clone / changed, (later, later))
    done = run(ready_clone / "hermes", "x")
    assert (done.stdout, done.stderr, done.returncode) == ("", "setting up base\n", 69)


@pytest.mark.proves("frame-half-made")
def test_a_venv_without_a_stamp_leads_to_the_set_up(ready_clone, run):
    stamp(ready_clone).unlink()
    assert run(ready_clone / "hermes").stderr == "setting up base\n"


def test_a_venv_that_was_moved_leads_to_the_set_up(ready_clone, run):
    stamp(ready_clone, folder="/elsewhere")
    assert run(ready_clone / "hermes").stderr == "setting up base\n"


def test_a_python_that_is_too_old_or_missing_is_named(clone, run, bare_path):
    python = bare_path / "python3"
    python.unlink()
    done = run(clone / "hermes", PATH=bare_path)
    assert (done.stdout, done.returncode) == ("", 69)
    assert "needs Python 3.11 or newer" in done.stderr
    python.write_text("#!/bin/sh\ncase $2 in *print*) echo 3.9.2 ;; *) exit 1 ;; esac\n")
    python.chmod(0o755)
    assert "python3 is Python 3.9.2" in run(clone / "hermes", PATH=bare_path).stderr
