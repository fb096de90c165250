"""What a program finds in its box, the first time and when the box stood ready."""

from __future__ import annotations

import signal
from dataclasses import replace

import pytest

from hermes.environments.sandbox.box import make_box
from hermes.environments.sandbox.bubblewrap import Bubblewrap, waiting_program
from hermes.environments.sandbox.choose import problem
from hermes.environments.sandbox.landlock import Landlock
from hermes.environments.sandbox.run import Sandbox

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
SECONDS = 20


@pytest.fixture(params=[Bubblewrap, Landlock])
def sandbox(request):
    backend = request.param()
    if reason := problem(backend):
        pytest.skip(reason)
    with Sandbox(backend) as made:
        yield made


@pytest.fixture
def box(tmp_path):
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return make_box(workspace, home=tmp_path, hermes_home=tmp_path / "hermes")


def bash(sandbox, box, script):
    words = ["/bin/bash", "-c", script]
    return [sandbox.run(words, box, env=ENVIRONMENT, seconds=SECONDS) for _ in range(3)]


def test_a_program_holds_no_descriptors_but_its_own_three(sandbox, box):
    listed = bash(sandbox, box, "for n in {0..400}; do [ -L /proc/$$/fd/$n ] && echo $n; done")
    assert [done.output.split() for done in listed] == [[b"0", b"1", b"2"]] * 3


def test_a_program_has_no_capability_and_can_gain_none(sandbox, box):
    seen = bash(sandbox, box, "while read name value; do echo $name $value; done </proc/$$/status")
    for done in seen:
        facts = dict(line.split(b": ", 1) for line in done.output.splitlines() if b": " in line)
        gained = [facts[name] for name in (b"CapPrm", b"CapEff", b"CapAmb", b"CapBnd")]
        assert gained == [b"0" * 16] * 4
        assert (facts[b"NoNewPrivs"], facts[b"Seccomp"]) == (b"1", b"2")


def test_a_program_that_is_killed_is_reported_by_its_signal(sandbox, box):
    codes = [done.code for done in bash(sandbox, box, "kill -TERM $$")]
    assert codes == [-signal.SIGTERM] * 3


def test_a_box_ends_with_what_keeps_it(box):
    if reason := problem(Bubblewrap()):
        pytest.skip(reason)
    with Sandbox(Bubblewrap()) as sandbox:
        codes = [done.code for done in bash(sandbox, box, "kill -KILL 2; sleep 10")]
    assert codes == [-signal.SIGKILL] * 3


def test_bubblewrap_starts_a_program_itself_where_none_can_wait(box):
    if reason := problem(Bubblewrap()):
        pytest.skip(reason)
    writable = replace(box, writable=(*box.writable, "/usr"))
    assert waiting_program(writable) is None
    walls = Bubblewrap().walls(writable, "/stage")
    assert (walls.around, walls.drop) == ((), False)
    words = Bubblewrap().command(writable, ["true"], cwd="/usr", stage="/stage").argv
    assert words[-4:] == ("--chdir", "/usr", "--", "true")
