"""A command that another program carries is judged as if it stood alone."""

import pytest

CARRIED = [
    "some-wrapper --fast rm -rf /",
    "some-wrapper -- sudo rm -rf /home",
    "some-wrapper --exec 'rm -rf ~'",
    "some-runner host 'rm -rf /'",
    "some-tool erase /dev/sda",
    "heroku run 'rm -rf /'",
    "nix run nixpkgs#coreutils -- rm -rf /",
    "svn --editor-cmd 'rm -rf /' commit",
    "echo '@daily rm -rf /' | crontab -",
    "(crontab -l; echo '0 * * * * rm -rf ~') | crontab -",
    "echo 'rm -rf /' >> ~/.profile",
    "printf '[Service]\\nExecStart=/bin/rm -rf /\\n' > ~/.config/systemd/user/x.service",
]
SPOKEN = [
    "cowsay rm -rf /",
    "some-tracker create 'rm -rf / was allowed'",
    "some-tracker --title 'rm -rf / was allowed'",
    "some-wrapper --fast rm -rf ./build",
    "some-reader /dev/sda",
    "git log -- rm",
    "npm run clean -- --force",
    "echo '@daily make' | crontab -",
    "echo 'export PAGER=less' >> ~/.profile",
    "echo 'rm -rf /' > notes.txt",
]


def is_beneath(found):
    return any(finding.severity == "floor" for finding in found.findings)


@pytest.mark.parametrize("command", CARRIED)
def test_a_catastrophe_that_a_program_carries_is_on_the_floor(meaning, command):
    assert is_beneath(meaning(command))


@pytest.mark.parametrize("command", SPOKEN)
def test_words_that_no_program_runs_are_not(meaning, command):
    assert not is_beneath(meaning(command))


def test_a_command_of_windows_is_read_with_its_backslashes(meaning):
    assert is_beneath(meaning(r"rd /s /q C:\Users\bob"))
    assert not is_beneath(meaning(r"rd /s /q C:\Users\bob\app\build"))
