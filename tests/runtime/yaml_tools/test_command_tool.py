"""Command tools with real programs."""

import asyncio
import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.app.boundaries import Boxes
from hermes.app.profiles import default_profile
from hermes.base.errors import (
    InvalidArguments,
    ServiceMissing,
    TimedOut,
    ToolError,
    Unavailable,
)
from hermes.runtime.call_policy import CallPolicy, Surroundings
from hermes.runtime.context import Task
from hermes.runtime.yaml_tools import YamlSource, entries, parse
from hermes.runtime.yaml_tools.command_tool import arguments
from hermes.runtime.yaml_tools.output import Kept
from hermes.runtime.yaml_tools.scrub import Scrubber

BASE = "name: t\ndescription: d\ntype: command\n"


class Context:
    cancelled = False

    def __init__(self, cwd, boundary, variables=(), **secrets):
        self.cwd = cwd
        self.task = Task("t", cwd)
        self.boundary = boundary
        self.secrets = secrets
        self.variables = {"PATH": os.environ["PATH"], "HOME": "/nowhere", **dict(variables)}

    def secret(self, name):
        return self.secrets.get(name)

    def environment(self):
        return self.variables

    def use(self, kind):
        if self.boundary is None:
            raise ServiceMissing(f"no {kind.__name__}")
        return self.boundary

    def progress(self, text):
        raise AssertionError(text)


@pytest.fixture(params=["confined", "unconfined"])
def boundary(request, hermes_home):
    """Where programs run: in boxes, or as they do where a handler has no runtime."""
    if request.param == "unconfined":
        yield None
        return
    around = Surroundings(str(Path.home()), str(hermes_home))
    policy = CallPolicy(default_profile(), around)
    boxes = Boxes(lambda: policy)
    yield boxes
    boxes.close()


@pytest.fixture
def handler(tmp_path):
    def make(text):
        file = tmp_path / "t.yaml"
        file.write_text(BASE + text)
        (entry,) = entries(file)
        return entry.handler

    return make


@pytest.fixture
def call(handler, boundary, tmp_path):
    def run(text, arguments=None, variables=(), **secrets):
        ctx = Context(tmp_path, boundary, variables, **secrets)
        return asyncio.run(handler(text)(arguments or {}, ctx=ctx))

    return run


def argv(template, parameters, **values):
    (spec,) = parse(f"{BASE}argv: {template}\nparameters: {parameters}\n", "t.yaml")
    return arguments(spec, spec.action, spec.values(values))


def test_a_command_answers_its_output_and_code(call):
    text = 'argv: [printf, "%s|%s|", "{a}", "n={b}"]\nparameters: [{name: a}, {name: b}]\n'
    got = call(text, {"a": "$HOME; rm -rf `x` \"'", "b": -1})
    assert got == {"exit_code": 0, "stdout": "$HOME; rm -rf `x` \"'|n=-1|", "truncated": False}


def test_lines_and_json(call):
    got = call("argv: [printf, 'a\\nb\\n']\nresponse: {format: lines}\n")
    assert got == {"exit_code": 0, "lines": ["a", "b"], "truncated": False}
    got = call("argv: [printf, '%s', '{\"a\": [1, 2]}']\nresponse: {format: json, path: 'a[1]'}\n")
    assert got == {"exit_code": 0, "value": 2}
    with pytest.raises(ToolError, match="the output is not JSON: no") as caught:
        call("argv: [printf, no]\nresponse: {format: json}\n")
    assert caught.value.code == "not_json"


def test_input_folder_and_variables(call, tmp_path):
    (tmp_path / "sub").mkdir()
    text = (
        "argv: [sh, -c, 'cat; pwd; echo $GREETING $NAME; test -z \"$LEAK\" && echo clean']\n"
        'stdin: "{words}\\n"\ncwd: "{folder}"\nenv: {GREETING: hi, NAME: "{words}"}\n'
        "parameters: [{name: words, required: true}, {name: folder, required: true}]\n"
    )
    got = call(
        text, {"words": "héllo", "folder": "sub"}, variables={"LEAK": "x", "LC_ALL": "C.UTF-8"}
    )
    assert got["stdout"].splitlines() == ["héllo", str(tmp_path / "sub"), "hi héllo", "clean"]
    with pytest.raises(ToolError, match="there is no folder"):
        call(text, {"words": "x", "folder": "missing"})


def test_without_stdin_a_program_reads_nothing(call):
    assert call("argv: [cat]\n")["stdout"] == ""


