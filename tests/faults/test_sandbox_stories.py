"""Get out of the sandbox in steps: what one command leaves is there when the next starts."""

import contextlib
import os
import runpy
import shutil
import socket
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from hermes.environments.sandbox.box import make_box
from hermes.environments.sandbox.bubblewrap import Bubblewrap
from hermes.environments.sandbox.run import Sandbox

WORLD = runpy.run_path(str(Path(__file__).parent / "sandbox_world.py"))
sandbox, world = WORLD["sandbox"], WORLD["world"]
CANARY = WORLD["CANARY"]


class Story(NamedTuple):
    before: str
    """What a person does in the workspace first."""
    commands: tuple[str, ...]
    """What is then run in the box, one after the other."""
    after: str = "true"
    """What must hold at the end."""


EVIL = "git config -f evil/config core.fsmonitor 'touch pwned; false'"
GIT = "rm -rf .git; git init -q ."
UNHARMED = "git status; test ! -e pwned"

STORIES = {
    "a link where git would be": Story(
        "rm -rf .git", ("ln -s ../outside .git", "echo x > .git/new; echo x > $OUT/new", "true")
    ),
    "a link where git would be, by its whole path": Story(
        "rm -rf .git", ("ln -s $OUT .git", "echo x > .git/new; echo x > $OUT/new", "true")
    ),
    "a repository with links at its top": Story(
        "ln -s ../outside link; ln -s ../outside .github; ln -s ../home/.ssh/id_rsa key",
        ("echo x > link/new; echo x > .github/new; echo x > $OUT/new; cat key", "cat key"),
    ),
    "hooks that are a link": Story(
        "rm -rf .git/hooks; mkdir mine; ln -s ../mine .git/hooks",
        ("rm .git/hooks; mkdir .git/hooks; echo x > .git/hooks/x; echo x > mine/y",),
        "test -h .git/hooks -a ! -e mine/y",
    ),
    "git's folder is a link": Story(
        "mv .git real; ln -s real .git",
        ("rm .git; mkdir -p .git/hooks; echo x > .git/hooks/x; echo x > real/hooks/x",),
        "test -h .git -a ! -e real/hooks/x",
    ),
    "git's folder is elsewhere": Story(
        "rm -rf .git; git init -q ../g; mv ../g/.git evil; rm -r ../g; cp -r evil good;"
        "echo 'gitdir: good' > .git",
        (f"{EVIL}; echo 'gitdir: evil' > .git; mv -f README .git",),
        f"{UNHARMED} -a \"$(cat .git)\" = 'gitdir: good'",
    ),
    "settings from another folder": Story(
        f"{GIT} && cp -r .git evil", (f"{EVIL}; echo ../evil > .git/commondir", "true"), UNHARMED
    ),
    "settings of one worktree": Story(
        f"{GIT} && git config extensions.worktreeConfig true; mkdir evil",
        (f"{EVIL}; cat evil/config > .git/config.worktree; mv evil/config .git/config.worktree",),
        UNHARMED,
    ),
    "settings of the other worktrees": Story(
        f"{GIT} && git -c user.name=a -c user.email=b commit -q --allow-empty -m x;"
        "git worktree add -q wt; cp -r .git evil",
        (f"{EVIL}; echo $PWD/evil > .git/worktrees/wt/commondir; mv .git/worktrees w",),
        f"cd wt; {UNHARMED}",
    ),
}


def outside(world, script):
    env = {name: value for name, value in world.environment().items() if name != "LD_PRELOAD"}
    return subprocess.run(["bash", "-c", script], cwd=world.workspace, env=env).returncode


def tell(sandbox, world, box, commands, *, cwd):
    said = b""
    for command in commands:
        env = world.environment()
        try:
            done = sandbox.run(["bash", "-c", command], box, env=env, cwd=str(cwd), seconds=15)
        except OSError:
            continue  # a box that cannot be built keeps everything out
        said += done.output + done.errors
    return said.decode(errors="replace")


def folders(path):
    """Return all folders below a path: even an empty one is a change."""
    return sorted(str(each) for each in path.rglob("*") if each.is_dir())


@pytest.mark.proves("sandbox-escapes")
@pytest.mark.parametrize("name", STORIES)
def test_a_later_command_gains_nothing_by_what_an_earlier_one_left(sandbox, world, name):
    story = STORIES[name]
    outside(world, story.before)
    before, around = world.state()["outside"], folders(world.outside)
    said = tell(sandbox, world, world.box(), story.commands, cwd=world.workspace)
    assert (world.state()["outside"], folders(world.outside)) == (before, around), said
    assert CANARY not in said
    assert outside(world, story.after) == 0, said


@pytest.mark.proves("sandbox-escapes")
def test_a_hidden_place_cannot_be_moved_to_where_it_is_seen(sandbox, world):
    made = make_box(world.home, home=world.home, hermes_home=world.hermes)
    box = replace(made, variables=(*made.variables, "OUT"))
    steps = ("mv .config c; mv .ssh s; mv .netrc n; cat c/gh/* s/* n", "cat c/gh/* s/* n")
    assert CANARY not in tell(sandbox, world, box, steps, cwd=world.home)


@pytest.mark.proves("sandbox-escapes")
def test_a_granted_place_that_became_a_link_opens_no_other(sandbox, world):
    (world.workspace / "out").mkdir()
    granted = world.box().granting(writable=[world.workspace / "out"])
    tell(sandbox, world, world.box(), ["rmdir out; ln -s ../outside out"], cwd=world.workspace)
    tell(sandbox, world, granted, ["echo x > out/new; rm -f out/kept"], cwd=world.workspace)
    assert world.state()["outside"] == world.before["outside"]


