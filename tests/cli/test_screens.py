"""What a person sees, at any width, in any encoding, and when something is broken."""

import json
import re
import subprocess
import sys

import pytest

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PLAIN_ASCII = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
WEATHER = """\
type: http_wrapper
name: get_weather
description: Tell the weather of a city.
endpoint: https://weather.example/{city}
auth: {type: bearer, token_env: WEATHER_KEY}
parameters:
  - {name: city, type: string, required: true, description: The city.}
"""
SCREENS = [
    (),
    ("--help",),
    ("tool",),
    ("tool", "call", "-h"),
    ("tool", "list"),
    ("tool", "show", "env_manager"),
    ("tool", "search", "tools"),
    ("tool", "show", "no_such_tool_at_all"),
    ("tool", "doctor"),
    ("toolset", "list"),
    ("config", "list"),
    ("journal", "list"),
]


@pytest.fixture
def tools(tmp_path):
    """The folder of a person's own tool files."""
    folder = tmp_path / "home" / "tools"
    folder.mkdir(parents=True)
    return folder


def words_of(text):
    return set(ESCAPES.sub("", text).split())


@pytest.mark.parametrize("words", SCREENS, ids=" ".join)
@pytest.mark.parametrize("terminal", ["xterm", "dumb"])
def test_every_screen_fits_a_narrow_terminal_without_breaking_words(on_terminal, words, terminal):
    _, wide = on_terminal(*words, columns=200, TERM=terminal)
    for columns in (60, 45):
        _, narrow = on_terminal(*words, columns=columns, TERM=terminal)
        lines = ESCAPES.sub("", narrow).splitlines()
        whole = {word for word in words_of(narrow) if len(word) < columns - 8}
        assert whole - words_of(wide) == set()
        assert [line for line in lines if len(line) > columns and " " in line.strip()] == []


def test_a_wide_terminal_is_used_whatever_its_kind(on_terminal):
    _, seen = on_terminal("tool", "list", columns=150, TERM="dumb")
    assert max(map(len, seen.splitlines())) > 80
    assert "\x1b" not in seen


def test_tools_stand_indented_under_their_toolset(on_terminal, tools):
    (tools / "weather.yaml").write_text(WEATHER)
    _, seen = on_terminal("tool", "list", NO_COLOR="1")
    lines = ESCAPES.sub("", seen).splitlines()
    headings = [line for line in lines if not line.startswith(" ")]
    assert headings == sorted(headings)
    assert {"custom", "file", "system", "terminal", "tool_search"} <= set(headings)
    mine = lines[lines.index("custom") + 1]
    assert mine.split(maxsplit=2)[:2] == ["get_weather", "✗"]
    assert "WEATHER_KEY is not set" in mine


def test_the_first_screen_tells_of_broken_tool_files(on_terminal, tools):
    assert "cannot be used" not in on_terminal()[1]
    (tools / "bad.yaml").write_text("type: nothing\n")
    _, seen = on_terminal()
    assert "1 tool file cannot be used: hermes tool doctor" in ESCAPES.sub("", seen)


def test_the_doctor_names_the_line_of_a_broken_file_and_not_the_file_twice(on_terminal, tools):
    (tools / "bad.yaml").write_text("type: nothing\n")
    code, seen = on_terminal("tool", "doctor", columns=250)
    assert code == 1
    assert seen.count("bad.yaml") == 1
    assert "line 1: type: 'nothing' is not known" in seen


@pytest.mark.parametrize("columns", [50, 100])
def test_where_the_encoding_is_poor_ascii_stands_for_other_signs(on_terminal, columns):
    for words in ((), ("tool", "call", "--help"), ("tool", "list")):
        code, seen = on_terminal(*words, columns=columns, **PLAIN_ASCII)
        assert code == 0
        assert seen.isascii()
        assert "\\u" not in seen


def test_an_answer_is_json_whatever_the_encoding(environ):
    words = ["tool", "call", "env_manager", "action=get", r'name:="\u00e9\ud83d\ude00 \u2026"']
    done = subprocess.run(
        [sys.executable, "-m", "hermes", *words],
        env=environ | PLAIN_ASCII,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 1
    assert "é😀 …" in json.loads(done.stdout)["error"]


@pytest.mark.parametrize(
    ("columns", "headings"),
    [
        (40, "when tool status took"),
        (52, "when tool status took call"),
        (62, "when tool status took call task"),
        (100, "when tool status took call task door"),
    ],
)
def test_the_journal_shows_the_columns_there_is_room_for(on_terminal, columns, headings):
    on_terminal("tool", "call", "sleep", "seconds=0.001")
    _, seen = on_terminal("journal", "list", columns=columns, NO_COLOR="1")
    head, row = ESCAPES.sub("", seen).splitlines()
    assert head.split() == headings.split()
    assert re.match(r"\d\d:\d\d:\d\d  sleep  ok, repaired  +\d[\d.]* m?s", row)


def test_the_newest_call_is_shown_for_people(on_terminal):
    code, seen = on_terminal("journal", "show")
    assert (code, "no call is recorded yet" in seen) == (1, True)
    assert "No calls are recorded" in on_terminal("journal", "list")[1]
    on_terminal("tool", "call", "sleep", "seconds:=0.001")
    on_terminal("tool", "call", "sleep", "seconds=0.001")
    _, seen = on_terminal("journal", "show", NO_COLOR="1")
    facts = ESCAPES.sub("", seen)
    assert re.search(r"^took +\d[\d.]* ms$", facts, re.M)
    assert re.search(r'^repaired +seconds: "0.001" → 0.001$', facts, re.M)


def test_toolsets_without_tools_come_last_and_dimmed(on_terminal):
    _, seen = on_terminal("toolset", "list", columns=200)
    rows = [line for line in seen.splitlines()[1:] if line]
    dimmed = ["\x1b[2m" in row for row in rows]
    assert dimmed == sorted(dimmed)
    assert [re.search(r" +0 ", ESCAPES.sub("", row)) is not None for row in rows] == dimmed


FAILING = """
import sys
from hermes.cli import main
from hermes.tools import tool

@tool
def divide(number: int) -> float:
    "Divide by nothing."
    return number / 0

sys.exit(main(["tool", "call", "divide", "number=1"]))
"""


@pytest.mark.parametrize("debug", ["", "1"])
def test_the_trace_of_a_failing_tool_is_for_those_who_ask(environ, debug):
    done = subprocess.run(
        [sys.executable, "-c", FAILING],
        env=environ | {"HERMES_DEBUG": debug},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["code"] == "tool_failed"
    if debug:
        assert done.stderr.rstrip().endswith("ZeroDivisionError: division by zero")
    else:
        assert done.stderr == ""
