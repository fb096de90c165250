"""Containers for real: podman, docker's client on podman's service, and docker's own engine."""

import asyncio
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hermes.environments.conformance import CHECKS
from hermes.environments.contract import Refused
from hermes.environments.docker import (
    UNICODE,
    DockerChannel,
    DockerOptions,
    docker_environment,
)
from hermes.environments.engine import is_dead, owner
from hermes.environments.mounts import Mount
from hermes.environments.remote import RemoteEnvironment

HERE = Path(__file__).parent
PODMAN = runpy.run_path(str(HERE / "podman.py"))
DOCKERD = runpy.run_path(str(HERE / "dockerd.py"))
REGISTRY = runpy.run_path(str(HERE / "registry.py"))
RUNNING = runpy.run_path(str(HERE.parent / "environments" / "running.py"))
KILLING = runpy.run_path(str(HERE / "killing.py"))
FULL, SMALL = PODMAN["FULL"], PODMAN["SMALL"]
out, Staying = RUNNING["out"], RUNNING["staying"](DockerChannel)
if reason := PODMAN["missing"]():
    pytest.skip(reason, allow_module_level=True)


def folder():
    return tempfile.TemporaryDirectory(prefix="hpm-", dir="/tmp", ignore_cleanup_errors=True)


@pytest.fixture(scope="module")
def podman():
    with folder() as at:
        engine = PODMAN["Podman"](at)
        yield engine
        engine.close()


@pytest.fixture(scope="module")
def dockerd():
    if reason := DOCKERD["missing"]():
        pytest.skip(reason)
    with folder() as at:
        engine = DOCKERD["Dockerd"](at)
        yield engine
        engine.close()


@pytest.fixture(scope="module", params=["podman", "docker on podman", "dockerd"])
def engine(request):
    """Return an engine that our clients find; its name is ``client``."""
    name = "dockerd" if request.param == "dockerd" else "podman"
    found = request.getfixturevalue(name)
    if request.param == "docker on podman":
        if shutil.which("docker") is None:
            pytest.skip("needs docker's client (apt package docker.io)")
        found = found.by_docker()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in found.variables.items():
            patch.setenv(name, value)
        yield found


@pytest.fixture
def live(engine):
    """Return what runs a story with an environment, and closes that."""

    def run(story, image=FULL, **options):
        wanted = DockerOptions(image, engine=engine.client, **options)
        return RUNNING["live"](story, docker_environment(wanted))

    return run


by_their_own_client = pytest.mark.parametrize("engine", ["podman", "dockerd"], indirect=True)


@pytest.fixture(scope="module")
def container(engine):
    channel = Staying(DockerOptions(FULL, engine=engine.client), print)
    yield channel
    asyncio.run(DockerChannel.close(channel))


@by_their_own_client
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_docker_environment_passes(check, container):
    RUNNING["passes"](
        check,
        lambda name: RemoteEnvironment(
            container, f"/workspace/{name}", makes_root=True, variables=UNICODE
        ),
    )


@pytest.mark.proves("environment-killed")
def test_what_runs_in_containers_ends_with_a_killed_hermes(engine, tmp_path, live):
    config = {
        "terminal.environment": "docker",
        "docker.image": FULL,
        "docker.engine": engine.client,
    }
    with KILLING["running"](config, tmp_path) as child:
        KILLING["kill"](child)
        assert KILLING["all_ended"](tmp_path)

    def orphans():
        found = engine.run("ps", "-aq", "--filter", "label=hermes=1").split()
        form = '{{.Id}} {{index .Config.Labels "hermes.owner"}}'
        listed = engine.run("container", "inspect", "--format", form, *found).splitlines()
        return [line for line in listed if f"/{child.pid}/" in line]

    async def story(environment):
        before = orphans()
        await environment.start()
        return len(before), orphans()

    assert live(story) == (1, [])


