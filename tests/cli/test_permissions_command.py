"""``hermes permissions``: show, check and explain, as people and programs use them."""

import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.cli import main
from hermes.cli.explained import visible


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.delenv("HERMES_DEBUG", raising=False)
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    (tmp_path / "ws").mkdir()
    monkeypatch.chdir(tmp_path / "ws")
    return tmp_path / "home"


def run(capsys, *words):
    code = main(("permissions", *words))
    out, err = capsys.readouterr()
    return code, out, err


def lines(capsys, monkeypatch, given, *words):
    data = given if isinstance(given, bytes) else "".join(f"{line}\n" for line in given).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
    code, out, err = run(capsys, "check", "--stdin", *words)
    assert (code, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


def asked(command, **more):
    return json.dumps({"tool": "terminal", "args": {"command": command}, **more})


@pytest.mark.parametrize(
    ("words", "verdict", "code"),
    [
        (("command=git status",), "allow", 0),
        (("command=git push --force",), "ask", 1),
        (("command=rm -rf /",), "deny", 3),
        (("command=git push --force", "--profile", "trusted"), "allow", 0),
        (("command=git push --force", "--profile", "headless"), "deny", 3),
        (("command=echo x > a", "--profile", "readonly"), "deny", 3),
    ],
)
def test_a_call_is_checked_and_the_exit_code_says_so(capsys, words, verdict, code):
    found, out, err = run(capsys, "check", "terminal", *words, "--json")
    answer = json.loads(out)
    assert (found, answer["verdict"], err) == (code, verdict, "")
    assert set(answer) == {"verdict", "reason", "rule", "findings", "profile"}
    assert answer["reason"] and answer["rule"]


def test_a_finding_has_its_place(capsys):
    command = "ls; git push --force"
    _, out, _ = run(capsys, "check", "terminal", f"command={command}", "--json")
    finding = json.loads(out)["findings"][0]
    assert set(finding) == {"category", "what", "span", "severity"}
    start, end = finding["span"]
    assert command[start:end] == "git push --force"


def test_the_folder_of_a_call_can_be_named(capsys, tmp_path):
    words = ("check", "write_file", "path=/srv/x/y", "--json")
    assert run(capsys, *words)[0] == 1
    assert run(capsys, *words, "--cwd", "/srv/x")[0] == 0


def test_without_json_facts_are_printed(capsys):
    code, out, _ = run(capsys, "check", "terminal", "command=git push --force")
    facts = dict(line.split("\t") for line in out.splitlines())
    assert (code, facts["verdict"], facts["profile"]) == (1, "ask", "developer")
    assert "history-rewrite" in out


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("explain",),
        ("check", "terminal", "command"),
        ("check", "terminal", "--stdin"),
        ("check", "terminal", "command=ls", "--profile", "nope"),
        ("show", "nope"),
    ],
)
def test_what_is_no_question_is_told(capsys, words):
    code, _, err = run(capsys, *words)
    assert code == 2
    assert "hermes: " in err


@pytest.mark.proves("policy-any-line")
def test_every_line_is_answered_in_order(capsys, monkeypatch):
    given = [
        asked("git status", id=1),
        asked("rm -rf /", id=2, profile="trusted"),
        "garbage",
        "",
        "[]",
        '{"tool": 5}',
        '{"args": {}}',
        asked("ls", profile="nope", id="x"),
        asked("ls", cwd=5),
        '{"tool": "terminal", "args": []}',
        '{"tool": "terminal", "args": "{\\"command\\": \\"git push --force\\"}"}',
        '{"tool": "terminal"}',
        "[" * 100_000,
        json.dumps({"tool": "x\0y", "args": {"path": "a\0b", "url": "\ud800"}}),
        asked("ls", id={"deep": [1]}),
    ]
    answers = lines(capsys, monkeypatch, given)
    words = [answer["verdict"] for answer in answers]
    assert words == [
        "allow", "deny", *["deny"] * 8, "ask", "allow", "deny", "deny", "allow",
    ]  # fmt: skip
    assert ["error" in answer for answer in answers] == [
        *[False] * 2, *[True] * 8, False, False, True, False, False,
    ]  # fmt: skip
    assert [answer.get("id") for answer in answers] == [
        1, 2, *[None] * 5, "x", *[None] * 6, {"deep": [1]},
    ]  # fmt: skip


def test_bytes_that_are_no_text_are_answered_too(capsys, monkeypatch):
    answers = lines(capsys, monkeypatch, b'\xff\xfe\n{"tool": "sleep"}\n\x00\n{"tool": "sleep"}')
    assert [answer["verdict"] for answer in answers] == ["deny", "allow", "deny", "allow"]


def test_thousands_of_lines_are_answered_by_one_process(capsys, monkeypatch):
    given = [asked(f"echo {number} && git push --force", id=number) for number in range(3_000)]
    answers = lines(capsys, monkeypatch, given, "--profile", "developer")
    assert [answer["id"] for answer in answers] == list(range(3_000))
    assert {answer["verdict"] for answer in answers} == {"ask"}


