import json
import stat

import pytest

from hermes.cli import main


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in ("HERMES_DEBUG", "EDITOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(capsys, *words):
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def test_get_prints_one_value_a_section_or_everything(capsys):
    assert run(capsys, "config", "get", "tools.timeout_seconds") == (0, "300\n", "")
    code, out, _ = run(capsys, "config", "get", "journal")
    assert (code, json.loads(out)) == (0, {"enabled": True, "capture_arguments": True})
    assert json.loads(run(capsys, "config", "get")[1])["urls"] == {"allow_private": False}
    assert run(capsys, "config", "get", "tools.enabled", "--json")[1] == '["all"]\n'


def test_set_then_get_gives_the_same_and_the_file_is_private(capsys, home):
    assert run(capsys, "config", "set", "tools.disabled", "web,file") == (0, "", "")
    assert json.loads(run(capsys, "config", "get", "tools.disabled")[1]) == ["web", "file"]
    assert stat.S_IMODE((home / "config.yaml").stat().st_mode) == 0o600
    code, out, _ = run(capsys, "config", "set", "urls.allow_private", "yes", "--json")
    told = {"key": "urls.allow_private", "value": True, "file": str(home / "config.yaml")}
    assert (code, json.loads(out)) == (0, told)


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        (("get", "tools.timeout"), "no setting 'tools.timeout'", "tools.timeout_seconds"),
        (("set", "tools.timeout", "3"), "tools.timeout: unknown setting", "tools.timeout_seconds"),
        (("set", "tools.max_workers", "many"), "expected a whole number", "Default: 64"),
        (("set", "tools.max_workers"), "required: VALUE", "hermes config set --help"),
        (("lst",), "unknown command 'config lst'", "'list'"),
        (("get", "--jsn"), "unrecognized arguments: --jsn", "'--json'"),
    ],
)
def test_bad_words_are_usage_errors_with_a_hint(capsys, home, words, said, hint):
    code, out, err = run(capsys, "config", *words)
    first, second = err.splitlines()
    assert (code, out) == (2, "")
    assert first.startswith("hermes: ")
    assert said in first
    assert second.startswith("hint: ")
    assert hint in second
    assert not home.exists()


def test_with_json_an_error_is_json_on_stdout(capsys):
    code, out, err = run(capsys, "config", "get", "tools.timeout", "--json")
    assert (code, err) == (2, "")
    assert json.loads(out) == {
        "error": "no setting 'tools.timeout'",
        "code": "usage",
        "hint": "Did you mean 'tools.timeout_seconds'?",
    }


def test_a_variable_that_hides_the_new_value_is_told(capsys, monkeypatch):
    monkeypatch.setenv("HERMES_TOOLS_MAX_WORKERS", "3")
    code, _, err = run(capsys, "config", "set", "tools.max_workers", "4")
    assert code == 0
    assert "HERMES_TOOLS_MAX_WORKERS is set and has the last word" in err


def test_path_and_list(capsys, home):
    assert run(capsys, "config", "path") == (0, f"{home}/config.yaml\n", "")
    assert json.loads(run(capsys, "config", "path", "--json")[1])["exists"] is False
    rows = {row["key"]: row for row in json.loads(run(capsys, "config", "list", "--json")[1])}
    assert rows["tools.max_workers"]["value"] == 64
    assert rows["tools.max_workers"]["variable"] == "HERMES_TOOLS_MAX_WORKERS"
    lines = run(capsys, "config", "list")[1].splitlines()
    assert "tools.max_workers\t64\tThreads for tools that block." in lines


def test_edit_opens_the_editor_and_checks_what_comes_back(capsys, home, tmp_path, monkeypatch):
    script = tmp_path / "my editor"
    script.write_text('#!/bin/sh\necho "tols: 1" >> "$2"\n')
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", f"'{script}' --wait")
    code, _, err = run(capsys, "config", "edit")
    assert code == 2
    assert "Did you mean 'tools'?" in err
    assert (home / "config.yaml").read_text().startswith("# Settings of hermes")


