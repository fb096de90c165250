"""The command as a process of its own: pipes, terminals, signals, and what it loads."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest

HERMES = [sys.executable, "-m", "hermes"]
YAML_TOOL = """\
type: command
name: say_hello
description: Say hello to someone.
argv: [echo, "hello {name}"]
parameters:
  - {name: name, type: string, required: true, description: Whom to greet.}
"""

MCP = {"mcp", "mcp_types", "pydantic", "anyio", "starlette", "uvicorn"}

LINGERING = """\
type: command
name: linger
description: Wait until someone interrupts.
argv: [sh, -c, "exec 3> fifo; echo begun >&3; exec sleep 60"]
"""


def run(environ, *words, **given):
    done = subprocess.run(
        [*HERMES, *words], env=environ, capture_output=True, text=True, timeout=30, **given
    )
    return done.returncode, done.stdout, done.stderr


def loaded_by(environ, *words):
    code = (
        "import sys; from hermes.cli import main; main(sys.argv[1:]);"
        "print('\\n', *sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        env=environ,
        capture_output=True,
        text=True,
        timeout=30,
    )
    return set(done.stderr.split())


def test_a_terminal_gets_a_table_with_colour_and_a_pipe_gets_neither(environ, on_terminal):
    code, seen = on_terminal("tool", "list")
    assert code == 0
    assert "\x1b[" in seen
    assert "✓" in seen
    assert re.search(r"system.*\n.*clipboard", seen)
    plain = run(environ, "tool", "list")[1]
    assert "\x1b" not in plain
    assert "✓" not in plain


def test_no_color_is_honoured_on_a_terminal(on_terminal):
    _, seen = on_terminal("tool", "list", NO_COLOR="1")
    assert "✓" in seen
    assert "\x1b[3" not in seen


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ((), "hands for language models"),
        (("tool", "show", "sleep"), "How long"),
        (("toolset", "list"), "system"),
        (("config", "list"), "tools.max_workers"),
        (("tool", "call", "sleep", "seconds=0.01"), '"'),
        (("doctor",), "python"),
    ],
)
def test_every_screen_works_on_a_terminal(on_terminal, words, shown):
    _, seen = on_terminal(*words)
    assert shown in seen
    assert "hermes: " not in seen


def test_a_reader_that_leaves_early_is_no_error(environ):
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [*HERMES, "tool", "list"], env=environ, stdout=writer, stderr=subprocess.PIPE, timeout=30
    )
    os.close(writer)
    assert (process.returncode, process.stderr) == (141, b"")


def test_an_interrupt_ends_a_call_and_its_child(environ, tmp_path):
    workspace, folder = tmp_path / "workspace", tmp_path / "home" / "tools"
    workspace.mkdir()
    os.mkfifo(workspace / "fifo")
    folder.mkdir(parents=True)
    (folder / "linger.yaml").write_text(LINGERING)
    process = subprocess.Popen(
        [*HERMES, "tool", "call", "linger"],
        env=environ,
        cwd=workspace,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests that were started in the background ignore interrupts, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with (workspace / "fifo").open() as held:  # waits until the tool's command has started
        assert held.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 130
        assert "Traceback" not in err
        assert held.readline() == ""  # the child that held the other end is gone


def test_the_version_is_told_without_loading_anything(environ):
    code, out, err = run(environ, "--version")
    assert (code, err) == (0, "")
    assert re.fullmatch(r"hermes \d+\.\d+\.\d+\n", out)
    assert run(environ, "-V")[1] == out
    heavy = {"argparse", "typing", "re", "json", "hermes.app", "hermes.base.errors"}
    assert not heavy & (loaded_by(environ, "--version") - loaded_by_python(environ))


def loaded_by_python(environ):
    done = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=30,
    )
    return set(done.stdout.split())


def test_a_listing_loads_neither_yaml_nor_rich_nor_an_event_loop(environ):
    run(environ, "tool", "list")
    loaded = loaded_by(environ, "tool", "list", "--json")
    heavy = {"asyncio", "yaml", "rich", "msgspec", "jsonschema_rs", "httpx2", "sqlite3", "psutil"}
    assert not (heavy | MCP) & loaded


def test_servers_that_are_configured_load_nothing_of_the_mcp_library(environ, tmp_path):
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("mcp_servers: {far: {command: no-such-program}}\n")
    for words in (["tool", "list", "--json"], ["toolset", "list"], ["mcp", "list"]):
        loaded = loaded_by(environ, *words)
        assert "hermes.cli" in loaded
        assert not MCP & loaded, words


def test_a_listing_starts_nothing_and_opens_no_database(environ, tmp_path):
    run(environ, "tool", "list")
    assert not (tmp_path / "home" / "state.db").exists()


def test_output_that_the_encoding_lacks_is_escaped(environ):
    ascii_only = {**environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    code, out, err = run(ascii_only, "tool", "list", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)
    assert run(ascii_only)[0] == 0


def test_a_tool_file_is_registered_and_then_called(environ, tmp_path):
    file = tmp_path / "hello.yaml"
    file.write_text(YAML_TOOL)
    code, out, err = run(environ, "tool", "register", "--config", str(file), "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"registered": ["say_hello"]}
    code, out, _ = run(environ, "tool", "call", "say_hello", "name=Ada")
    assert code == 0
    assert "hello Ada" in out
    file.write_text(YAML_TOOL.replace("hello {name}", "bye {name}"))
    assert run(environ, "tool", "register", "--config", str(file), "--replace")[0] == 0
    assert "bye Ada" in run(environ, "tool", "call", "say_hello", "name=Ada")[1]


def test_a_broken_tool_file_is_refused_with_its_line(environ, tmp_path):
    file = tmp_path / "hello.yaml"
    file.write_text(YAML_TOOL.replace("type: command", "type: comand"))
    code, out, err = run(environ, "tool", "register", "--config", str(file))
    assert (code, out) == (2, "")
    assert "hello.yaml:1" in err
    assert run(environ, "tool", "register", "--config", str(tmp_path / "none.yaml"))[0] == 2


def test_doctor_finds_broken_tool_files(environ, tmp_path):
    assert run(environ, "tool", "doctor")[0] == 0
    folder = tmp_path / "home" / "tools"
    folder.mkdir(parents=True)
    (folder / "bad.yaml").write_text("type: nothing\n")
    code, out, _ = run(environ, "tool", "doctor", "--json")
    report = json.loads(out)
    assert (code, report["ok"]) == (1, False)
    broken = [finding for finding in report["findings"] if finding["level"] == "broken"]
    assert "bad.yaml" in broken[0]["subject"] + broken[0]["message"]