@pytest.mark.proves("declare-yaml-secrets")
def test_a_secret_reaches_the_program_and_nothing_else(call):
    text = "argv: [sh, -c, 'echo got $TOKEN; echo bad $TOKEN >&2']\nenv: {TOKEN: {value_env: T}}\n"
    got = call(text, T="abc-secret")
    assert got == {
        "exit_code": 0,
        "stdout": "got [redacted]\n",
        "truncated": False,
        "stderr": "bad [redacted]\n",
    }
    with pytest.raises(ToolError) as caught:
        call(text.replace(">&2", ">&2; exit 3"), T="abc-secret")
    error = caught.value
    assert str(error) == "t ended with exit code 3: bad [redacted]"
    assert (error.code, error.extra) == ("exit_code", {"exit_code": 3, "stdout": "got [redacted]"})
    with pytest.raises(Unavailable, match="environment variable T is not set"):
        call(text)


def test_declared_codes_are_success(call):
    got = call("argv: [sh, -c, 'exit 1']\nsuccess_codes: [0, 1]\n")
    assert got == {"exit_code": 1, "stdout": "", "truncated": False}


def test_a_program_ended_by_a_signal_is_told(call):
    with pytest.raises(ToolError, match="signal 9"):
        call("argv: [sh, -c, 'kill -9 $$']\n")


def test_a_missing_program_is_unavailable(call):
    with pytest.raises(Unavailable, match="'no-such-program-here' is not installed") as caught:
        call("argv: [no-such-program-here]\n")
    assert "install" in caught.value.hint


def test_output_is_kept_at_both_ends(call):
    text = "argv: [sh, -c, 'for c in a b; do head -c 50000 /dev/zero | tr \"\\0\" $c; done']\n"
    got = call(text + "response: {max_bytes: 100}\n")
    assert got["stdout"] == f"{'a' * 40}\n… 99,900 bytes left out …\n{'b' * 60}"
    assert got["truncated"] is True
    with pytest.raises(ToolError, match="larger than 100 bytes"):
        call(text + "response: {format: json, max_bytes: 100}\n")


@given(st.lists(st.binary(max_size=20)), st.integers(1, 40))
def test_kept_output_is_head_and_tail_in_bounded_memory(chunks, limit):
    kept, whole = Kept(limit), b"".join(chunks)
    for chunk in chunks:
        kept.add(chunk)
    assert len(kept.head) + len(kept.tail) + kept.dropped == len(whole)
    assert len(kept.head) + len(kept.tail) <= limit
    assert whole.startswith(bytes(kept.head))
    assert whole.endswith(bytes(kept.tail))


def test_half_a_secret_at_a_cut_is_hidden():
    scrub = Scrubber(["abc-secret"])
    assert scrub.head("xx abc-sec") == "xx [redacted]"
    assert scrub.tail("-secret yy") == "[redacted] yy"
    assert scrub.value({"k abc-secret": ["abc-secret", 1]}) == {"k [redacted]": ["[redacted]", 1]}
    assert Scrubber(["12345678"]).value([12345678, 1]) == ["[redacted]", 1]


def held(path):
    """Open a pipe for reading; it ends when the last process that holds it is gone."""
    os.mkfifo(path)
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK)


def is_over(pipe):
    ready, _, _ = select.select([pipe], [], [], 5)
    return bool(ready) and os.read(pipe, 10) == b""


TREE = """\
argv:
  - sh
  - -c
  - 'echo begun; (echo begun; exec sleep 100) > pipe & (trap "" TERM; sleep 100) > pipe; wait'
"""


def test_a_slow_command_is_stopped_with_its_children(call, tmp_path):
    pipe = held(tmp_path / "pipe")
    try:
        with pytest.raises(TimedOut, match=r"sh ran longer than 1 s and was stopped") as caught:
            call(TREE + "timeout_seconds: 1\n")
        assert os.read(pipe, 10) == b"begun\n"
        assert is_over(pipe)
    finally:
        os.close(pipe)
    assert caught.value.extra == {"stdout": "begun"}


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 5, 8, None])
def test_a_cancelled_command_is_stopped_with_its_children(handler, boundary, tmp_path, turns):
    pipe = held(tmp_path / "pipe")
    made = handler(TREE)

    async def run():
        task = asyncio.create_task(made({}, ctx=Context(tmp_path, boundary)))
        if turns is None:
            await asyncio.to_thread(select.select, [pipe], [], [], 5)
            assert os.read(pipe, 10) == b"begun\n"
        for _ in range(turns or 0):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 5)

    try:
        asyncio.run(run())
        if turns is None:
            assert is_over(pipe)
    finally:
        os.close(pipe)


