"""Which backends there are, how one is chosen, and what is missing for it."""

import asyncio
import json
from pathlib import Path

import pytest

from hermes import Runtime
from hermes.app import backends
from hermes.base.errors import ConfigError
from hermes.config.load import load as load_settings

CHANNEL = Path(__file__).parent.parent / "environments" / "agent_channel.py"
PACKAGE = f"""\
import runpy
from hermes.app.backends import Backend
from hermes.environments.remote import RemoteEnvironment

Here = runpy.run_path({str(CHANNEL)!r})["Here"]

def make(ground, place):
    place.report("getting ready")
    return RemoteEnvironment(Here(place.root), place.root)

BACKEND = Backend("any", "This machine, by an agent.", make, lambda settings: None)
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package that brings a backend that works, and one that cannot be loaded."""
    (tmp_path / "brought.py").write_text(PACKAGE)
    info = tmp_path / "brought-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.0\n")
    points = (
        "[hermes.environments]\nhere = brought:BACKEND\nbroken = brought:nothing\nlocal = x:y\n"
    )
    (info / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(tmp_path))
    backends._brought.cache_clear()
    yield tmp_path
    backends._brought.cache_clear()


def calling(story, **options):
    async def main():
        async with Runtime(**options) as rt:

            async def call(command, task=None):
                return json.loads(await rt.call("terminal", {"command": command}, task))

            return await asyncio.wait_for(story(rt, call), 30)

    return asyncio.run(main())


def test_a_name_that_is_no_backend_is_told_at_once_with_the_nearest():
    with pytest.raises(ConfigError) as told:
        Runtime(config={"terminal.environment": "dokcer"})
    assert told.value.message == "terminal.environment: there is no environment 'dokcer'"
    assert told.value.hint == "Did you mean 'docker'?"


def test_a_package_brings_a_backend_and_takes_none_that_ships(package):
    names = [each.name for each in backends.every()]
    assert names[: len(backends.SHIPPED)] == list(backends.SHIPPED)
    assert set(names) - set(backends.SHIPPED) == {"here", "broken"}
    assert backends.find("local") is backends.SHIPPED["local"]
    refused = backends.find("broken").lacks(load_settings())
    assert "nothing" in refused.message


@pytest.mark.proves("environment-choice")
def test_the_settings_choose_for_all_tasks_and_a_program_for_one(package, tmp_path):
    (tmp_path / "w").mkdir()

    async def story(rt, call):
        rt.use_environment("local", "mine")
        await call("cd /usr", "mine")
        await call("cd /", "other")
        terminal = rt.services.get(type_of_terminal())
        named = {task: each.name for task, each in terminal._environments.items()}
        return named, [await call("pwd", task) for task in ("mine", "other")]

    named, answers = calling(story, cwd=tmp_path / "w", config={"terminal.environment": "here"})
    assert named == {"mine": "local", "other": "here"}
    assert [answer["stdout"] for answer in answers] == ["/usr\n", "/\n"]


def type_of_terminal():
    from hermes.services.terminal import Terminal

    return Terminal


def test_a_task_that_has_run_commands_stays_where_it_is(package, tmp_path):
    async def story(rt, call):
        await call("true")
        rt.use_environment("local")
        with pytest.raises(ConfigError) as told:
            rt.use_environment("here")
        rt.end_task("default")
        rt.use_environment("here")
        return told.value.message, (await call("echo on"))["stdout"]

    assert calling(story, cwd=tmp_path) == (
        "the commands of task 'default' run in local already",
        "on\n",
    )


def test_what_an_environment_does_before_a_command_is_told_to_who_watches(package, tmp_path):
    heard = []

    async def story(rt, call):
        rt.services.on_progress = lambda ctx, text: heard.append(text)
        rt.use_environment("here")
        await call("true")

    calling(story, cwd=tmp_path)
    assert heard == ["getting ready"]


@pytest.mark.parametrize(
    ("config", "error", "hint"),
    [
        ({"terminal.environment": "ssh"}, "no machine is named", "hermes config set ssh.host NAME"),
        (
            {"terminal.environment": "docker"},
            "no image is named",
            "hermes config set docker.image IMAGE",
        ),
        (
            {"terminal.environment": "singularity"},
            "no image is named",
            "hermes config set singularity.image FILE.sif",
        ),
        (
            {"terminal.environment": "singularity", "singularity.binds": ["relative"]},
            "'relative' names no folder of this machine and of the container",
            "Write it as /source:/target, with :rw behind it if it may be changed.",
        ),
    ],
)
def test_a_backend_that_lacks_something_says_what_and_how_to_mend_it(tmp_path, config, error, hint):
    async def story(rt, call):
        return await call("true")

    answer = calling(story, cwd=tmp_path, config=config)
    assert (answer["error"], answer["hint"]) == (error, hint)
    refused = backends.find(config["terminal.environment"]).lacks(load_settings(overrides=config))
    assert (refused.message, refused.hint) == (error, hint)


def test_a_program_that_is_missing_is_named_with_its_package(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    config = {"docker.image": "x", "ssh.host": "x", "singularity.image": "/"}
    settings = load_settings(overrides=config)
    told = {
        each.name: (found.message, found.hint)
        for each in backends.SHIPPED.values()
        if each.name != "local" and (found := each.lacks(settings)) is not None
    }
    assert told["docker"] == ("neither docker nor podman is installed", "apt install podman")
    assert told["ssh"] == ("the program ssh is missing", "apt install openssh-client")
    assert told["singularity"][1] == "apt install apptainer"


def test_mounts_are_read_as_people_write_them():
    from hermes.environments.mounts import Mount, mount

    assert [mount(text) for text in ("/a", "/a:/b", "/a:/b:ro", "/a:/b:rw")] == [
        Mount("/a", "/a"),
        Mount("/a", "/b"),
        Mount("/a", "/b"),
        Mount("/a", "/b", writable=True),
    ]
