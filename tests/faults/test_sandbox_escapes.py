"""Try to get out of the sandbox, for real, and look whether anything outside has changed."""

import os
import runpy
import stat
from pathlib import Path

import pytest
import yaml

from hermes.environments.sandbox.backend import Unconfined
from hermes.environments.sandbox.run import Sandbox

HERE = Path(__file__).parent
THROUGH, AROUND = (
    yaml.safe_load((HERE / name).read_text(encoding="utf-8"))
    for name in ("sandbox_attacks.yaml", "sandbox_detours.yaml")
)
SHELL, PYTHON = THROUGH["shell"] | AROUND["shell"], THROUGH["python"] | AROUND["python"]
PRELUDE = THROUGH["prelude"]
WORLD = runpy.run_path(str(HERE / "sandbox_world.py"))
sandbox, world = WORLD["sandbox"], WORLD["world"]
CANARY, INTERPRETER = WORLD["CANARY"], WORLD["PYTHON"]
ATTACKS = [f"shell-{name}" for name in SHELL] + [f"python-{name}" for name in PYTHON]


def command(attack):
    kind, _, name = attack.partition("-")
    if kind == "shell":
        return ["bash", "-c", SHELL[name]]
    return [INTERPRETER, "-I", "-S", "-c", PRELUDE + PYTHON[name]]


def attempt(sandbox, world, attack, **wanted):
    box = world.box(**wanted)
    done = sandbox.run(
        command(attack), box, env=world.environment(), cwd=str(world.workspace), seconds=15
    )
    return (done.output + done.errors).decode(errors="replace")


@pytest.mark.proves("sandbox-escapes")
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_escape_has_no_effect_and_shows_no_secret(sandbox, world, attack):
    said = attempt(sandbox, world, attack)
    assert world.state() == world.before, said
    assert CANARY not in said
    assert "escaped" not in said
    assert "reached-docker" not in said
    assert "read-a-disk" not in said
    assert not any(line in said for line in hashes())
    assert world.left_over() == []
    assert CANARY.encode() not in contents(world.workspace)
    assert setuid_programs(world.workspace) == []


def hashes():
    try:
        return [
            line for line in Path("/etc/shadow").read_text(encoding="utf-8").splitlines() if line
        ]
    except OSError:
        return []


def setuid_programs(folder):
    """Return what would give its owner's rights to whoever runs it; an empty file does not."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return [path for path in files if path.stat().st_mode & stat.S_ISUID and path.stat().st_size]


def contents(folder):
    """Return everything that a command has put into the workspace, in one piece."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return b"".join(path.read_bytes() for path in files)


@pytest.mark.parametrize(
    "attack",
    [
        "shell-write_outside", "shell-delete_outside", "shell-read_key", "shell-plant_hook",
        "shell-signal_victim", "shell-tcp_by_bash", "shell-envrc", "python-udp",
        "python-abstract_socket", "python-unix_socket", "python-process_memory_file",
        "python-truncate_call", "python-symlink_swap_race", "python-signal_by_owner_of_every_kind",
        "python-open_by_all_resolve_flags", "python-exec_by_descriptor",
    ],
)  # fmt: skip
def test_without_a_sandbox_the_same_attempt_does_its_harm(world, attack):
    with Sandbox(Unconfined()) as sandbox:
        said = attempt(sandbox, world, attack)
    assert world.state() != world.before or CANARY in said or "escaped" in said


def test_without_a_sandbox_a_setuid_program_stays_behind(world):
    with Sandbox(Unconfined()) as sandbox:
        attempt(sandbox, world, "shell-setuid_file_left_behind")
    assert setuid_programs(world.workspace)


def test_there_are_enough_attempts():
    assert len(ATTACKS) >= 200
    assert len(set(ATTACKS)) == len(ATTACKS)


def test_a_read_only_box_keeps_the_workspace_too(sandbox, world):
    before = {path: path.read_bytes() for path in world.workspace.rglob("*") if path.is_file()}
    box = world.box(files="read-only")
    script = "echo x > new; echo x > README; rm -rf README .git; mkdir d; ln -s / l; true"
    sandbox.run(["bash", "-c", script], box, env=world.environment(), cwd=str(world.workspace))
    after = {path: path.read_bytes() for path in world.workspace.rglob("*") if path.is_file()}
    assert after == before
    assert sorted(os.listdir(world.workspace)) == [".git", "README"]
