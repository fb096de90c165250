"""Modal's own library against a loopback service with real processes: checks and failures."""

import asyncio
import runpy
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from grpclib import GRPCError, Status

from hermes.environments.capture import Capture
from hermes.environments.cloud import CloudChannel
from hermes.environments.conformance import CHECKS
from hermes.environments.contract import Command, Refused
from hermes.environments.docker import UNICODE
from hermes.environments.engine import owner
from hermes.environments.modal import MODAL, ModalOptions, lacks, modal_environment
from hermes.environments.remote import RemoteEnvironment

HERE = Path(__file__).parent
SERVER = runpy.run_path(str(HERE / "modal_server.py"))
CLOUDS = runpy.run_path(str(HERE / "clouds.py"))
RUNNING = runpy.run_path(str(HERE.parent / "environments" / "running.py"))
TOKEN, only = SERVER["TOKEN"], SERVER["only"]
out, begin, until = CLOUDS["out"], CLOUDS["begin"], CLOUDS["until"]
Staying = RUNNING["staying"](CloudChannel)


@pytest.fixture(scope="module")
def shared():
    with CLOUDS["serving"](SERVER) as server:
        yield server


@pytest.fixture
def server():
    """Return a service that a test may spoil."""
    with CLOUDS["serving"](SERVER) as server:
        yield server


def live(story, report=lambda _: None, **options):
    """Run a story with an environment, and close that."""

    async def whole():
        environment = modal_environment(ModalOptions(root="workspace", **options), report)
        try:
            return await story(environment)
        finally:
            await environment.close()

    return asyncio.run(asyncio.wait_for(whole(), 50))


@pytest.fixture(scope="module")
def sandbox(shared):
    channel = Staying(MODAL, ModalOptions(), print)
    yield channel
    asyncio.run(CloudChannel.close(channel))
    assert all(each.has_ended for each in shared.sandboxes.values())


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_modal_environment_passes(check, sandbox):
    RUNNING["passes"](
        check,
        lambda name: RemoteEnvironment(
            sandbox, f"workspace/{name}", makes_root=True, variables=UNICODE
        ),
    )


@pytest.mark.proves("cloud-quiet")
def test_a_sandbox_is_shut_in_small_and_ends_by_itself(server):
    async def story(environment):
        await environment.start()
        return only(server)

    made = live(story, task="a task/1")
    definition = made.definition
    blocked = definition.network_access.BLOCKED
    assert definition.network_access.network_access_type == blocked
    assert (definition.resources.milli_cpu, definition.resources.milli_cpu_max) == (500, 1000)
    assert (definition.resources.memory_mb, definition.resources.memory_mb_max) == (1024, 1024)
    assert (definition.timeout_secs, definition.idle_timeout_secs) == (86400, 960)
    wanted = {
        "hermes": "1",
        "hermes_owner": owner().replace("/", "_"),
        "hermes_task": "a_task_1",
    }
    assert made.tags == wanted
    assert "debian" in server.builds[-1] or "python" in server.builds[-1]
    assert TOKEN[1] not in str(definition)


def test_an_image_of_a_registry_is_built_and_told(server):
    said = []

    async def story(environment):
        printed = (await out(environment, "echo works"))[1]
        return printed, only(server).definition.network_access

    printed, access = live(story, said.append, image="debian:12", network=True)
    assert printed == "works\n"
    assert access.network_access_type == access.OPEN
    assert "FROM debian:12" in server.builds[-1]
    assert said == ["Modal looks for the image debian:12, or builds it", "the image is im-built"]


@pytest.mark.proves("cloud-ends")
def test_nothing_is_left_after_closing(server):
    async def story(environment):
        await out(environment, "sleep 60 & true")
        return only(server)

    before = {each.name for each in threading.enumerate()}
    assert live(story).has_ended
    left = {each.name for each in threading.enumerate()} - before
    assert not [name for name in left if name.startswith("hermes-")]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda server, _: server.__setattr__("path", "/nowhere"), "Modal: executable file"),
        (
            lambda server, patch: patch.setenv("MODAL_TOKEN_SECRET", "as-wrong"),
            "Modal does not take the token: ",
        ),
        (
            lambda server, _: server.__setattr__(
                "refuses", GRPCError(Status.RESOURCE_EXHAUSTED, "Workspace sandbox limit reached")
            ),
            "the limits of your workspace are reached: ",
        ),
        (
            lambda server, patch: (
                patch.delenv("MODAL_TOKEN_ID"),
                patch.delenv("MODAL_TOKEN_SECRET"),
            ),
            "there is no token for Modal",
        ),
    ],
    ids=["no python", "wrong token", "quota", "no token"],
)
@pytest.mark.proves("cloud-quiet")
def test_what_cannot_be_had_is_refused_in_words(server, monkeypatch, spoil, message):
    spoil(server, monkeypatch)

    async def story(environment):
        await environment.start()

    with pytest.raises(Refused) as refused:
        live(story)
    assert refused.value.message.startswith(message)
    assert "as-" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize(
    ("image", "message"),
    [("none", "the image cannot be had: "), ("im-none", "Modal: Image im-none not found")],
)
def test_an_image_that_cannot_be_had_is_told(server, image, message):
    async def story(environment):
        await environment.start()

    with pytest.raises(Refused) as refused:
        live(story, image=image)
    assert refused.value.message.startswith(message)


@pytest.fixture
def impatient(monkeypatch):
    """Let nobody wait for long for a service that does not answer."""
    monkeypatch.setattr("hermes.environments.modal_service._QUICK_SECONDS", 2.0)


