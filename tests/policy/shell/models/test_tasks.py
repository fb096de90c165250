"""What tasks of ansible and its kin say of themselves."""

import pytest

from hermes.policy.shell.models.tasks import command_text, settings


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("path=/ state=absent", {"path": "/", "state": "absent"}),
        ('path="/a b" state=absent', {"path": "/a b", "state": "absent"}),
        ('{"path": "/", "force": true}', {"path": "/", "force": "True"}),
        ("path=C:\\ state=absent", {"path": "C:/", "state": "absent"}),
        ("uptime", {}),
        ("{broken", {}),
        ("it's=1", {}),
    ],
)
def test_settings_are_read_as_words_or_as_json(arguments, wanted):
    assert settings(arguments) == wanted


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("rm -rf x", "rm -rf x"),
        ("chdir=/ rm -rf *", "cd /; rm -rf *"),
        ('cmd="rm -rf x" chdir=/srv', "cd /srv; rm -rf x"),
        ("creates=/x make", "make"),
    ],
)
def test_a_command_runs_in_the_folder_that_its_task_names(arguments, wanted):
    assert command_text(arguments) == wanted
