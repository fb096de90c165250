"""What every test gets: an empty HERMES_HOME, no keys of this machine, a record of skips."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SECRET = re.compile(
    r"(API_?KEY|ACCESS_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)", re.IGNORECASE
)

settings.register_profile(
    "quick",
    deadline=None,
    max_examples=50,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # says more about a busy machine than about us
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_configure(config):
    forget_this_machine()
    if path := os.environ.get("HERMES_SKIPS"):
        config.pluginmanager.register(SkipRecorder(Path(path)), "skip-recorder")


def forget_this_machine():
    """Drop keys and hermes settings, so that no test depends on who runs it."""
    for name in list(os.environ):
        if SECRET.search(name) or (name.startswith("HERMES_") and name != "HERMES_SKIPS"):
            del os.environ[name]


@pytest.fixture(autouse=True)
def hermes_home(monkeypatch, tmp_path_factory):
    """Give the test an empty HERMES_HOME and return its path."""
    home = tmp_path_factory.mktemp("hermes-home")
    monkeypatch.setenv("HERMES_HOME", str(home))
    return home


class SkipRecorder:
    """Write every skipped test and its reason to a file, one JSON object a line."""

    def __init__(self, path):
        self.path = path
        self.reasons = {}

    def pytest_runtest_logreport(self, report):
        self.note(report)

    def pytest_collectreport(self, report):
        self.note(report)

    def note(self, report):
        if report.skipped and isinstance(report.longrepr, tuple):
            self.reasons[report.nodeid] = report.longrepr[2].removeprefix("Skipped: ")

    def pytest_sessionfinish(self, session):
        if hasattr(session.config, "workerinput"):
            return  # xdist hands every report to the process that started the workers
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps({"test": test, "reason": why}) for test, why in self.reasons.items()]
        self.path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
