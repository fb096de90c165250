"""code_debug through its public door, with debugpy and node's inspector."""

import asyncio
import json

import pytest

from hermes import Runtime

PYTHON = """\
import sys


def total(items):
    result = 0
    for item in items:
        result += item
    return result


print("args", sys.argv[1:])
print(total([1, 2, 3]))
raise ValueError("the end")
"""
SCRIPT = """\
function total(items) {
  let result = 0;
  for (const item of items) {
    result += item;
  }
  return result;
}
console.log("args", process.argv.slice(2));
console.log(total([1, 2, 3]));
throw new Error("the end");
"""


def place(answer):
    return answer["state"], answer["frame"]["function"], answer["frame"]["line"]


def values(answer):
    return {each["name"]: each["value"] for each in answer["variables"]}


@pytest.mark.proves("debug-session")
@pytest.mark.parametrize("language", ["python", "javascript"])
def test_a_program_is_followed_from_a_breakpoint_to_its_end(project, needs, language):
    is_python = language == "python"
    if not is_python:
        needs("node")
    name, line = ("a.py", 7) if is_python else ("a.js", 4)
    project.put(name, PYTHON if is_python else SCRIPT)
    equal = "==" if is_python else "==="
    points = [{"line": line, "condition": f"item {equal} 2"}]
    more = {"language": language}

    async def story(call):
        async def debug(action, **arguments):
            return await call("code_debug", action=action, **more, **arguments)

        start = await debug("start", path=name, args=["x y"], breakpoints=points)
        assert place(start) == ("stopped", "total", line) and start["reason"] == "breakpoint"
        assert "x y" in start["output"]
        assert values(start) | {"item": "2", "result": "1"} == values(start)
        assert start["code"][3].startswith("→")
        stack = await debug("stack")
        assert [each["line"] for each in stack["frames"]] == [line, 12 if is_python else 9]
        value = await debug("evaluate", expression="item + result")
        assert value["value"] == "3"
        inside = await debug("evaluate", expression="items")
        assert [each["value"] for each in inside["children"]][:3] == ["1", "2", "3"]
        wrong = await debug("evaluate", expression="nothing_like_this")
        assert "nothing_like_this" in wrong["error"]
        changed = await debug("evaluate", expression="result = 100")
        assert "error" not in changed
        following = await debug("next")
        assert place(following) == ("stopped", "total", line - 1)
        assert values(following)["result"] == "102"
        assert (await debug("breakpoints", breakpoints=[]))["breakpoints"] == []
        out = await debug("out")
        assert out["state"] == "stopped" and out["frame"]["line"] == (12 if is_python else 9)
        raised = await debug("continue")
        assert (raised["reason"], raised["frame"]["line"]) == ("exception", 13 if is_python else 10)
        assert "the end" in raised["text"] and "105" in raised["output"]
        ended = await debug("continue")
        assert (ended["state"], ended["exit_code"]) == ("exited", 1)
        assert "the end" in ended["output"]
        assert (await debug("next"))["code"] == "not_running"
        return await debug("stop")

    assert project.run(story)["state"] == "ended"


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_log_points_print_and_do_not_stop(project, needs, language):
    if language == "javascript":
        needs("node")
    name, line = ("a.py", 7) if language == "python" else ("a.js", 4)
    project.put(name, PYTHON if language == "python" else SCRIPT)
    points = [{"line": line, "log": "'seen', item"}]
    answer = project.call(
        "code_debug", action="start", path=name, language=language, breakpoints=points
    )
    assert answer["reason"] == "exception"
    assert answer["output"].count("seen") == 3


def test_a_breakpoint_may_wait_for_its_second_time(project):
    project.put("a.py", PYTHON)
    points = [{"line": 7, "hits": 2}]
    answer = project.call("code_debug", action="start", path="a.py", breakpoints=points)
    assert values(answer)["item"] == "2"


def test_stepping_goes_into_a_function_of_another_file(project):
    project.put("lib.py", "def double(x):\n    return 2 * x\n")
    project.put("a.py", "import lib\n\nprint(lib.double(4))\n")

    async def story(call):
        await call("code_debug", action="start", path="a.py", breakpoints=[{"line": 3}])
        inside = await call("code_debug", action="step")
        outer = await call("code_debug", action="variables", frame=1, scope="globals")
        return inside, outer

    inside, outer = project.run(story)
    assert (inside["frame"]["file"], inside["frame"]["line"]) == ("lib.py", 2)
    assert "lib" in values(outer)


