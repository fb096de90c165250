import os
import shutil
import subprocess

import pytest

from hermes.services.checkpoints import Checkpoints
from hermes.services.checkpoints.scanning import TooMuch
from hermes.services.checkpoints.undoing import perform, plan


@pytest.fixture
def project(folder):
    """Return a folder with a repository, links, modes and what can be made again."""
    (folder / "src").mkdir()
    (folder / "src" / "main.py").write_text("print(1)\n")
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    (folder / "link").symlink_to("src/main.py")
    (folder / "empty" / "deep").mkdir(parents=True)
    (folder / "empty").chmod(0o700)
    (folder / ".gitignore").write_text("/build/\nnode_modules\nenv\n")
    for name in ("node_modules", "build", "env"):
        (folder / name).mkdir()
        (folder / name / "made").write_text("again")
    (folder / "env" / "pyvenv.cfg").write_text("")
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@x"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    return folder


def held(folder):
    """Return all that counts below a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.split("/")[0] in ("node_modules", "build", "env"):
            continue
        content = os.readlink(path) if path.is_symlink() else path.is_file() and path.read_bytes()
        mode = 0 if path.is_symlink() else path.stat().st_mode
        found[name] = (mode, content)
    return found


def run(keeper, folder, command):
    running = keeper.commands.before("task", "call", str(folder), command)
    subprocess.run(["bash", "-c", command], cwd=folder, check=False)
    return keeper.commands.after(running)


def undo(keeper, checkpoint, force=False):
    made = plan(keeper, [checkpoint])
    return perform(keeper, made, workspace=checkpoint.workspace, force=force)


@pytest.mark.proves("checkpoint-undo")
@pytest.mark.parametrize(
    "command",
    [
        "rm -rf src .git link empty run",
        "rm -rf ./* .git .gitignore",
        "chmod -R 700 . && echo more >> run && ln -sf run link",
        "find . -type f -not -path './env/*' -exec shred -u {} +",
        "git checkout -q --orphan other && git rm -rfq --cached . && git branch -D master main -q",
        "mv src source && rm run && mkdir run && touch run/inside",
        "truncate -s 0 src/main.py; mkdir -p new/a; echo x > new/a/file; rmdir empty/deep",
        "python3 -c \"import shutil; shutil.rmtree('src'); open('src', 'w').write('file now')\"",
    ],
)
def test_what_a_command_did_is_undone_byte_for_byte(keeper, project, command):
    before = held(project)
    done = run(keeper, project, command)
    assert held(project) != before
    undo(keeper, done)
    assert held(project) == before
    git = subprocess.run(["git", "status", "--porcelain"], cwd=project, capture_output=True)
    assert (git.returncode, git.stdout) == (0, b"")


def test_a_command_that_changed_nothing_leaves_no_checkpoint(keeper, project):
    assert run(keeper, project, "ls") is None
    assert keeper.store.all() == []


def test_what_was_made_after_the_command_stays(keeper, project):
    done = run(keeper, project, "rm -rf src; echo x > made")
    (project / "src").mkdir()
    (project / "src" / "later.py").write_text("mine")
    undo(keeper, done, force=True)
    assert (project / "src" / "main.py").read_text() == "print(1)\n"
    assert (project / "src" / "later.py").read_text() == "mine"
    assert not (project / "made").exists()


def test_a_command_of_which_nobody_saw_the_end_is_undone_by_what_is_different(keeper, project):
    keeper.commands.before("task", "call", str(project), "rm")
    shutil.rmtree(project / "src")
    (project / "new").write_text("whose?")
    begun = keeper.store.all()[0]
    assert begun.status == "begun"
    undo(keeper, begun)
    assert (project / "src" / "main.py").read_text() == "print(1)\n"
    assert (project / "new").read_text() == "whose?"


def test_the_second_look_reads_only_what_changed(keeper, project, tmp_path, monkeypatch):
    run(keeper, project, "true")
    again = Checkpoints(tmp_path / "home" / "checkpoints")
    read = []
    take = type(again.store.blobs.batch()).take
    monkeypatch.setattr(
        type(again.store.blobs.batch()), "take", lambda self, fd: read.append(fd) or take(self, fd)
    )
    (project / "run").write_text("other")
    many = len(held(project))
    again.commands.before("task", "call", str(project), "x")
    assert 1 <= len(read) < many
    again.close()


def test_a_workspace_that_is_too_large_is_refused(keeper, project):
    keeper.commands._limits = keeper.limits._replace(total_bytes=100)
    (project / "big").write_bytes(os.urandom(10_000))
    with pytest.raises(TooMuch):
        keeper.commands.before("task", "call", str(project), "x")
    assert list(keeper.store.blobs.folder.glob("*.hermes-tmp")) == []


def test_the_contents_of_a_workspace_survive_pruning(keeper, project):
    done = run(keeper, project, "rm -rf src")
    for one in keeper.store.blobs.stored():
        os.utime(one.path, (0, 0))
    keeper.prune()
    undo(keeper, done)
    assert (project / "src" / "main.py").read_text() == "print(1)\n"