def test_an_editor_that_is_not_there_is_told(capsys, monkeypatch):
    monkeypatch.setenv("VISUAL", "/no/such/editor")
    code, _, err = run(capsys, "config", "edit")
    assert code == 2
    assert "cannot start the editor '/no/such/editor'" in err


def test_a_broken_file_is_told_with_its_line(capsys, home):
    home.mkdir()
    (home / "config.yaml").write_text("tools:\n  enabld: [a]\n")
    code, _, err = run(capsys, "config", "get")
    assert code == 2
    assert f"{home}/config.yaml:2: tools.enabld: unknown setting" in err


def test_unset_leaves_a_setting_at_its_default_and_the_rest_as_it_was(capsys, home):
    home.mkdir()
    file = home / "config.yaml"
    file.write_text("# mine\ntools:\n  max_workers: 3  # few\n  timeout_seconds: 60\n")
    assert run(capsys, "config", "unset", "tools.max_workers") == (0, "", "")
    assert run(capsys, "config", "get", "tools.max_workers")[1] == "64\n"
    assert run(capsys, "config", "get", "tools.timeout_seconds")[1] == "60\n"
    assert "# mine" in file.read_text()
    assert "# few" in file.read_text()


def test_unset_says_whether_there_was_anything_to_do(capsys, home):
    run(capsys, "config", "set", "tools.max_workers", "3")
    for was_set in (True, False):
        told = json.loads(run(capsys, "config", "unset", "tools.max_workers", "--json")[1])
        file = str(home / "config.yaml")
        assert told == {"key": "tools.max_workers", "was_set": was_set, "file": file}


def test_unset_makes_no_file_and_knows_no_other_keys(capsys, home):
    assert run(capsys, "config", "unset", "tools.max_workers") == (0, "", "")
    assert not home.exists()
    code, _, err = run(capsys, "config", "unset", "tools.max_worker")
    assert (code, "'tools.max_workers'" in err) == (2, True)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("tols: 1\n", "Did you mean 'tools'? Mend line 1 of {file} with 'hermes config edit'."),
        ("xyzzyq: 1\n", "Mend line 1 of {file} with 'hermes config edit'."),
        ("a: 1\nb: 2\n", "Mend {file} with 'hermes config edit'."),
        ("tools: [\n", "Mend line 2 of {file} with 'hermes config edit'."),
    ],
)
def test_a_broken_file_leads_to_the_editor(capsys, home, text, hint):
    home.mkdir()
    file = home / "config.yaml"
    file.write_text(text)
    code, out, err = run(capsys, "config", "list")
    assert (code, out) == (2, "")
    assert str(file) in err.splitlines()[-2]
    assert err.splitlines()[-1].endswith(hint.format(file=file))
    assert "config list" not in err


def test_a_broken_file_can_be_found_edited_and_examined(capsys, home, tmp_path, monkeypatch):
    home.mkdir(mode=0o700)
    file = home / "config.yaml"
    file.write_text("tols: 1\n")
    assert run(capsys, "config", "path") == (0, f"{file}\n", "")
    code, out, err = run(capsys, "doctor")
    assert (code, err) == (1, "")
    assert f"broken\tconfig\t{file}:1: tols: unknown setting" in out
    script = tmp_path / "editor"
    script.write_text("#!/bin/sh\necho 'tools: {max_workers: 3}' > \"$1\"\n")
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(script))
    assert run(capsys, "config", "edit") == (0, "", "")
    assert run(capsys, "config", "get", "tools.max_workers")[1] == "3\n"


def test_the_doctor_tells_of_settings_that_no_tool_fits(capsys, home):
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("tools: {enabled: [sistem]}\n")
    code, out, err = run(capsys, "doctor")
    assert (code, err) == (1, "")
    assert "broken\ttools\tno toolset 'sistem' → Did you mean 'system'" in out
