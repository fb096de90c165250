import io
import json
import sys

import pytest

from hermes.cli import main
from hermes.cli.call import exit_code
from hermes.schema.formats import FORMATS


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.delenv("HERMES_DEBUG", raising=False)
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(capsys, *words):
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def test_list_as_json_says_what_there_is_and_what_it_needs(capsys):
    code, out, err = run(capsys, "tool", "list", "--json")
    tools = {tool["name"]: tool for tool in json.loads(out)}
    assert (code, err) == (0, "")
    keys = {"name", "toolset", "available", "reason", "aliases", "permissions"}
    assert all(keys <= set(tool) for tool in tools.values())
    assert tools["sleep"]["toolset"] == "system"
    assert tools["sleep"]["available"] is True
    assert tools["sleep"]["reason"] is None
    assert tools["env_manager"]["permissions"] == ["env:read", "env:write"]
    assert tools["env_manager"]["effects"] == ["read", "write"]


def test_list_in_a_pipe_is_tab_separated_and_plain(capsys):
    code, out, _ = run(capsys, "tool", "list")
    rows = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert all(len(row) == 5 for row in rows)
    assert "\x1b" not in out
    assert ["sleep", "system", "available", ""] in [row[:4] for row in rows]
    assert rows == sorted(rows, key=lambda row: (row[1], row[0]))


def test_list_can_be_narrowed(capsys):
    tools = json.loads(
        run(capsys, "tool", "list", "--toolset", "system", "--available", "--json")[1]
    )
    assert {tool["toolset"] for tool in tools} == {"system"}
    assert all(tool["available"] for tool in tools)


def test_an_unknown_toolset_is_told_with_the_nearest(capsys):
    code, out, err = run(capsys, "tool", "list", "--toolset", "sistem")
    assert (code, out) == (1, "")
    assert "'system'" in err


def test_show_tells_everything_of_a_tool(capsys):
    code, out, _ = run(capsys, "tool", "show", "sleep", "--json")
    tool = json.loads(out)
    assert code == 0
    assert tool["parameters"]["properties"]["seconds"]["type"] == "number"
    lines = run(capsys, "tool", "show", "sleep")[1].splitlines()
    assert "name\tsleep" in lines
    assert any(line.startswith("seconds\tnumber\tyes\t") for line in lines)


@pytest.mark.parametrize("format", FORMATS)
def test_show_gives_the_definition_of_each_provider(capsys, format):
    code, out, _ = run(capsys, "tool", "show", "sleep", "--format", format)
    definition = json.loads(out)
    assert code == 0
    assert "sleep" in (definition.get("name"), definition.get("function", {}).get("name"))


def test_show_suggests_the_nearest_name_and_format(capsys):
    assert "'sleep'" in run(capsys, "tool", "show", "slep")[2]
    code, _, err = run(capsys, "tool", "show", "sleep", "--format", "opnai")
    assert code == 2
    assert "openai" in err


def test_search_finds_by_what_a_tool_does(capsys):
    code, out, _ = run(
        capsys, "tool", "search", "wait", "some", "seconds", "--limit", "1", "--json"
    )
    assert code == 0
    assert [hit["name"] for hit in json.loads(out)] == ["sleep"]
    assert run(capsys, "tool", "search", "wait seconds")[1].startswith("sleep\tsystem\t")


def test_a_search_that_finds_nothing_says_so_by_its_exit_code(capsys):
    assert run(capsys, "tool", "search", "xyzzyqqq", "--json")[:2] == (1, "[]\n")


@pytest.mark.proves("cli-exit-codes")
def test_call_prints_the_answer_and_nothing_else(capsys):
    code, out, err = run(capsys, "tool", "call", "sleep", "seconds=0.01")
    assert (code, err) == (0, "")
    assert json.loads(out)
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ("sections=os", "sections=memory"),
        ('sections:=["os", "memory"]',),
        ("--json", '{"sections": ["os", "memory"]}'),
    ],
)
def test_arguments_can_be_given_in_several_ways(capsys, words):
    code, out, _ = run(capsys, "tool", "call", "system_info", *words)
    assert code == 0
    assert {"os", "memory"} <= set(json.loads(out))