def test_a_service_out_of_reach_is_told(server, monkeypatch, impatient):
    monkeypatch.setenv("MODAL_SERVER_URL", "http://127.0.0.1:1")

    async def story(environment):
        await environment.start()

    with pytest.raises(Refused, match=r"Modal cannot be reached at http://127\.0\.0\.1:1"):
        live(story)


def test_a_missing_library_is_told_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setenv("MODAL_TOKEN_ID", TOKEN[0])
    monkeypatch.setenv("MODAL_TOKEN_SECRET", TOKEN[1])
    monkeypatch.setitem(sys.modules, "modal", None)
    monkeypatch.delitem(sys.modules, "hermes.environments.modal_service", raising=False)

    async def story(environment):
        await environment.start()

    with pytest.raises(Refused, match="'modal' is not installed") as refused:
        live(story)
    assert refused.value.hint == "Install it with: pip install 'hermes-tools[modal]'"


def test_what_is_lacking_is_said_without_asking_anybody(tmp_path):
    file = tmp_path / "modal.toml"
    where = {"MODAL_CONFIG_PATH": str(file)}
    assert lacks(environ={"MODAL_TOKEN_ID": "a", "MODAL_TOKEN_SECRET": "b", **where}) is None
    assert lacks(environ={"MODAL_OAUTH_REFRESH_TOKEN": "a", **where}) is None
    assert "modal token new" in lacks(environ=where).hint
    file.write_text('[default]\n[work]\ntoken_id = "a"\ntoken_secret = "b"\n')
    assert lacks(environ=where).message == "there is no token for Modal"
    assert lacks(environ={**where, "MODAL_PROFILE": "work"}) is None
    file.write_text('[work]\nactive = true\ntoken_id = "a"\ntoken_secret = "b"\n')
    assert lacks(environ=where) is None
    file.write_text("no toml")
    assert lacks(environ=where).message == "there is no token for Modal"


def test_a_sandbox_that_ended_is_told_and_then_made_anew(server):
    async def story(environment):
        await out(environment, "export A=kept; touch gone")
        await until(lambda: b"kept" in environment._state)  # it is told after the answer
        running = await begin(environment)
        only(server).end()
        lost, _ = await running
        said = [lost.how]
        for _ in range(2):
            try:
                said.append((await out(environment, "echo $A; ls"))[1])
            except Refused as error:
                said.append(error.message)
        return said

    assert live(story) == ["lost", "the sandbox has ended, and its files with it", "kept\n"]


def test_a_service_that_goes_away_costs_the_command_and_is_told(server, impatient):
    said = []

    async def story(environment):
        running = await begin(environment)
        await asyncio.to_thread(server.stop)
        lost, _ = await running
        with pytest.raises(Refused) as refused:
            await out(environment, "true")
        return lost.how, refused.value.message

    assert live(story, said.append) == ("lost", f"Modal cannot be reached at {server.url}")
    assert said[-1].startswith(f"the sandbox {only(server).id} may be left at Modal")


@pytest.mark.proves("cloud-rests")
def test_a_sandbox_rests_as_an_image_when_idle_and_wakes_with_its_files_and_state(server):
    async def woken(environment):
        await out(environment, "export A=kept; echo file > ~/kept; f() { echo f; }; cd /tmp")
        first = only(server)
        await until(lambda: first.has_ended)
        printed = (await out(environment, "echo $A; f; pwd"))[1]
        return printed, (only(server).home / "kept").read_text()

    assert live(woken, idle_minutes=0.01) == ("kept\nf\n/tmp\n", "file\n")
    assert len(server.sandboxes) == 2


def test_a_sandbox_does_not_rest_while_something_runs(server):
    async def story(environment):
        heard = Capture()
        process = await environment.spawn(Command("sleep 1.5; echo done"), heard)
        await out(environment, "sleep 1")
        await process.wait()
        return heard.streams[0].ends()[0]

    assert live(story, idle_minutes=0.01) == b"done\n"
    assert len(server.sandboxes) == 1


def test_an_idle_sandbox_whose_files_cannot_be_kept_runs_on(server):
    server.keeps = False
    said = []

    async def story(environment):
        await out(environment, "touch kept")
        await until(lambda: said and "its files not kept" in said[-1])
        return (await out(environment, "ls"))[1]

    assert live(story, said.append, idle_minutes=0.01) == "kept\n"
    assert said[-1].endswith("its files not kept: Modal: the disk of the worker is full")
    assert len(server.sandboxes) == 1


def test_a_snapshot_is_an_image_with_the_files(server):
    async def story(environment):
        await out(environment, "echo kept > ~/kept")
        return await environment.snapshot()

    async def later(environment):
        return (await out(environment, "cat ~/kept"))[1]

    name = live(story)
    assert name.startswith("im-")
    assert live(later, image=name) == "kept\n"


@pytest.mark.proves("cloud-ends")
def test_sandboxes_of_a_dead_owner_are_terminated_at_the_next_start(server):
    host, boot, _, _ = owner().split("/")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(10)
    found = []
    for whose in (f"{host}_{boot}_{ended.pid}_1", f"elsewhere_{boot}_1_1"):
        tags = {"hermes": "1", "hermes_owner": whose}
        sandbox = SERVER["Sandbox"](server, SERVER["api_pb2"].Sandbox(), tags)
        server.sandboxes[sandbox.id] = sandbox
        found.append(sandbox)

    async def story(environment):
        await environment.start()

    live(story)
    assert [each.has_ended for each in found] == [True, False]