UP = "sh -c 'echo up; exec sleep 77' > pipe"
DEAF = """sh -c 'trap "" TERM; echo up; sleep 77; sleep 78' > pipe 2> /dev/null"""
ESCAPES = {
    "session": f"(setsid {UP} &); sleep 78 & sleep 79",
    "deaf": f"(setsid {DEAF} &); sleep 79",
    "job": f"set -m; {DEAF} & sleep 79",
    "without a mark": f"env -i setsid {UP} & sleep 79",
    "daemon": f"setsid sh -c '(setsid {UP.replace(chr(39), chr(34))} &)' & sleep 79",
}


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: /proc tells who started whom")
@pytest.mark.proves("call-cancellation")
@pytest.mark.parametrize("way", ["timeout", "cancel"])
@pytest.mark.parametrize("how", ESCAPES)
def test_children_that_left_the_group_do_not_outlive_the_call(
    handler, boundary, tmp_path, how, way
):
    pipe = held(tmp_path / "pipe")
    limit = 1.5 if way == "timeout" else 60
    script = json.dumps(ESCAPES[how])
    made = handler(f"argv: [bash, -c, {script}]\ntimeout_seconds: {limit}\n")

    async def run():
        task = asyncio.create_task(made({}, ctx=Context(tmp_path, boundary)))
        await asyncio.to_thread(select.select, [pipe], [], [], 5)
        assert os.read(pipe, 10) == b"up\n"
        if way == "cancel":
            task.cancel()
        await asyncio.wait([task], timeout=5)
        assert task.cancelled() or isinstance(task.exception(), TimedOut)

    try:
        asyncio.run(run())
        assert is_over(pipe)
    finally:
        os.close(pipe)


def test_strangers_are_left_alone(call):
    stranger = subprocess.Popen(["sleep", "100"], start_new_session=True)
    try:
        with pytest.raises(TimedOut):
            call("argv: [sleep, '100']\ntimeout_seconds: 0.05\n")
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait(5)


def test_what_a_finished_command_left_running_is_stopped(call, tmp_path):
    pipe = held(tmp_path / "pipe")
    try:
        got = call("argv: [sh, -c, 'sleep 100 > pipe 2>&1 & echo $(: > pipe)done']\n")
        assert got["stdout"] == "done\n"
        assert is_over(pipe)
    finally:
        os.close(pipe)


@pytest.mark.parametrize("value", ["-rf", "--help", "-", -5])
def test_a_value_cannot_become_an_option(value):
    with pytest.raises(InvalidArguments, match="would be read as an option"):
        argv('[ls, "{a}"]', "[{name: a}]", a=value)
    with pytest.raises(InvalidArguments, match="would be read as an option"):
        argv('[ls, "{a}/x"]', "[{name: a}]", a=value)
    with pytest.raises(InvalidArguments, match="would be read as an option"):
        argv('[ls, "{a}"]', "[{name: a, type: array}]", a=["x", value])
    assert argv('[ls, "-n{a}"]', "[{name: a}]", a=value) == ["ls", f"-n{value}"]
    assert argv('[ls, "{a}"]', "[{name: a, allow_options: true}]", a=value) == ["ls", str(value)]


def test_what_has_no_value_is_left_out_and_groups_go_as_one():
    template = '[ls, "{a}", "--b={b}", ["-c", "{c}"], ["-d", "{d}"], "{e}"]'
    parameters = "[{name: a}, {name: b}, {name: c}, {name: d}, {name: e, type: array}]"
    assert argv(template, parameters, d=1, e=["x", "y"]) == ["ls", "-d", "1", "x", "y"]


def test_a_program_is_chosen_from_its_enum_only():
    template, parameters = '["{p}"]', "[{name: p, required: true, enum: [ls, cat]}]"
    assert argv(template, parameters, p="ls") == ["ls"]
    with pytest.raises(InvalidArguments, match="not one of"):
        argv(template, parameters, p="rm")


@given(st.text())
def test_any_value_is_one_argument_as_it_is_or_refused(value):
    try:
        assert argv('[ls, --, "{a}"]', "[{name: a}]", a=value) == ["ls", "--", value]
    except InvalidArguments:
        assert value.startswith("-") or "\0" in value


def test_through_the_runtime_a_slow_command_answers_what_it_said(runtime, tmp_path):
    (tmp_path / "t.yaml").write_text(f"{BASE}{TREE}timeout_seconds: 1\n")
    pipe = held(tmp_path / "pipe")
    try:
        with runtime(cwd=tmp_path) as rt:
            rt.add_source(YamlSource(tmp_path))
            answer = json.loads(rt.call_sync("t", {}))
        assert os.read(pipe, 10) == b"begun\n"
        assert is_over(pipe)
    finally:
        os.close(pipe)
    assert (answer["code"], answer["stdout"]) == ("timeout", "begun")
