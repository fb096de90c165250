import pytest

from hermes.cli import main
from hermes.cli.completion import candidates


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["to"], {"tool", "toolset"}),
        (["tool", "s"], {"show", "search"}),
        (["tool", "call", "sle"], {"sleep"}),
        (["tool", "call", "sleep", ""], {"seconds="}),
        (["tool", "call", "--task", "x", "sleep", "s"], {"seconds="}),
        (["tool", "call", "clipboard", "text=a", "action="], {"action=read", "action=write"}),
        (["tool", "call", "no_such_tool", ""], set()),
        (["tool", "call", "sleep", "--st"], {"--stdin"}),
        (["tool", "list", "--toolset", "syst"], {"system", "system-tools"}),
        (["tool", "show", "sleep", "--format", "an"], {"anthropic"}),
        (["tool", "show", "sleep", ""], set()),
        (["toolset", "show", "syst"], {"system", "system-tools"}),
        (["config", "get", "journal."], {"journal.enabled", "journal.capture_arguments"}),
        (["completion", ""], {"bash", "zsh", "fish"}),
        (["nothing", ""], set()),
        (["tool", "nothing", ""], set()),
    ],
)
def test_the_next_word_is_known(words, expected):
    assert {word for word, _ in candidates(words)} == expected


def test_answers_carry_help_behind_a_tab(capsys):
    assert main(["completion", "--complete", "tool", "call", "sleep", ""]) == 0
    word, help = capsys.readouterr().out.rstrip("\n").split("\t")
    assert word == "seconds="
    assert help


def test_a_broken_config_keeps_completion_silent(capsys, home):
    home.mkdir()
    (home / "config.yaml").write_text("tols: 1\n")
    assert main(["completion", "--complete", "tool", "call", ""]) == 1
    assert capsys.readouterr() == ("", "")