def test_a_container_is_shut_in(live, engine):
    async def story(environment):
        script = (
            "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; ls /sys/class/net; "
            "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/pids/pids.max"
        )
        return await out(environment, script)

    outcome, printed = live(story, memory_megabytes=256, processes=64)
    wanted = ["CapEff:\t00000000000000eb", "NoNewPrivs:\t1", "lo", str(256 << 20), "64"]
    assert (outcome.exit_code, printed.splitlines()) == (0, wanted)


def test_a_read_only_container_has_its_folders_to_write_to(live):
    async def story(environment):
        script = "touch /x; touch /tmp/x here && cp /bin/true /tmp/run && /tmp/run && echo works"
        return (await out(environment, script))[1]

    printed = live(story, read_only=True)
    assert "Read-only file system" in printed
    assert "works\n" in printed


def test_only_what_is_mounted_is_seen(live, tmp_path):
    for name in ("workspace", "lent"):
        (tmp_path / name).mkdir()
    (tmp_path / "lent" / "file").write_text("lent\n")

    async def story(environment):
        script = "echo made > made; cat /lent/file; touch /lent/new || echo kept; ls /work 2>&1"
        return (await out(environment, script))[1]

    mounts = (Mount(str(tmp_path / "lent"), "/lent"),)
    printed = live(story, workspace=str(tmp_path / "workspace"), mounts=mounts)
    assert "lent\n" in printed
    assert "kept\n" in printed
    assert "No such file" in printed
    assert (tmp_path / "workspace" / "made").read_text() == "made\n"


def test_files_belong_to_the_user_that_was_named(live, tmp_path):
    (tmp_path / "w").mkdir()
    os.chown(tmp_path / "w", 1234, 1234)

    async def story(environment):
        return (await out(environment, "id -u; touch mine; echo $A"))[1]

    printed = live(story, workspace=str(tmp_path / "w"), user="1234:1234", variables={"A": "b c"})
    assert printed == "1234\nb c\n"
    assert (tmp_path / "w" / "mine").stat().st_uid == 1234


def test_a_container_that_died_is_started_again_with_its_files_and_state(live, engine):
    async def story(environment):
        await out(environment, "export A=kept; echo file > kept; cd /tmp")
        losing = asyncio.ensure_future(out(environment, "touch /workspace/up; sleep 30"))
        while not (await out(environment, "ls /workspace/up 2>/dev/null"))[1]:
            await asyncio.sleep(0.05)
        engine.run("kill", environment._channel._container)
        lost, _ = await losing
        return lost.how, (await out(environment, "echo $A; cat /workspace/kept; pwd"))[1]

    assert live(story) == ("lost", "kept\nfile\n/tmp\n")


def test_a_container_that_was_removed_is_told_and_then_made_anew(live, engine):
    async def story(environment):
        await out(environment, "export A=kept; touch gone")
        await RUNNING["told"](environment, "kept")
        engine.run("rm", "-f", environment._channel._container)
        said = []
        for _ in range(3):
            try:
                outcome, printed = await out(environment, "echo $A; ls")
                said.append(printed if outcome.how == "exited" else outcome.how)
            except Refused as error:
                said.append(error.message)
        return [word for word in said if word != "lost"]

    said = live(story)
    assert said[0] == "the container was removed by somebody, and its files with it"
    assert said[1] == "kept\n"


def test_a_container_that_rests_is_stopped_and_says_what_that_costs(live, engine):
    async def story(environment):
        await out(environment, "export A=kept; touch /tmp/gone /opt/kept")
        lost = await environment.rest()
        form = ("container", "inspect", "--format", "{{.State.Running}}")
        running = engine.run(*form, environment._channel._container)
        return lost, running, (await out(environment, "echo $A; ls /opt /tmp"))[1]

    lost, running, printed = live(story)
    assert (lost, running) == (
        "The container was stopped meanwhile: what was in its /tmp is gone.",
        "false",
    )
    assert printed == "kept\n/opt:\nkept\n\n/tmp:\n"