def test_arguments_can_come_from_standard_input(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"seconds": 0.01}'))
    assert run(capsys, "tool", "call", "sleep", "--stdin")[0] == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("no_such_tool",), "unknown_tool"),
        (("sleep",), "invalid_arguments"),
        (("sleep", "seconds=soon"), "invalid_arguments"),
        (("sleep", "--json", "[1"), "invalid_arguments"),
    ],
)
@pytest.mark.proves("cli-exit-codes")
def test_an_error_of_the_tool_is_its_json_and_exit_code_one(capsys, words, code):
    exit_code, out, err = run(capsys, "tool", "call", *words)
    assert (exit_code, err) == (1, "")
    answer = json.loads(out)
    assert answer["code"] == code
    assert answer["error"]


def test_a_call_that_takes_longer_than_its_timeout_is_stopped(capsys):
    code, out, _ = run(capsys, "tool", "call", "sleep", "seconds=30", "--timeout", "0.05")
    assert code == 1
    assert json.loads(out)["code"] == "timeout"


@pytest.mark.proves("cli-exit-codes")
def test_a_profile_that_does_not_allow_a_call_denies_it(capsys, home):
    home.mkdir()
    (home / "hermes_permissions.yaml").write_text("profiles:\n  tight:\n    allow: [file:read]\n")
    code, out, _ = run(capsys, "tool", "call", "system_info", "--profile", "tight")
    assert code == 3
    assert json.loads(out)["code"] == "denied"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "required: NAME"),
        (("sleep", "soon"), "expected key=value"),
        (("sleep", "seconds=1", "--json", "{}"), "more than one way"),
        (("sleep", "seconds=1", "--timeout", "0"), "above 0"),
        (("sleep", "seconds=1", "--timeout", "x"), "--timeout"),
        (("sleep", "--sdin"), "--sdin"),
    ],
)
@pytest.mark.proves("cli-exit-codes")
def test_wrong_usage_ends_with_two(capsys, words, said):
    code, out, err = run(capsys, "tool", "call", *words)
    text = out + err
    assert code == 2
    assert said in text


@pytest.mark.proves("cli-exit-codes")
def test_the_exit_code_follows_the_answer():
    assert exit_code('{"result": 1}') == 0
    assert exit_code('{"output": "", "error": "said the program"}') == 0
    assert exit_code('{"error": null}') == 0
    assert exit_code('{"error": "no", "code": "tool_error"}') == 1
    assert exit_code('{"error": "no", "code": "denied"}') == 3


def test_a_search_that_finds_nothing_says_so(capsys):
    code, out, err = run(capsys, "tool", "search", "xyzzyqqq", "plugh")
    assert (code, out) == (1, "")
    assert err == (
        "hermes: nothing found for 'xyzzyqqq plugh'\nhint: 'hermes tool list' shows every tool.\n"
    )


def test_a_search_leaves_out_what_falls_far_behind(capsys):
    out = run(capsys, "tool", "search", "clipboard", "text", "--json")[1]
    assert [hit["name"] for hit in json.loads(out)] == ["clipboard"]
    out = run(capsys, "tool", "search", "find", "a", "tool", "--json")[1]
    scores = [hit["score"] for hit in json.loads(out)]
    assert len(scores) > 1
    assert min(scores) >= 0.15 * max(scores)


@pytest.mark.parametrize("limit", ["0", "-1", "many", "1.5"])
def test_a_limit_is_a_number_from_one_on(capsys, limit):
    for words in (("tool", "search", "wait"), ("journal", "list"), ("journal", "tail")):
        code, out, err = run(capsys, *words, f"--limit={limit}")
        assert (code, out) == (2, "")
        assert err == f"hermes: --limit takes a whole number from 1 on, not {limit!r}\n"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("zzz", "'hermes tool list' shows every tool."),
        ("slep", "Did you mean 'sleep'? 'hermes tool list' shows every tool."),
    ],
)
def test_a_person_is_led_to_the_list_of_tools(capsys, name, hint):
    code, out, err = run(capsys, "tool", "show", name)
    assert (code, out) == (1, "")
    assert err == f"hermes: there is no tool named {name!r}\nhint: {hint}\n"


@pytest.mark.parametrize("command", ["list", "show", "search"])
def test_only_calls_are_judged_by_a_profile(capsys, command):
    code, _, err = run(capsys, "tool", command, "sleep", "--profile", "tight")
    assert (code, "--profile" in err) == (2, True)
