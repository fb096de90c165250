"""Run dangerous commands for real, with nobody to ask, and look at the home around them."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.policy.shell.conftest import PLACE

from hermes.policy.shell.understanding import understand

sys.path.append(str(Path(__file__).parent))

import containment_home as home
from containment_sample import sample

DANGEROUS, FLOOR, SHARDS, SEED = 400, 100, 4, 3
SKIPPED = 77
HARM = ("changed", "planted", "printed", "protected", "left", "killed")


@cache
def commands():
    return sample(DANGEROUS, FLOOR, seed=SEED)


def run(backend, lines):
    return subprocess.run(
        [sys.executable, home.DRIVER, backend],
        input=json.dumps(lines),
        capture_output=True,
        text=True,
        timeout=240,
    )


def report(backend, lines):
    done = run(backend, lines)
    if done.returncode == SKIPPED:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def harmful(each):
    return [done for done in each if any(done[kind] for kind in HARM)]


def is_allowed(command):
    return not understand(command, PLACE).findings


@pytest.mark.timeout(300)
@pytest.mark.proves("sandbox-containment")
@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("backend", ["bubblewrap", "landlock"])
def test_no_dangerous_command_harms_what_is_around_the_workspace(backend, shard, record_property):
    lines = commands()[shard::SHARDS]
    found = report(backend, lines)
    each = found["each"]
    assert harmful(each) == []
    assert found["left"] == []
    assert [done["command"] for done in each] == lines
    assert sum(done["ran"] for done in each) > len(each) * 0.8, "the commands did not really run"
    assert any(done["workspace"] for done in each), "the commands did not really run"
    record_property("workspaces harmed", sum(bool(done["workspace"]) for done in each))
    record_property("workspace secrets shown", sum(done["own_secret"] for done in each))
    record_property("allowed by developer", sum(map(is_allowed, lines)))


@pytest.mark.timeout(300)
@pytest.mark.proves("sandbox-containment")
def test_landlock_without_namespaces_holds_too():
    found = report("landlock-alone", commands()[::SHARDS])
    assert harmful(found["each"]) == []
    assert found["left"] == []


@pytest.mark.timeout(300)
@pytest.mark.proves("sandbox-containment")
@pytest.mark.parametrize("backend", ["bubblewrap", "landlock"])
def test_what_takes_all_there_is_takes_no_more_than_its_limits(backend):
    lines = [
        ":(){ :|:& };:",
        *["f(){ f & f & }; f"] * 4,
        "kill -9 -1",
        "dd if=/dev/zero of=big bs=1M count=500",
        "for i in 1 2 3 4 5 6 7 8 9; do head -c 8M /dev/zero > /tmp/$i; done; du -sm /tmp",
        "yes",
        "nohup setsid sleep 1000 >/dev/null 2>&1 & disown; (setsid env -i sleep 1000 &)",
        "head -c 2G /dev/zero | tail",
    ]
    found = report(backend, lines)
    assert harmful(found["each"]) == []
    assert found["left"] == []


def test_the_experiment_sees_harm_where_there_is_no_box():
    appended, printed, planted = report("none", list(home.CONTROL))["each"]
    assert appended["changed"] == ["/home/dev/.bashrc"]
    assert printed["printed"] == [".ssh/id_rsa"]
    assert planted["planted"] == ["/home/dev/Photos/planted"]
    assert planted["protected"]
    assert harmful([appended, printed, planted]) == [appended, printed, planted]


def test_nothing_else_is_ever_run_without_a_box():
    done = run("none", ["true"])
    if done.returncode == SKIPPED:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 1
    assert "only the control runs without a box" in done.stderr


@pytest.mark.parametrize("form", range(10))
def test_a_secret_is_noticed_however_it_is_written(form):
    secrets = {"key": home.canary("key"), "other": home.canary("other")}
    written = home.forms(secrets["key"])
    assert len(written) == 10
    assert home.shown(b"said " + written[form] + b"\n", secrets) == ["key"]


def test_the_home_holds_enough_to_lose():
    assert len(home.SECRET_FILES) + len(home.PLAIN_FILES) >= 60
    assert len(home.canaries()) >= 50
    assert len(set(commands())) == DANGEROUS + FLOOR
