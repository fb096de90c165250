"""Whatever a test runner prints becomes a report."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.environments.programs import Ran, Site
from hermes.environments.projects import Project
from hermes.services.testing.choosing import RUNNERS
from hermes.services.testing.contract import MARK, OUTCOMES, Report, Work
from hermes.services.testing.runners.go import Go
from hermes.services.testing.runners.scripts import take_answer
from hermes.services.testing.telling import answer

WORK = Work(Site(None, "/w", "/w"), Project(("/w",)), "run", ("/w",), coverage=True, word="w0rd")

KEYS = [
    "event",
    "test",
    "outcome",
    "seconds",
    "line",
    "lines",
    "Action",
    "Test",
    "Package",
    "Output",
    "Elapsed",
    "testResults",
    "assertionResults",
    "status",
    "title",
    "count",
]

objects = st.dictionaries(
    st.sampled_from(
        KEYS
    ),
    st.none() | st.booleans() | st.integers() | st.floats() | st.lists(st.text())
    | st.sampled_from(["case", "start", "expected", "coverage", *OUTCOMES, "pass", "fail"]),
)  # fmt: skip
lines = (
    st.text()
    | objects.map(json.dumps)
    | objects.map(lambda told: f"{MARK}w0rd {json.dumps(told)}")
    | st.sampled_from(["test a ... ok", "test a ... FAILED", "---- a stdout ----", "  ✓ a (3 ms)"])
)


@pytest.mark.parametrize("name", RUNNERS)
@given(said=st.lists(lines), code=st.integers(-15, 130))
def test_any_output_becomes_a_report(name, said, code):
    runner, report = RUNNERS[name](), Report()
    for line in said:
        runner.hear(WORK, report, 0, line)
    output = "\n".join(said).encode("utf-8", "replace")
    ran = Ran(code, output, output, 0.1)
    runner.finish(WORK, report, ran)
    told = answer(runner, WORK, report, ran)
    json.dumps(told)
    assert not (told["ok"] and (told["failed"] or told["errors"] or code))


def test_what_a_test_prints_is_not_taken_for_a_report():
    report = Report()
    forged = {"event": "case", "test": "forged", "outcome": "passed"}
    RUNNERS["pytest"]().hear(WORK, report, 0, f"{MARK}other {json.dumps(forged)}")
    assert report.cases == {}


def test_a_package_of_go_that_does_not_build_is_an_error():
    runner, report = Go(), Report()
    told = [
        {"Action": "output", "Package": "a", "Output": "./a.go:3:1: syntax error\n"},
        {"Action": "output", "Package": "a", "Output": "FAIL\ta [build failed]\n"},
        {"Action": "fail", "Package": "a", "Elapsed": 0},
    ]
    for each in told:
        runner.hear(WORK, report, 0, json.dumps(each))
    assert report.cases["a"].outcome == "error"
    assert "syntax error" in report.cases["a"].message


def test_a_file_that_jest_cannot_load_is_an_error():
    report = Report()
    file = {"name": "/w/a.test.js", "status": "failed", "message": "boom", "assertionResults": []}
    take_answer(report, json.dumps({"testResults": [file]}), Ran(1, b"", b"", 0.1))
    assert report.cases["/w/a.test.js"].outcome == "error"
