"""Apptainer for real: every check of the contract in one instance, and what only it has."""

import asyncio
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hermes.environments.conformance import CHECKS
from hermes.environments.contract import Refused
from hermes.environments.docker import UNICODE
from hermes.environments.mounts import Mount
from hermes.environments.remote import RemoteEnvironment
from hermes.environments.singularity import (
    SingularityChannel,
    SingularityOptions,
    singularity_environment,
)

HERE = Path(__file__).parent
APPTAINER = runpy.run_path(str(HERE / "apptainer.py"))
RUNNING = runpy.run_path(str(HERE.parent / "environments" / "running.py"))
KILLING = runpy.run_path(str(HERE / "killing.py"))
PROGRAM = APPTAINER["PROGRAM"]
out, Staying = RUNNING["out"], RUNNING["staying"](SingularityChannel)


if reason := APPTAINER["missing"]():
    pytest.skip(reason, allow_module_level=True)


@pytest.fixture(scope="module")
def image():
    """Return an image of this machine's own programs."""
    with tempfile.TemporaryDirectory(prefix="hap-", dir="/tmp") as folder:
        yield APPTAINER["make_image"](folder)


@pytest.fixture
def live(image):
    """Return what runs a story with an environment, and closes that."""

    def run(story, **options):
        wanted = SingularityOptions(**{"image": image, "program": PROGRAM, **options})
        return RUNNING["live"](story, singularity_environment(wanted))

    return run


def instances():
    words = [PROGRAM, "-q", "instance", "list"]
    return subprocess.run(words, capture_output=True, text=True, timeout=20).stdout


@pytest.fixture(scope="module")
def instance(image):
    with tempfile.TemporaryDirectory(prefix="hap-", dir="/tmp") as folder:
        options = SingularityOptions(image, program=PROGRAM, workspace=folder)
        channel = Staying(options)
        yield channel
        asyncio.run(SingularityChannel.close(channel))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_singularity_environment_passes(check, instance):
    RUNNING["passes"](
        check,
        lambda name: RemoteEnvironment(
            instance, f"/workspace/{name}", makes_root=True, variables=UNICODE
        ),
    )


@pytest.mark.proves("environment-killed")
def test_what_runs_in_instances_ends_with_a_killed_hermes(image, tmp_path, live):
    config = {
        "terminal.environment": "singularity",
        "singularity.image": image,
        "singularity.program": PROGRAM,
    }
    with KILLING["running"](config, tmp_path) as child:
        KILLING["kill"](child)
        assert KILLING["all_ended"](tmp_path)

    async def story(environment):
        await environment.start()
        return f"hermes-{child.pid}-" in instances()

    assert live(story) is False


def test_an_instance_is_shut_in(live):
    async def story(environment):
        script = "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; ls /sys/class/net /work 2>&1"
        return (await out(environment, script))[1].splitlines()

    printed = live(story)
    assert printed[:2] == ["CapEff:\t0000000000000000", "NoNewPrivs:\t1"]
    assert any("/work" in line and "No such file" in line for line in printed)
    assert "eth0" not in printed


def test_only_what_is_bound_is_seen(live, tmp_path):
    for name in ("workspace", "lent"):
        (tmp_path / name).mkdir()
    (tmp_path / "lent" / "file").write_text("lent\n")

    async def story(environment):
        script = "echo made > made; cat /lent/file; touch /lent/new 2>/dev/null || echo kept"
        return (await out(environment, script))[1]

    mounts = (Mount(str(tmp_path / "lent"), "/lent"),)
    assert live(story, workspace=str(tmp_path / "workspace"), mounts=mounts) == "lent\nkept\n"
    assert (tmp_path / "workspace" / "made").read_text() == "made\n"


def test_an_overlay_keeps_what_is_written(live, tmp_path):
    (tmp_path / "overlay").mkdir()

    async def story(environment):
        return (await out(environment, "cat /opt/kept 2>/dev/null; echo kept > /opt/kept"))[1]

    options = {"overlay": str(tmp_path / "overlay")}
    assert (live(story, **options), live(story, **options)) == ("", "kept\n")


def test_an_instance_that_ended_is_told_or_started_again(live, tmp_path):
    async def story(environment):
        await out(environment, "export A=kept; touch file")
        await RUNNING["told"](environment, "kept")
        stop = [PROGRAM, "-q", "instance", "stop", "--force", environment._channel._instance]
        subprocess.run(stop, capture_output=True, timeout=30)
        said = []
        for _ in range(4):
            try:
                outcome, printed = await out(environment, "echo $A; ls")
                said.append(printed if outcome.how == "exited" else "")
            except Refused as error:
                said.append(error.message)
        return [word for word in said if word][:2]

    gone = "the instance has ended, and the files in its memory with it"
    assert live(story) == [gone, "kept\n"]
    assert live(story, workspace=str(tmp_path)) == ["kept\nfile\n"] * 2


def test_instances_of_a_dead_owner_are_stopped_at_the_next_start(live, image):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(10)
    orphan = f"hermes-{ended.pid}-1-abcdef01"
    start = [PROGRAM, "-q", "instance", "start", "--no-privs", "--containall", image, orphan]
    subprocess.run(start, check=True, capture_output=True, timeout=30)

    async def story(environment):
        await environment.start()
        return orphan in instances(), environment._channel._instance in instances()

    assert live(story) == (False, True)


def test_nothing_is_left_after_closing(live):
    async def story(environment):
        await out(environment, "sleep 60 & true")
        return environment._channel._instance

    assert live(story) not in instances()


def test_what_cannot_be_had_is_refused_in_words(live):
    async def story(environment):
        await environment.start()

    with pytest.raises(Refused, match="there is no image /no/such"):
        live(story, image="/no/such.sif")
    with pytest.raises(Refused, match="/no/apptainer is missing"):
        live(story, program="/no/apptainer")
    with pytest.raises(Refused, match="a bind cannot have"):
        live(story, workspace="/a:b")
