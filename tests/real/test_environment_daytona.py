"""Daytona's own library against a loopback service with real terminals: checks and failures."""

import asyncio
import runpy
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hermes.environments.capture import Capture
from hermes.environments.cloud import CloudChannel
from hermes.environments.conformance import CHECKS
from hermes.environments.contract import Command, Refused
from hermes.environments.daytona import DAYTONA, DaytonaOptions, daytona_environment, lacks
from hermes.environments.docker import UNICODE
from hermes.environments.engine import owner
from hermes.environments.remote import RemoteEnvironment

HERE = Path(__file__).parent
SERVER = runpy.run_path(str(HERE / "daytona_server.py"))
CLOUDS = runpy.run_path(str(HERE / "clouds.py"))
RUNNING = runpy.run_path(str(HERE.parent / "environments" / "running.py"))
KEY = SERVER["KEY"]
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
        environment = daytona_environment(DaytonaOptions(**options), report)
        try:
            return await story(environment)
        finally:
            await environment.close()

    return asyncio.run(asyncio.wait_for(whole(), 50))


@pytest.fixture(scope="module")
def sandbox(shared):
    channel = Staying(DAYTONA, DaytonaOptions(), print)
    yield channel
    asyncio.run(CloudChannel.close(channel))
    assert shared.sandboxes == {}
    assert shared.drops == 0, "a client read too slowly"


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_daytona_environment_passes(check, sandbox):
    RUNNING["passes"](
        check,
        lambda name: RemoteEnvironment(
            sandbox, f"workspace/{name}", makes_root=True, variables=UNICODE
        ),
    )


def only(server):
    (sandbox,) = server.sandboxes.values()
    return sandbox


@pytest.mark.proves("cloud-quiet")
def test_a_sandbox_is_private_small_and_ends_by_itself(server):
    async def story(environment):
        await environment.start()
        return only(server)

    made = live(story, task="a task", variables={"A": "b c"})
    kept = {name: made.wanted[name] for name in ("networkBlockAll", "public", "autoStopInterval")}
    assert kept == {"networkBlockAll": True, "public": False, "autoStopInterval": 15}
    assert made.wanted["autoDeleteInterval"] == 7 * 24 * 60
    assert "cpu" not in made.wanted  # a snapshot has its own sizes
    labels = {name: made.labels[name] for name in ("hermes", "hermes.owner", "hermes.task")}
    assert labels == {"hermes": "1", "hermes.owner": owner(), "hermes.task": "a task"}
    assert KEY not in str(made.wanted)


def test_an_image_is_built_and_its_build_is_told(server):
    said = []

    async def story(environment):
        return only_after(await out(environment, "echo works"))

    def only_after(result):
        return result[1], only(server).wanted

    printed, wanted = live(
        story, said.append, image="debian:12", cpus=2, memory_gigabytes=4, network=True
    )
    assert printed == "works\n"
    assert "debian:12" in wanted["buildInfo"]["dockerfileContent"]
    assert (wanted["cpu"], wanted["memory"], wanted["disk"]) == (2, 4, 3)
    assert wanted["networkBlockAll"] is False
    assert "Successfully built" in "\n".join(said)


@pytest.mark.proves("cloud-ends")
def test_nothing_is_left_after_closing(server):
    async def story(environment):
        await out(environment, "sleep 60 & true")
        return only(server)

    before = set(threading.enumerate())
    live(story)
    assert server.sandboxes == {}
    left = {each.name for each in threading.enumerate()} - {each.name for each in before}
    assert not [name for name in left if name.startswith("hermes-")]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda server, _: server.__setattr__("path", "/nowhere"), "python3 is missing on"),
        (
            lambda server, patch: patch.setenv("DAYTONA_API_KEY", "dtn_wrong"),
            "Daytona does not know the API key",
        ),
        (
            lambda server, _: server.__setattr__(
                "refuses", SERVER["Refusal"](403, "Total CPU limit exceeded. Maximum allowed: 10.")
            ),
            "the limits of your organisation are reached: ",
        ),
        (
            lambda server, _: server.__setattr__(
                "refuses", SERVER["Refusal"](429, "ThrottlerException: Too Many Requests")
            ),
            "Daytona takes no more requests now: ",
        ),
        (
            lambda server, patch: patch.setenv("DAYTONA_API_URL", "http://127.0.0.1:1/api"),
            "Daytona cannot be reached at http://127.0.0.1:1/api",
        ),
        (
            lambda server, patch: patch.delenv("DAYTONA_API_KEY"),
            "there is no API key for Daytona",
        ),
    ],
    ids=["no python", "wrong key", "quota", "too many", "no network", "no key"],
)
@pytest.mark.proves("cloud-quiet")
def test_what_cannot_be_had_is_refused_in_words(server, monkeypatch, spoil, message):
    spoil(server, monkeypatch)

    async def story(environment):
        await environment.start()

    with pytest.raises(Refused) as refused:
        live(story)
    assert refused.value.message.startswith(message)
    assert "dtn_" not in refused.value.message + refused.value.hint


def test_a_snapshot_that_does_not_exist_is_told(server):
    async def story(environment):
        await environment.start()

    with pytest.raises(Refused, match="Snapshot none not found"):
        live(story, snapshot="none")