@pytest.mark.proves("policy-closed")
def test_under_a_broken_file_every_check_is_denied_with_the_line(capsys, monkeypatch, home):
    home.mkdir(parents=True, exist_ok=True)
    (home / "hermes_permissions.yaml").write_text("profiles:\n  a: {alow: []}\n")
    code, out, _ = run(capsys, "check", "sleep", "seconds=1", "--json")
    assert (code, json.loads(out)["verdict"]) == (3, "deny")
    assert "hermes_permissions.yaml:2: profile 'a': unknown key 'alow'" in out
    assert lines(capsys, monkeypatch, [asked("ls")])[0]["verdict"] == "deny"
    code, _, err = run(capsys, "show")
    assert code == 2 and "hermes_permissions.yaml:2" in err


def test_the_profiles_are_shown_with_the_one_in_force(capsys, home):
    code, out, _ = run(capsys, "show", "--json")
    found = {each["name"]: each for each in json.loads(out)}
    assert code == 0
    assert [name for name, each in found.items() if each["in_force"]] == ["developer"]
    assert {each["from"] for each in found.values()} == {"shipped"}
    home.mkdir(parents=True, exist_ok=True)
    file = home / "hermes_permissions.yaml"
    file.write_text("default_profile: mine\nprofiles:\n  mine: {extends: developer}\n")
    found = {each["name"]: each for each in json.loads(run(capsys, "show", "--json")[1])}
    assert [name for name, each in found.items() if each["in_force"]] == ["mine"]
    assert found["mine"]["from"] == str(file)
    assert "mine\tin force\t" in run(capsys, "show")[1]


def test_the_rules_of_a_profile_are_shown(capsys, home):
    home.mkdir(parents=True, exist_ok=True)
    (home / "hermes_permissions.yaml").write_text(
        "profiles:\n  mine:\n    extends: developer\n    deny: [env:write]\n"
        "    tools: {http_get: {allowed_hosts: [example.com], max: {limit: 5}}}\n"
    )
    code, out, _ = run(capsys, "show", "mine", "--json")
    found = json.loads(out)
    assert (code, found["extends"], found["deny"]) == (0, ["developer"], ["env:write"])
    limits = {"allowed_hosts": ["example.com"], "max": {"limit": 5}}
    assert found["tools"] == {"http_get": {"allow": ["*"], "restrictions": {"*": limits}}}
    assert found["sandbox"]["fs"] == "workspace-write"
    code, out, _ = run(capsys, "show", "full_developer")
    assert code == 0 and "restrictions file:write\t" in out


def test_an_explanation_marks_the_dangerous_part(capsys):
    code, out, _ = run(capsys, "explain", "terminal", "command=ls; git push --force; ls")
    assert code == 1
    text = out.splitlines()
    assert text[0] == "asked about first under the profile developer"
    at = text.index("  ls; git push --force; ls")
    assert text[at + 1] == "      ^^^^^^^^^^^^^^^^"
    assert any(line.startswith("  history-rewrite: ") for line in text)
    assert "  global   developer            ask    approval_required: danger:*" in text


def test_an_explanation_names_every_level(capsys, home):
    home.mkdir(parents=True, exist_ok=True)
    (home / "hermes_permissions.yaml").write_text(
        "profiles:\n  mine: {extends: developer, tools: {terminal: ask}}\n"
    )
    words = ("explain", "terminal", "command=ls", "--profile", "mine", "--json")
    code, out, _ = run(capsys, *words)
    levels = [
        (each["level"], each["profile"], each["verdict"]) for each in json.loads(out)["levels"]
    ]
    assert code == 1
    assert levels == [
        ("global", "developer", "allow"),
        ("global", "mine", "allow"),
        ("tool", "mine", "ask"),
    ]


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("terminal", "command=rm -rf /"), "No profile and no answer allows this"),
        (("get", "url=http://localhost/"), "urls.allow_private"),
        (("terminal", "command=ls", "--profile", "readonly_research"), "change that rule"),
    ],
)
def test_an_explanation_says_how_to_allow_it(capsys, words, advice):
    code, out, _ = run(capsys, "explain", *words)
    assert code == 3
    assert advice in out


def test_a_long_command_is_shown_around_its_danger(capsys):
    command = f"echo {'x' * 500}; git push --force"
    _, out, _ = run(capsys, "explain", "terminal", f"command={command}")
    shown = out.splitlines()
    at = next(index for index, line in enumerate(shown) if line.strip().startswith("^"))
    assert len(shown[at - 1]) < 150
    assert "git push --force" in shown[at - 1]


def test_what_hides_in_a_command_is_shown_as_an_escape(capsys):
    command = "git push --force \u202eniam\x1b[2K\r"
    for name in ("check", "explain"):
        _, out, _ = run(capsys, name, "terminal", f"command={command}")
        assert not {"\u202e", "\x1b", "\r"} & set(out)


@given(st.text())
def test_what_is_visible_has_nothing_hidden(text):
    shown = visible(text)
    assert shown.isprintable() or any(char.isspace() for char in shown)
    assert "\n" not in shown and "\x1b" not in shown


def test_a_terminal_shows_the_dangerous_part_in_colour(on_terminal):
    code, seen = on_terminal("permissions", "explain", "terminal", "command=ls; git push --force")
    assert code == 1
    assert "\x1b[1;4;31mgit push --force\x1b[0m" in seen
    code, seen = on_terminal("permissions", "show")
    assert code == 0 and "in force" in seen
