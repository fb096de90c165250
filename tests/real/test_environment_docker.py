"""Containers for real: podman, and docker's client on podman's service."""

import asyncio
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hermes.environments.capture import Capture
from hermes.environments.conformance import CHECKS
from hermes.environments.contract import Command, Refused
from hermes.environments.docker import (
    UNICODE,
    DockerChannel,
    DockerOptions,
    Mount,
    docker_environment,
)
from hermes.environments.engine import is_dead, owner
from hermes.environments.remote import RemoteEnvironment

PODMAN = runpy.run_path(str(Path(__file__).parent / "podman.py"))
FULL, SMALL = PODMAN["FULL"], PODMAN["SMALL"]
if reason := PODMAN["missing"]():
    pytest.skip(reason, allow_module_level=True)


@pytest.fixture(scope="module")
def podman():
    with tempfile.TemporaryDirectory(prefix="hpm-", dir="/tmp", ignore_cleanup_errors=True) as at:
        patch = pytest.MonkeyPatch()
        engine = PODMAN["Podman"](at)
        for name, value in engine.variables.items():
            patch.setenv(name, value)
        yield engine
        patch.undo()
        engine.close()


@pytest.fixture(params=["podman", "docker"])
def engine(request, podman):
    """Return the name of a client, with something behind it that answers."""
    if request.param == "docker":
        if shutil.which("docker") is None:
            pytest.skip("docker's client is missing (scripts/parts)")
        if podman.service is None:
            podman.serve()
    return request.param


@pytest.fixture
def live(podman):
    """Return what runs a story with an environment, and closes that."""

    def run(story, image=FULL, engine="podman", **options):
        async def whole():
            environment = docker_environment(DockerOptions(image, engine=engine, **options))
            try:
                return await story(environment)
            finally:
                await environment.close()

        return asyncio.run(asyncio.wait_for(whole(), 50))

    return run


async def out(environment, text, **options):
    heard = Capture()
    options.setdefault("timeout_seconds", 20)
    outcome = await environment.execute(Command(text, **options), heard)
    return outcome, (heard.streams[0].ends()[0] + heard.streams[1].ends()[0]).decode()


class Staying(DockerChannel):
    """A container that outlives its environments: the checks share it, each in its own folder."""

    async def close(self):
        pass


@pytest.fixture(scope="module")
def container(podman):
    channel = Staying(DockerOptions(FULL, engine="podman"), print)
    yield channel
    asyncio.run(DockerChannel.close(channel))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_docker_environment_passes(check, container):
    folders = iter(range(100))

    def factory():
        root = f"/workspace/{check.name}/{next(folders)}"
        return RemoteEnvironment(container, root, makes_root=True, variables=UNICODE)

    finding = asyncio.run(check.run(factory))
    assert (finding.verdict, finding.why) == ("passed", "")


def test_a_container_is_shut_in(live, engine):
    async def story(environment):
        script = (
            "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; ls /sys/class/net; "
            "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/pids/pids.max"
        )
        return await out(environment, script)

    outcome, printed = live(story, engine=engine, memory_megabytes=256, processes=64)
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


def test_a_container_that_died_is_started_again_with_its_files_and_state(live, podman, engine):
    async def story(environment):
        await out(environment, "export A=kept; echo file > kept; cd /tmp")
        losing = asyncio.ensure_future(out(environment, "touch /workspace/up; sleep 30"))
        while not (await out(environment, "ls /workspace/up 2>/dev/null"))[1]:
            await asyncio.sleep(0.05)
        podman.run("kill", environment._channel._container)
        lost, _ = await losing
        return lost.how, (await out(environment, "echo $A; cat /workspace/kept; pwd"))[1]

    assert live(story, engine=engine) == ("lost", "kept\nfile\n/tmp\n")


def test_a_container_that_was_removed_is_told_and_then_made_anew(live, podman):
    async def story(environment):
        await out(environment, "export A=kept; touch gone")
        podman.run("rm", "-f", environment._channel._container)
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


def test_a_snapshot_is_an_image_with_the_files(live, podman):
    async def story(environment):
        await out(environment, "echo kept > /opt/kept")
        return await environment.snapshot()

    async def later(environment):
        return (await out(environment, "cat /opt/kept"))[1]

    image = live(story)
    assert live(later, image=image) == "kept\n"
    podman.run("rmi", image)


def test_orphans_fill_no_table_of_processes(live):
    async def story(environment):
        for _ in range(6):
            await out(environment, "for n in 1 2 3 4 5 6 7 8; do (setsid sleep 0 &) ; done; wait")
        return (await out(environment, "sleep 0.2; ps -eo stat | grep -c Z"))[1]

    assert live(story, processes=40) == "0\n"


def test_containers_of_a_dead_owner_are_removed_at_the_next_start(live, podman, engine):
    host, boot, _, _ = owner().split("/")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(10)
    labels = ["--label", "hermes=1", "--label", f"hermes.owner={host}/{boot}/{ended.pid}/1"]
    orphan = podman.run(
        "run", "-d", "--init", "--network=none", *labels, SMALL, "/bin/sleep", "600"
    )
    theirs = ["--label", "hermes=1", "--label", f"hermes.owner=elsewhere/{boot}/1/1"]
    other = podman.run("run", "-d", "--init", "--network=none", *theirs, SMALL, "/bin/sleep", "600")

    async def story(environment):
        await environment.start()
        return podman.run("ps", "-aq", "--no-trunc").split()

    found = live(story, engine=engine)
    podman.run("rm", "-f", other)
    assert orphan not in found
    assert other in found


def test_nothing_is_left_after_closing(live, podman):
    async def story(environment):
        await out(environment, "sleep 60 & true")
        return environment._channel._container

    assert live(story) not in podman.run("ps", "-a", "--format", "{{.Names}}")


def test_an_owner_that_lives_is_not_dead():
    assert not is_dead(owner())
    assert not is_dead("")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"image": SMALL}, f"python3 is missing in the image {SMALL}"),
        ({"image": "localhost/none:1"}, "the image localhost/none:1 cannot be"),
        ({"workspace": "/a,b"}, "a mount cannot have a comma"),
        ({"workspace": "/no/such/folder"}, "podman"),
    ],
)
def test_what_cannot_be_had_is_refused_in_words(live, options, message):
    async def story(environment):
        await environment.start()

    with pytest.raises(Refused) as refused:
        live(story, **options)
    assert message in refused.value.message


def test_no_engine_is_told(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Refused, match="neither docker nor podman is installed"):
        asyncio.run(docker_environment(DockerOptions(FULL)).start())


def test_an_engine_that_does_not_run_is_told(monkeypatch):
    if shutil.which("docker") is None:
        pytest.skip("docker's client is missing (scripts/parts)")
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(Refused) as refused:
        asyncio.run(docker_environment(DockerOptions(FULL, engine="docker")).start())
    assert refused.value.message == "the engine of docker does not run"
