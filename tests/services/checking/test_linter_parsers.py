"""Whatever a linter prints becomes findings, or one clear failure."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.environments.programs import Ran, Site
from hermes.environments.projects import Project
from hermes.services.checking.contract import Broken, Work
from hermes.services.checking.findings import Edit, Finding, Spot, edited
from hermes.services.checking.linters.gofmt import Gofmt
from hermes.services.checking.linters.govet import GoVet
from hermes.services.checking.linters.pyright import Pyright
from hermes.services.checking.linters.shellcheck import Shellcheck
from hermes.services.checking.linters.tsc import Tsc
from hermes.services.checking.tools import FORMATTERS, LINTERS

WORK = Work(Site(None, "/w", "/w"), Project(("/w",)), "tool")

KEYS = [
    "comments",
    "fix",
    "location",
    "row",
    "messages",
    "filePath",
    "message",
    "spans",
    "reason",
    "children",
    "generalDiagnostics",
    "range",
    "line",
    "replacements",
]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)
texts = st.text() | values.map(json.dumps) | st.lists(values.map(json.dumps)).map("\n".join)
answers = st.builds(
    Ran,
    st.integers(-15, 130),
    texts.map(lambda text: text.encode("utf-8", "replace")) | st.binary(),
    st.binary(),
    st.just(0.1),
)


@pytest.mark.parametrize("linter", LINTERS, ids=lambda each: each.name)
@given(ran=answers)
def test_any_output_is_read_or_refused(linter, ran):
    try:
        found = linter.findings(WORK, ran)
    except Broken:
        return
    for each in found:
        assert each.line >= 1 and each.column >= 1
        json.dumps(each.as_json(each.file))


@pytest.mark.parametrize("formatter", FORMATTERS, ids=lambda each: each.name)
@given(ran=answers)
def test_any_output_of_a_formatter_is_read(formatter, ran):
    assert all(path.startswith("/") for path in formatter.unformed(WORK, ran))
    assert isinstance(formatter.trouble(ran), str)


def ran(output="", errors="", code=1):
    return Ran(code, output.encode(), errors.encode(), 0.1)


def test_pyright_counts_lines_from_zero():
    told = {
        "file": "/w/a.py",
        "severity": "warning",
        "message": "no",
        "rule": "reportGeneralTypeIssues",
        "range": {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 9}},
    }
    answer = ran(json.dumps({"version": "1.1.400", "generalDiagnostics": [told]}))
    assert Pyright().findings(WORK, answer) == [
        Finding("/w/a.py", 3, 5, "reportGeneralTypeIssues", "no", "warning", tool="pyright")
    ]


def test_go_vet_and_gofmt_tell_on_the_stream_of_errors():
    vet = ran(errors="# example.com/a\nvet: ./a.go:3:2: undefined: x\n./b.go:7:4: unreachable\n")
    assert [(each.file, each.line, each.message) for each in GoVet().findings(WORK, vet)] == [
        ("/w/a.go", 3, "undefined: x"),
        ("/w/b.go", 7, "unreachable"),
    ]
    bad = Gofmt().findings(WORK, ran("c.go\n", "a.go:1:2: expected 'package'\n", 2))
    assert [(each.file, each.rule, each.fixable) for each in bad] == [
        ("/w/c.go", "gofmt", True),
        ("/w/a.go", "syntax", False),
    ]


def test_tsc_tells_of_projects_without_a_file():
    found = Tsc().findings(WORK, ran("error TS18003: No inputs were found.\n", code=2))
    assert (found[0].file, found[0].rule) == ("", "TS18003")


def test_a_linter_that_fails_says_so_in_its_own_words():
    with pytest.raises(Broken, match="no such option"):
        Shellcheck().findings(WORK, ran(errors="no such option", code=3))


@given(st.binary(), st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), st.binary())))
def test_edits_never_lose_what_is_outside_of_them(data, edits):
    made = [Edit(min(a, b), max(a, b), text) for a, b, text in edits]
    first = min((each.start for each in made), default=len(data))
    last = max((each.end for each in made), default=0)
    result = edited(data, made)
    assert result[:first] == data[:first]
    assert result.endswith(data[last:])


@given(st.text(), st.integers(0, 9), st.integers(0, 9))
def test_places_in_text_are_counted_in_characters(text, line, column):
    data = text.encode("utf-8", "surrogatepass")
    result = edited(data, [Spot(line, column, line, column, "")])
    assert result == data
