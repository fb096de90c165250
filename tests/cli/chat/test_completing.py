"""What Tab offers: commands, tools and their arguments, and files."""

import pytest

from hermes.cli.chat.completing import Candidate, Sources, candidates


@pytest.fixture
def found(tmp_path):
    (tmp_path / "src").mkdir()
    for name in ("a.py", "b c.txt", ".hidden", "src/inner.py"):
        (tmp_path / name).write_text("")
    after = {"call": lambda typed, current: [("path=", "p")] if typed else [("read_file", "file")]}
    sources = Sources({"call": "c", "cost": "d"}, after, lambda: str(tmp_path))

    def find(text):
        return list(candidates(text, sources))

    return find


def words(found):
    return [each.word for each in found]


def test_commands_are_completed_where_a_line_begins(found):
    assert found("/c") == [Candidate("/call", 2, "c"), Candidate("/cost", 2, "d")]
    assert found("say /c") == []
    assert found("/call\n/c") == []


def test_tools_and_their_arguments_follow_call(found):
    assert found("/call rea") == [Candidate("read_file", 3, "file")]
    assert found("/call read_file p") == [Candidate("path=", 1, "p")]
    assert found("/call read_file x") == []
    assert found("/cost ") == []


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("look at @", ["@a.py", '@"b c.txt"', "@src/"]),
        ("@a", ["@a.py"]),
        ("@.h", ["@.hidden"]),
        ("@src/", ["@src/inner.py"]),
        ('@"b', ['@"b c.txt"']),
        ("me@a", []),
        ("@nowhere/x", []),
    ],
)
def test_files_follow_an_at(found, text, offered):
    assert words(found(text)) == offered


def test_names_that_could_control_a_terminal_are_not_offered(found, tmp_path):
    (tmp_path / "evil\x1b[2J").write_text("")
    assert words(found("@e")) == []