def test_a_program_can_stop_at_its_first_line_or_where_it_raises(project):
    code = "x = 1\ntry:\n    raise KeyError('k')\nexcept KeyError:\n    pass\n"
    project.put("a.py", code)
    first = project.call("code_debug", action="start", path="a.py", stop_on="entry")
    assert first["frame"]["line"] == 1
    raised = project.call("code_debug", action="start", path="a.py", stop_on="raise")
    assert (raised["frame"]["line"], raised["reason"]) == (3, "exception")


def test_a_program_that_runs_on_is_paused(project):
    project.put("a.py", "import time\n\nwhile True:\n    time.sleep(0.01)\n")

    async def story(call):
        running = await call("code_debug", action="start", path="a.py", timeout=0.2)
        asked = await call("code_debug", action="stack")
        paused = await call("code_debug", action="pause", timeout=20)
        return running, asked, paused

    running, asked, paused = project.run(story)
    assert running["state"] == "running" and "pause" in running["note"]
    assert asked["code"] == "running"
    assert paused["state"] == "stopped" and paused["frame"]["file"] == "a.py"


def test_a_program_without_breakpoints_runs_to_its_end(project):
    answer = project.put("a.py", "print('done')\n").call("code_debug", action="start", path="a.py")
    assert (answer["state"], answer["exit_code"], answer["output"]) == ("exited", 0, "done\n")


def test_much_output_is_bounded(project):
    project.put("a.py", "for n in range(200000):\n    print(n)\n")
    answer = project.call("code_debug", action="start", path="a.py", timeout=60)
    assert len(answer["output"]) < 25_000 and answer["output"].endswith("199999\n")


@pytest.mark.proves("code-judged")
@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "evaluate", "expression": "__import__('os').system('rm -rf /')"},
        {
            "action": "start",
            "path": "a.py",
            "breakpoints": [{"line": 1, "condition": "__import__('shutil').rmtree('/')"}],
        },
        {
            "action": "start",
            "path": "a.py",
            "breakpoints": [{"line": 1, "log": "__import__('shutil').rmtree('/')"}],
        },
    ],
)
def test_what_is_evaluated_is_judged_like_any_code(project, arguments):
    assert project.put("a.py", "x = 1\n").call("code_debug", **arguments)["code"] == "denied"


def test_code_is_judged_as_the_language_that_it_runs_as(project, needs):
    needs("node")
    project.put("a.js", SCRIPT).put("a.py", PYTHON)

    async def story(call):
        wrong = await call("code_debug", action="start", path="a.js")
        await call("code_debug", action="start", path="a.py", breakpoints=[{"line": 7}])
        other = await call("code_debug", action="evaluate", expression="1", language="javascript")
        return wrong, other

    wrong, other = project.run(story)
    assert wrong["hint"] == "Pass language=javascript."
    assert other["hint"] == "Pass language=python."


@pytest.mark.proves("debug-ends")
def test_sessions_end_with_their_task_and_are_seen_by_it_alone(project):
    project.put("a.py", "import time\n\ntime.sleep(600)\n")

    async def story(call):
        started = await call("code_debug", "one", action="start", path="a.py", timeout=0.1)
        other = await call("code_debug", "two", action="stack", session_id=started["session_id"])
        call.runtime.end_task("one")
        gone = await call("code_debug", "one", action="stack")
        return other, gone

    other, gone = project.run(story)
    assert other["code"] == gone["code"] == "no_session"


@pytest.mark.proves("debug-ends")
def test_nothing_is_left_of_a_program_when_the_runtime_closes(project):
    mark = "hermes-debug-mark-7261"
    project.put("a.py", "import time\n\ntime.sleep(600)\n")

    async def main():
        async with Runtime(cwd=project.folder) as rt:
            arguments = {"action": "start", "path": "a.py", "args": [mark], "timeout": 0.5}
            assert json.loads(await rt.call("code_debug", arguments))["state"] == "running"
            assert alive(mark)
        async with asyncio.timeout(10):
            while alive(mark):
                await asyncio.sleep(0.05)

    asyncio.run(main())


def alive(mark):
    from pathlib import Path

    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(path)
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "start"},
        {"action": "start", "path": "a.py", "breakpoints": [{"condition": "x"}]},
        {"action": "start", "path": "a.py", "breakpoints": [{"line": 1}, {"line": 1}]},
        {"action": "start", "path": "a.py", "breakpoints": [{"line": 1, "log": "{x}"}]},
    ],
)
def test_what_cannot_be_done_is_refused(project, arguments):
    assert project.put("a.py", "x = 1\n").call("code_debug", **arguments)["code"] == (
        "invalid_arguments"
    )