def test_a_missing_library_is_told_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setenv("DAYTONA_API_KEY", KEY)
    monkeypatch.setitem(sys.modules, "daytona", None)
    monkeypatch.delitem(sys.modules, "hermes.environments.daytona_service", raising=False)

    async def story(environment):
        await environment.start()

    with pytest.raises(Refused, match="'daytona' is not installed") as refused:
        live(story)
    assert refused.value.hint == "Install it with: pip install 'hermes-tools[daytona]'"


def test_what_is_lacking_is_said_without_asking_anybody():
    assert lacks(environ={"DAYTONA_API_KEY": KEY}) is None
    assert lacks(environ={"DAYTONA_JWT_TOKEN": "x", "DAYTONA_ORGANIZATION_ID": "y"}) is None
    assert "DAYTONA_API_KEY" in lacks(environ={}).hint
    assert "DAYTONA_ORGANIZATION_ID" in lacks(environ={"DAYTONA_JWT_TOKEN": "x"}).hint


def test_a_file_in_the_working_folder_gives_no_key(server, monkeypatch, tmp_path):
    (tmp_path / ".env").write_text(f"DAYTONA_API_KEY={KEY}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DAYTONA_API_KEY")

    async def story(environment):
        await environment.start()

    with pytest.raises(Refused, match="there is no API key"):
        live(story)


def test_a_sandbox_that_died_is_started_again_with_its_files_and_state(server):
    async def story(environment):
        await out(environment, "export A=kept; echo file > kept; cd /tmp")
        running = await begin(environment, f"cd {environment.root}; touch up; sleep 30")
        only(server).state = "stopped"
        only(server).end()
        lost, _ = await running
        return lost.how, (await out(environment, "echo $A; cat ~/workspace/kept; pwd"))[1]

    assert live(story) == ("lost", "kept\nfile\n/tmp\n")


def test_a_sandbox_that_was_deleted_is_told_and_then_made_anew(server):
    async def story(environment):
        await out(environment, "export A=kept; touch gone")
        await until(lambda: b"kept" in environment._state)  # it is told after the answer
        sandbox = server.sandboxes.pop(only(server).id)
        sandbox.end()
        shutil.rmtree(sandbox.home)
        said = []
        for _ in range(3):
            try:
                outcome, printed = await out(environment, "echo $A; ls")
                said.append(printed if outcome.how == "exited" else outcome.how)
            except Refused as error:
                said.append(error.message)
        return [word for word in said if word != "lost"]

    said = live(story)
    assert said[0] == "the sandbox was deleted by somebody, and its files with it"
    assert said[1] == "kept\n"


def test_a_service_that_goes_away_costs_the_command_and_is_told(server):
    said = []

    async def story(environment):
        running = await begin(environment)
        await asyncio.to_thread(server.stop)
        lost, _ = await running
        with pytest.raises(Refused) as refused:
            await out(environment, "true")
        return lost.how, refused.value.message

    assert live(story, said.append) == ("lost", f"Daytona cannot be reached at {server.url}")
    assert said[-1].startswith(f"the sandbox {only(server).id} may be left at Daytona")


@pytest.mark.proves("cloud-rests")
def test_a_sandbox_rests_when_idle_and_wakes_with_its_files_and_state(server):
    async def story(environment):
        await out(environment, "export A=kept; echo file > kept; f() { echo f; }")
        await until(lambda: only(server).state == "stopped")
        return (await out(environment, "echo $A; cat kept; f"))[1], only(server).starts

    assert live(story, idle_minutes=0.01) == ("kept\nfile\nf\n", 2)


def test_a_sandbox_does_not_rest_while_something_runs(server):
    async def story(environment):
        heard = Capture()
        process = await environment.spawn(Command("sleep 1.5; echo done"), heard)
        await out(environment, "sleep 1")
        await process.wait()
        return heard.streams[0].ends()[0], only(server).starts

    assert live(story, idle_minutes=0.01) == (b"done\n", 1)


def test_a_snapshot_has_the_files(server):
    async def story(environment):
        await out(environment, "echo kept > ~/kept")
        return await environment.snapshot()

    async def later(environment):
        return (await out(environment, "cat ~/kept"))[1]

    name = live(story)
    assert live(later, snapshot=name) == "kept\n"


@pytest.mark.proves("cloud-ends")
def test_sandboxes_of_a_dead_owner_are_deleted_at_the_next_start(server):
    host, boot, _, _ = owner().split("/")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(10)
    names = []
    for whose in (f"{host}/{boot}/{ended.pid}/1", f"elsewhere/{boot}/1/1", owner()):
        labels = {"hermes": "1", "hermes.owner": whose}
        sandbox = SERVER["Sandbox"](server, {"labels": labels})
        server.sandboxes[sandbox.id] = sandbox
        names.append(sandbox.id)

    async def story(environment):
        await environment.start()
        return set(server.sandboxes)

    found = live(story)
    assert names[0] not in found
    assert {*names[1:]} < found


class Slow(Capture):
    """Somebody who takes his time to read."""

    def feed(self, stream, data):
        threading.Event().wait(0.02)
        super().feed(stream, data)


def test_a_slow_reader_gets_all_and_is_not_dropped(server):
    async def story(environment):
        heard = Slow()
        outcome = await environment.execute(
            Command("head -c 8000000 /dev/zero", timeout_seconds=40), heard
        )
        return outcome.exit_code, heard.streams[0].size

    assert live(story) == (0, 8_000_000)
    assert server.drops == 0