@pytest.mark.proves("sandbox-escapes")
def test_a_hidden_place_is_hidden_when_it_appears_or_is_replaced(sandbox, world):
    keys = world.folder / "system" / "keys"
    (keys.parent / "other").mkdir(parents=True)
    (keys.parent / "other" / "file").write_text("seen\n", encoding="utf-8")
    made = world.box()
    box = replace(
        made, readable=(*made.readable, str(keys.parent)), hidden=(*made.hidden, f"{keys}/key")
    )
    look = f"cat {keys.parent}/other/file; cat {keys}/key"
    said = tell(sandbox, world, box, [look], cwd=world.workspace)
    keys.mkdir()
    for number in range(3):
        (keys / "new").write_text(f"{CANARY} {number}", encoding="utf-8")
        (keys / "new").rename(keys / "key")
        said += tell(sandbox, world, box, [look], cwd=world.workspace)
    assert CANARY not in said
    assert said.splitlines().count("seen") == 4


@pytest.mark.proves("sandbox-escapes")
def test_a_folder_swapped_while_boxes_are_built_opens_no_other(sandbox, world):
    (world.workspace / "out").mkdir()
    granted = world.box().granting(writable=[world.workspace / "out"])
    swap = "while :; do mv out o; ln -s ../outside out; rm out; mv o out; done 2>/dev/null"
    nothing = os.open(os.devnull, os.O_RDWR)
    standard, env, cwd = (nothing,) * 3, world.environment(), str(world.workspace)
    swapping = sandbox.spawn(["bash", "-c", swap], world.box(), env=env, cwd=cwd, standard=standard)
    tell(sandbox, world, granted, ["echo x > out/new; rm -f out/kept"] * 40, cwd=world.workspace)
    swapping.close()
    os.close(nothing)
    assert world.state()["outside"] == world.before["outside"]


CONNECT = """
import os, socket
here, own = os.getcwd(), os.environ['TMPDIR']
os.symlink(f'{here}/s', f'{own}/link'); os.symlink(here, f'{own}/folder')
paths = ['s', './s', f'../{os.path.basename(here)}/s', f'{here}/s', 'moved', '/proc/self/cwd/s']
paths += [f'/proc/self/root{here}/s', f'{own}/link', f'{own}/folder/s', f'{own}/folder/moved']
for path in paths:
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
        try:
            socket.socket(socket.AF_UNIX, kind).connect(path)
            print('escaped', path)
        except OSError as error:
            print(error)
"""


@pytest.mark.proves("sandbox-escapes")
@pytest.mark.parametrize("network", ["off", "loopback", "proxy", "on"])
@pytest.mark.parametrize("bound", ["by its whole path", "by a relative one", "and moved then"])
def test_a_socket_in_a_folder_that_is_seen_is_not_reached(sandbox, network, bound):
    folder = Path(tempfile.mkdtemp())  # a short name: the path of a socket has little room
    with socket.socket(socket.AF_UNIX) as listening, contextlib.chdir(folder):
        listening.bind("s" if bound == "by a relative one" else f"{folder}/s")
        if bound == "and moved then":
            Path("s").rename("moved")
        listening.listen()
        listening.setblocking(False)
        box = make_box(folder, home="/nonexistent", hermes_home="/nonexistent", network=network)
        env = {"PATH": os.defpath}
        done = sandbox.run(["python3", "-c", CONNECT], box, env=env, cwd=str(folder), seconds=15)
        assert b"Operation not permitted" in done.output
        assert b"escaped" not in done.output
        with pytest.raises(BlockingIOError):
            listening.accept()
    shutil.rmtree(folder)


def test_programs_in_a_box_still_talk_over_pairs_and_pipes(sandbox, world):
    script = (
        "import asyncio, multiprocessing, socket\n"
        "one, other = socket.socketpair(); one.send(b'pair'); print(other.recv(9))\n"
        "async def child():\n"
        "    made = await asyncio.create_subprocess_exec('echo', 'piped', stdout=-1)\n"
        "    print((await made.communicate())[0])\n"
        "asyncio.run(child())\n"
        "here, there = multiprocessing.Pipe()\n"
        "multiprocessing.get_context('fork').Process(target=there.send, args=[1]).start()\n"
        "print(here.recv())\n"
    )
    done = sandbox.run(["python3", "-c", script], world.box(), env=world.environment(), seconds=30)
    assert done.output == b"b'pair'\nb'piped\\n'\n1\n", done.errors


def test_what_was_left_by_a_hermes_that_was_killed_is_taken_away(world):
    (world.workspace / ".envrc").mkdir(mode=0o1755)
    (world.workspace / ".envrc").chmod(0o1755)
    (world.workspace / ".idea").mkdir()
    with Sandbox(Bubblewrap()) as sandbox:
        tell(sandbox, world, world.box(), ["true"], cwd=world.workspace)
    assert not (world.workspace / ".envrc").exists()
    assert (world.workspace / ".idea").exists()


def test_what_another_hermes_needs_is_not_taken_away(world):
    box = world.box()
    with Sandbox(Bubblewrap()) as one, Sandbox(Bubblewrap()) as other:
        tell(one, world, box, ["true"], cwd=world.workspace)
        nothing = os.open(os.devnull, os.O_RDWR)
        standard = (nothing, nothing, nothing)
        running = other.spawn(["sleep", "60"], box, env={"PATH": os.defpath}, standard=standard)
        one.close()
        assert (world.workspace / ".envrc").exists()
        running.close()
        os.close(nothing)
    assert not (world.workspace / ".envrc").exists()


def test_bubblewrap_is_not_taken_from_where_a_command_can_put_one(tmp_path, monkeypatch):
    (tmp_path / "bwrap").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Bubblewrap().unavailable() == "bubblewrap is not installed (the program bwrap)"
