import json

import pytest

from hermes.cli import commands, main
from hermes.cli.command import Command, Group
from hermes.cli.commands import COMMANDS, entry
from hermes.llm import finding


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.delenv("HERMES_DEBUG", raising=False)
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(capsys, *words):
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def every_command():
    for name in COMMANDS:
        found = entry(name)
        if isinstance(found, Group):
            yield from ((name, command) for command in found.commands)
        else:
            yield (), found


def path_of(group, command):
    return (*([group] if group else []), command.name)


def test_no_words_at_all_get_a_helpful_screen(capsys, home):
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert "ready" in out
    assert str(home) in out
    assert out.count("  hermes tool ") == 3


@pytest.mark.parametrize("words", [("-h",), ("--help",), ("help",)])
def test_help_lists_every_command_with_examples(capsys, words):
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert all(f"  {name} " in out for name in COMMANDS)
    assert "Examples:" in out


@pytest.mark.parametrize(("group", "command"), list(every_command()))
def test_every_command_has_help_with_examples(capsys, group, command):
    words = path_of(group, command)
    for flag in ("-h", "--help"):
        code, out, err = run(capsys, *words, flag)
        assert (code, err) == (0, "")
        assert f"Usage: hermes {' '.join(words)}" in out
        assert command.summary in out
        assert "Examples:" in out
    assert command.examples
    assert all(f"hermes {' '.join(words)}" in example for example in command.examples)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_group_explains_itself(capsys, name):
    found = entry(name)
    assert found.name == name
    if isinstance(found, Group):
        code, out, _ = run(capsys, name)
        assert code == 0
        assert all(command.name in out for command in found.commands)
        assert run(capsys, name, "--help")[1] == out


@pytest.mark.proves("cli-json")
def test_every_listing_has_json():
    for group, command in every_command():
        if command.name in {"list", "show", "search", "doctor", "get", "path", "verify", "tail"}:
            flags = [flag for each in command.arguments for flag in each.flags]
            assert "--json" in flags, (group, command.name)


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        (("tol",), "unknown command 'tol'", "'tool'"),
        (("xyzzy",), "unknown command 'xyzzy'", "hermes --help"),
        (("--jsn",), "unknown option '--jsn'", "after the command"),
        (("tool", "lst"), "unknown command 'tool lst'", "'list'"),
        (("tool", "list", "--tolset", "x"), "--tolset", "'--toolset'"),
        (("tool", "list", "extra"), "extra", "hermes tool list --help"),
        (("completion", "tcsh"), "tcsh", "hermes completion --help"),
        (("tool", "search"), "WORDS", "hermes tool search --help"),
        (("tool", "register"), "--config", "hermes tool register --help"),
    ],
)
def test_wrong_words_end_with_two_and_a_hint(capsys, words, said, hint):
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert said in err.splitlines()[0]
    assert hint in err.splitlines()[-1]
    assert err.startswith("hermes: ")


def test_a_bug_is_one_sentence_unless_traces_are_wanted(capsys, monkeypatch):
    def broken(options):
        raise ZeroDivisionError("by zero")

    command = Command("doctor", "Break.", broken)
    monkeypatch.setattr(commands, "entry", lambda name: command)
    code, out, err = run(capsys, "doctor")
    assert (code, out) == (1, "")
    assert err.splitlines()[0] == "hermes: unexpected ZeroDivisionError: by zero"
    monkeypatch.setenv("HERMES_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["doctor"])


def test_a_home_that_cannot_be_written_is_told_in_one_line(capsys, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "file"))
    code, out, err = run(capsys, "config", "set", "urls.allow_private", "yes")
    assert (code, out) == (1, "")
    assert err == f"hermes: {tmp_path}/file: File exists\n"


def test_an_interrupt_ends_with_130(capsys, monkeypatch):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "entry", lambda name: Command("doctor", "Stop.", interrupted))
    assert run(capsys, "doctor") == (130, "", "")


def test_toolsets_are_listed_and_shown(capsys):
    rows = {row["name"]: row for row in json.loads(run(capsys, "toolset", "list", "--json")[1])}
    assert rows["system"]["tools"] == 5
    assert "system\t5\t" in run(capsys, "toolset", "list")[1]
    code, out, _ = run(capsys, "toolset", "show", "system", "--json")
    assert code == 0
    assert "sleep" in json.loads(out)["tools"]
    assert "name\tsystem\nabout\tThe machine" in run(capsys, "toolset", "show", "system")[1]
    assert "'system'" in run(capsys, "toolset", "show", "sistem")[2]


def test_a_toolset_of_the_config_is_known(capsys, home):
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("toolsets:\n  mine: {description: My own., tools: [sleep]}\n")
    told = json.loads(run(capsys, "toolset", "show", "mine", "--json")[1])
    assert told == {"name": "mine", "description": "My own.", "includes": [], "tools": ["sleep"]}


def test_doctor_looks_at_everything(capsys, home):
    home.mkdir(mode=0o700)
    code, out, _ = run(capsys, "doctor", "--json")
    report = json.loads(out)
    assert (code, report["ok"]) == (0, True)
    assert {"python", "home", "config", "tools"} <= {
        found["subject"] for found in report["findings"]
    }


@pytest.mark.parametrize(
    ("variables", "level", "told"),
    [
        ({}, "note", "no model was found"),
        ({"OPENAI_API_KEY": "sk-test"}, "ok", "chosen by OPENAI_API_KEY"),
        ({"HERMES_MODEL_NAME": "hermes:builtin"}, "ok", "hermes:builtin, chosen by model.name"),
        ({"HERMES_MODEL_NAME": "openai:gpt-5"}, "broken", "OPENAI_API_KEY is not set"),
    ],
)
def test_doctor_tells_which_model_would_be_asked(capsys, home, monkeypatch, variables, level, told):
    monkeypatch.setattr(finding, "find_servers", lambda *_, **__: {})
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    _, out, _ = run(capsys, "doctor", "--json")
    (found,) = [one for one in json.loads(out)["findings"] if one["subject"] == "model"]
    assert found["level"] == level
    assert told in found["message"]
    assert "sk-test" not in out


def test_doctor_tells_of_an_open_home_and_a_broken_config(capsys, home):
    home.mkdir()
    home.chmod(0o755)
    code, out, _ = run(capsys, "doctor")
    assert code == 1
    assert f"chmod 700 {home}" in out
    (home / "config.yaml").write_text("tols: 1\n")
    code, out, _ = run(capsys, "doctor", "--json")
    broken = [
        found["subject"] for found in json.loads(out)["findings"] if found["level"] == "broken"
    ]
    assert (code, broken) == (1, ["home", "config"])


def test_toolsets_without_tools_come_last_and_own_tools_have_words(capsys, home):
    (home / "tools").mkdir(parents=True)
    text = "type: command\nname: say\ndescription: Say it.\nargv: [echo, it]\n"
    (home / "tools" / "say.yaml").write_text(text)
    rows = json.loads(run(capsys, "toolset", "list", "--json")[1])
    empty = [row["tools"] == 0 for row in rows]
    assert empty == sorted(empty)
    assert {"name": "custom", "description": "Your own tools.", "tools": 1} in rows
    assert "about\tYour own tools." in run(capsys, "toolset", "show", "custom")[1]


@pytest.mark.parametrize(("group", "command"), list(every_command()))
def test_help_is_written_in_sentences(capsys, group, command):
    out = run(capsys, *path_of(group, command), "--help")[1]
    assert "  -h, --help" in out
    assert "Show this help." in out
    for each in command.arguments:
        assert each.help[0].isupper()
        assert each.help.endswith(".")
