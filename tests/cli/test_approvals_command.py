"""``hermes approvals``: what was approved for good, and taking it back."""

import json

import pytest
import yaml

from hermes.cli import main

RULES = ["npm run build @ /a", "npm run build @ /b", "ls", "ls => fun"]


@pytest.fixture
def file(hermes_home):
    found = hermes_home / "config.yaml"
    found.write_text("# mine\ncommand_allowlist:\n" + "".join(f"  - {rule}\n" for rule in RULES))
    return found


def run(capsys, *words):
    code = main(["approvals", *words])
    return code, capsys.readouterr()


@pytest.mark.proves("cli-json")
def test_every_permanent_approval_is_listed_with_its_place(capsys, file):
    code, printed = run(capsys, "list", "--json")
    assert code == 0
    assert json.loads(printed.out) == [
        {
            "number": number,
            "rule": rule,
            "where": f"{file}:{number + 2}",
            "problem": "'fun' is not a kind of danger" if "fun" in rule else None,
        }
        for number, rule in enumerate(RULES, 1)
    ]
    code, printed = run(capsys, "list")
    assert printed.out.splitlines()[2] == f"3\tls\t{file}:5"
    assert "covers nothing: it 'fun' is not" in printed.out


def test_where_nothing_is_approved_the_list_is_empty(capsys):
    assert run(capsys, "list", "--json")[1].out == "[]\n"
    assert run(capsys, "list")[1].out == ""


def test_an_approval_of_the_environment_says_so(capsys, monkeypatch):
    monkeypatch.setenv("HERMES_COMMAND_ALLOWLIST", "a, b\nc")
    listed = json.loads(run(capsys, "list", "--json")[1].out)
    assert [(one["rule"], one["where"]) for one in listed] == [
        ("a, b", "$HERMES_COMMAND_ALLOWLIST"),
        ("c", "$HERMES_COMMAND_ALLOWLIST"),
    ]
    code, printed = run(capsys, "revoke", "c")
    assert code == 1 and "Unset $HERMES_COMMAND_ALLOWLIST." in printed.err


@pytest.mark.parametrize(
    ("word", "left"),
    [("2", [0, 2, 3]), ("npm run build @ /b", [0, 2, 3]), ("ls => fun", [0, 1, 2])],
)
def test_an_approval_is_revoked_by_number_or_rule(capsys, file, word, left):
    assert run(capsys, "revoke", word)[0] == 0
    assert yaml.safe_load(file.read_text())["command_allowlist"] == [RULES[at] for at in left]
    assert file.read_text().startswith("# mine\n")


def test_an_approval_is_revoked_by_its_command_where_that_is_clear(capsys, file):
    code, printed = run(capsys, "revoke", "npm run build")
    assert code == 1 and "Choose by number: 1, 2." in printed.err
    run(capsys, "revoke", "1")
    assert run(capsys, "revoke", "npm run build", "--json")[1].out == (
        f'{{"revoked":"npm run build @ /b","file":"{file}"}}\n'
    )


def test_what_was_never_approved_cannot_be_revoked(capsys, file):
    code, printed = run(capsys, "revoke", "npm run biuld @ /a")
    assert code == 1 and "Did you mean 'npm run build @ /a'" in printed.err


def test_approvals_are_exported_as_another_config_takes_them(capsys, file):
    assert yaml.safe_load(run(capsys, "export")[1].out) == {"command_allowlist": RULES}
    assert json.loads(run(capsys, "export", "--json")[1].out) == {"command_allowlist": RULES}


def test_an_empty_export_is_valid_too(capsys):
    assert yaml.safe_load(run(capsys, "export")[1].out) == {"command_allowlist": []}
