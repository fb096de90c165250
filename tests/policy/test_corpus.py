"""What people and agents type: the dangerous is asked about, the ordinary is not."""

import pytest
from tests.policy.corpus import labelled
from tests.policy.shell.conftest import PLACE

from hermes.policy.shell.understanding import understand

EVERYDAY_ASKED, BENIGN_ASKED, DANGEROUS_MISSED = 0.005, 0.02, 0.02


def findings(command):
    return understand(command, PLACE).findings


def share(wrong, entries):
    return len(wrong) / len(entries)


@pytest.mark.proves("shell-dangerous-asked")
def test_dangerous_commands_are_asked_about():
    entries = labelled("dangerous")
    missed = [entry["command"] for entry in entries if not findings(entry["command"])]
    assert len(entries) >= 600
    assert share(missed, entries) <= DANGEROUS_MISSED, missed


@pytest.mark.proves("shell-benign-free")
def test_benign_commands_run_without_a_question():
    entries = labelled("benign")
    asked = [entry["command"] for entry in entries if findings(entry["command"])]
    assert len(entries) >= 600
    assert share(asked, entries) <= BENIGN_ASKED, asked


def test_everyday_commands_are_as_good_as_never_asked_about():
    entries = [entry for entry in labelled("benign") if entry["category"] == "everyday"]
    asked = [entry["command"] for entry in entries if findings(entry["command"])]
    assert share(asked, entries) <= EVERYDAY_ASKED, asked


@pytest.mark.proves("shell-floor")
def test_catastrophes_are_on_the_floor_however_they_are_spelt():
    allowed = [
        entry["command"]
        for entry in labelled("floor")
        if not any(found.severity == "floor" for found in findings(entry["command"]))
    ]
    assert allowed == []


@pytest.mark.proves("shell-near-floor")
def test_what_only_resembles_a_catastrophe_is_never_on_the_floor():
    entries = [*labelled("near_floor"), *labelled("benign")]
    denied = [
        entry["command"]
        for entry in entries
        if any(found.severity == "floor" for found in findings(entry["command"]))
    ]
    assert denied == []
