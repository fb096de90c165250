"""A tool for files is asked about a little more than a command."""

from __future__ import annotations

import os

import pytest

from hermes.policy.paths import concern, file_concern, file_tools
from hermes.policy.paths.objects import Sight

SECRET = ("ask", "exfiltration")
NO_FILE = ("ask", "opaque")
HISTORY = ("ask", "history-rewrite")


def decide(machine, verb, path):
    found = file_concern(verb, str(path), machine.places, str(machine.work))
    return found and (found.decision, found.category)


@pytest.mark.parametrize(
    "path",
    [
        *("/dev/zero", "/dev/urandom", "/dev/tty", "/dev/stdin", "/dev/fd/0", "/dev/fd/77"),
        *("/proc/self/fd/3", "//dev//zero", "/dev/../dev/full"),
    ],
)
def test_what_never_ends_or_is_no_file_asks(machine, path):
    for verb in ("read", "write"):
        assert decide(machine, verb, path) == NO_FILE
        assert concern(verb, path, machine.places, str(machine.work)) is None


def test_a_link_to_a_device_counts_as_the_device(machine):
    (machine.work / "endless").symlink_to("/dev/zero")
    (machine.work / "nothing").symlink_to("/dev/null")
    assert decide(machine, "read", "endless") == NO_FILE
    for verb in ("read", "write"):
        assert decide(machine, verb, "/dev/null") is None
        assert decide(machine, verb, "nothing") is None


def test_hermes_own_files_are_not_read_but_for_skills_and_results(machine):
    assert (
        decide(machine, "read", "~/.hermes/results/crawls/a.example-1/0001-auth-tokens.md") is None
    )
    (machine.work / "linked").symlink_to(machine.home / ".hermes")
    for path in ("~/.hermes/config.yaml", "~/.hermes/new", "linked/config.yaml", "~/.hermes"):
        assert decide(machine, "read", path) == SECRET
    assert decide(machine, "read", "~/.hermes/skills/x/SKILL.md") is None


def test_nothing_in_a_repositorys_own_folder_is_written(machine):
    (machine.work / "linked").symlink_to(".git")
    for path in (".git/info/exclude", ".git/COMMIT_EDITMSG", "sub/.git/description", "linked/x"):
        assert decide(machine, "write", path) == HISTORY
    assert decide(machine, "read", ".git/HEAD") is None


def test_a_secret_that_is_there_is_not_overwritten_but_a_new_one_may_be_made(machine):
    assert decide(machine, "write", ".env") is None
    (machine.work / ".env").write_text("x")
    (machine.work / "link").symlink_to(".env")
    for path in (".env", "./src/../.env", "link", machine.work / ".env"):
        assert decide(machine, "write", path) == ("ask", "overwrite")


def test_ordinary_files_are_fine_and_what_concerns_everybody_counts_here_too(machine):
    for verb in ("read", "write", "delete"):
        assert decide(machine, verb, "src/app.py") is None
    assert decide(machine, "read", "~/.ssh/id_rsa") == SECRET
    assert decide(machine, "write", "$OLDPWD/x") == NO_FILE


def test_a_read_that_begins_in_the_workspace_does_not_end_outside(machine):
    (machine.work / "notes").symlink_to(machine.home / "notes.txt")
    (machine.work / "users").symlink_to("/etc/passwd")
    (machine.work / "out").symlink_to("..")
    for path in ("notes", "users", "out/notes.txt", "../notes.txt", "src/../../notes.txt"):
        assert decide(machine, "read", path) == SECRET
    assert decide(machine, "read", "../../../../../../../../../etc/passwd") == SECRET
    assert decide(machine, "read", machine.base / "elsewhere.txt") == SECRET


def test_what_is_named_outright_or_belongs_to_a_toolchain_is_read(machine):
    packages = machine.home / ".pyenv/lib"
    packages.mkdir(parents=True)
    (packages / "os.py").write_text("x")
    (machine.work / "lib").symlink_to(packages)
    (machine.work / "headers").symlink_to("/usr/include")
    (machine.work / "node_modules").mkdir()
    (machine.work / "node_modules/linked").symlink_to(machine.home)
    (machine.work / "inside").symlink_to("../work/src")
    for path in ("lib/os.py", "headers/stdio.h", "node_modules/linked/notes.txt", "inside/app.py"):
        assert decide(machine, "read", path) is None
    for path in ("~/notes.txt", "/etc/passwd", "src/../src/app.py", "../work/src/app.py"):
        assert decide(machine, "read", path) is None


def test_a_workspace_that_is_named_by_a_link_is_read_under_both_names(machine):
    (machine.base / "short").symlink_to(machine.work)
    short = str(machine.base / "short")
    linked = machine._replace(places=machine.places._replace(workspace=(short,)))
    for root in (machine.work, machine.base / "short"):
        for path in (root / "src/app.py", root / "new.py", "src/app.py"):
            assert decide(linked, "read", path) is None
            assert decide(linked, "write", path) is None


NAMES = ("src/app.py", "new.txt", ".env", "linked", "twin", "folder", "src/../src/app.py", "./src/",
         ".git/config", "gone/x.txt", "dangling", "..", "~/notes.txt", "pipe", "src/*.py", "a b ",
         "secret/id_rsa", "through/app.py", "sub/.npmrc")  # fmt: skip


def whatever(machine):
    """Put all kinds of things into the workspace."""
    work = machine.work
    (work / "folder").mkdir()
    (work / "sub").mkdir()
    (work / "sub/.npmrc").write_text("x")
    (work / "secret").mkdir()
    (work / "secret/id_rsa").write_text("x")
    (work / "linked").symlink_to(machine.home / ".ssh/id_rsa")
    (work / "through").symlink_to("src")
    (work / "dangling").symlink_to("nowhere")
    (work / "twin").hardlink_to(machine.home / ".netrc")
    os.mkfifo(work / "pipe")


@pytest.mark.parametrize("verb", ["read", "write"])
def test_the_quick_look_says_what_the_long_one_says(machine, verb):
    whatever(machine)
    where = (machine.places, str(machine.work))

    def long_look(path):
        return file_tools._concern(verb, path, where, Sight(), is_recursive=False)

    for path in (*NAMES, *(str(machine.work / name) for name in NAMES)):
        assert file_concern(verb, path, *where) == long_look(path), path
        assert file_concern(verb, path, *where) == long_look(path), f"{path}, remembered"
    assert file_tools._usual("src/app.py", verb, *where) is not None, "nothing was quick"


def test_a_file_that_became_something_else_is_looked_at_again(machine):
    file = machine.work / "src/app.py"
    assert decide(machine, "read", "src/app.py") is None
    file.unlink()
    assert decide(machine, "read", "src/app.py") is None, "nothing is there yet"
    file.symlink_to(machine.home / ".ssh/id_rsa")
    assert decide(machine, "read", "src/app.py") == SECRET
    file.unlink()
    file.hardlink_to(machine.home / ".netrc")
    assert decide(machine, "write", "src/app.py") is not None
    file.unlink()
    os.mkfifo(file)
    assert decide(machine, "read", "src/app.py") == NO_FILE
    file.unlink()
    (machine.work / "src").rmdir()
    (machine.work / "src").symlink_to(machine.home / ".ssh")
    (machine.home / ".ssh/app.py").write_text("x")
    assert decide(machine, "read", "src/app.py") == SECRET
