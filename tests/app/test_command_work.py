"""Before commands that could lose something the workspace is kept."""

import json

import pytest

from hermes import Runtime
from hermes.services.checkpoints import Checkpoints
from hermes.services.checkpoints.undoing import perform, plan


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "work"
    made.mkdir()
    (made / "notes").write_text("mine")
    return made


def run(folder, *commands, **settings):
    """Run commands; return the checkpoints they left, and the runtime's keeper."""
    config = {"approvals.mode": "off"} | {
        f"checkpoints.{key}": value for key, value in settings.items()
    }
    with Runtime(cwd=folder, config=config) as runtime:
        for command in commands:
            said = json.loads(runtime.call_sync("terminal", {"command": command}))
            assert said["exit_code"] == 0
        keeper = runtime.services.get(Checkpoints)
        return keeper.store.all(), keeper


def test_a_command_that_deletes_can_be_undone(folder):
    found, keeper = run(folder, "ls", "rm notes; echo x > new")
    assert [one.what for one in found] == ["rm notes; echo x > new"]
    perform(keeper, plan(keeper, found), workspace=str(folder))
    assert [path.name for path in folder.iterdir()] == ["notes"]
    assert (folder / "notes").read_text() == "mine"


def test_commands_are_kept_by_the_setting(folder):
    assert run(folder, "rm notes; touch notes", commands="off")[0] == []
    assert len(run(folder, "ls; touch b", commands="all")[0]) == 1


def test_a_store_that_cannot_be_written_warns_and_lets_the_command_run(folder, hermes_home):
    (hermes_home / "checkpoints").write_text("in the way")
    config = {"approvals.mode": "off"}
    with Runtime(cwd=folder, config=config) as runtime:
        said = json.loads(runtime.call_sync("terminal", {"command": "rm notes"}))
    assert said["exit_code"] == 0
    assert "This cannot be undone" in said["warning"]