@by_their_own_client
def test_a_snapshot_is_an_image_with_the_files(live, engine):
    async def story(environment):
        await out(environment, "echo kept > /opt/kept")
        return await environment.snapshot()

    async def later(environment):
        return (await out(environment, "cat /opt/kept"))[1]

    image = live(story)
    assert live(later, image=image) == "kept\n"
    engine.run("rmi", image)


def test_orphans_fill_no_table_of_processes(live):
    async def story(environment):
        for _ in range(6):
            await out(environment, "for n in 1 2 3 4 5 6 7 8; do (setsid sleep 0 &) ; done; wait")
        return (await out(environment, "sleep 0.2; ps -eo stat | grep -c Z"))[1]

    assert live(story, processes=40) == "0\n"


def test_containers_of_a_dead_owner_are_removed_at_the_next_start(live, engine):
    host, boot, _, _ = owner().split("/")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(10)
    labels = ["--label", "hermes=1", "--label", f"hermes.owner={host}/{boot}/{ended.pid}/1"]
    orphan = engine.run(
        "run", "-d", "--init", "--network=none", *labels, SMALL, "/bin/sleep", "600"
    )
    theirs = ["--label", "hermes=1", "--label", f"hermes.owner=elsewhere/{boot}/1/1"]
    other = engine.run("run", "-d", "--init", "--network=none", *theirs, SMALL, "/bin/sleep", "600")

    async def story(environment):
        await environment.start()
        return engine.run("ps", "-aq", "--no-trunc").split()

    found = live(story)
    engine.run("rm", "-f", other)
    assert orphan not in found
    assert other in found


def test_a_start_that_is_given_up_leaves_no_container(live, engine):
    def ours():
        return engine.run("ps", "-a", "--format", "{{.Names}}").split()

    async def story(environment):
        before = ours()
        starting = asyncio.ensure_future(environment.start())
        while environment._channel._engine is None:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0)
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        return before, ours()

    before, after = live(story)
    assert after == before


def test_nothing_is_left_after_closing(live, engine):
    async def story(environment):
        await out(environment, "sleep 60 & true")
        return environment._channel._container

    assert live(story) not in engine.run("ps", "-a", "--format", "{{.Names}}")


def test_an_owner_that_lives_is_not_dead():
    assert not is_dead(owner())
    assert not is_dead("")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"image": SMALL}, f"python3 is missing in the image {SMALL}"),
        ({"image": "localhost/none:1"}, "the image localhost/none:1 cannot be"),
        ({"workspace": "/a,b"}, "a mount cannot have a comma"),
        ({"workspace": "/no/such/folder"}, "there is no folder /no/such/folder to mount"),
    ],
)
def test_what_cannot_be_had_is_refused_in_words(live, options, message):
    async def story(environment):
        await environment.start()

    with pytest.raises(Refused) as refused:
        live(story, **options)
    assert message in refused.value.message


def test_the_pull_of_an_image_is_told_as_it_goes(engine, tmp_path):
    small = PODMAN["IMAGE"]["make_small_tar"](tmp_path / "small.tar")
    registry = REGISTRY["Registry"](small.read_bytes())
    heard = []

    async def story(environment):
        await environment.start()

    options = DockerOptions(registry.name, engine=engine.client)
    try:
        with pytest.raises(Refused, match="python3 is missing in the image"):
            RUNNING["live"](story, docker_environment(options, heard.append))
    finally:
        registry.close()
    engine.run("rmi", registry.name)
    assert heard[0] == f"pulling the image {registry.name}"
    assert len(heard) > 2


def test_no_engine_is_told(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Refused, match="neither docker nor podman is installed"):
        asyncio.run(docker_environment(DockerOptions(FULL)).start())


def test_an_engine_that_does_not_run_is_told(monkeypatch):
    if shutil.which("docker") is None:
        pytest.skip("needs docker's client (apt package docker.io)")
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(Refused) as refused:
        asyncio.run(docker_environment(DockerOptions(FULL, engine="docker")).start())
    assert refused.value.message == "the engine of docker does not run"
