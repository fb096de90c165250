import inspect
import json
import math
import platform
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2]))

from bench.figure import TINY, Effort, Family, Figure, Measured
from bench.harness import digits, interleave, interleave_async, level, ratio, seconds
from bench.inside.made_up import TYPES, functions, model_source
from bench.processes import PYTHON, Broken, Place, start
from bench.report import Row
from bench.start import LIST, full_catalogue

from bench import __main__ as command
from bench import catalogue, report


def ticking(*moments):
    """Return a clock that says these moments, one after the other."""
    return iter(moments).__next__


def family(name="fake", *, value=1.0, bar=2.0, problem=None):
    def measure(effort):
        if problem:
            raise problem
        return {name: Measured(value, value)}

    return Family(name, (Figure(name, "a made-up figure", bar=bar),), measure)


def row(value, **options):
    return Row(Figure("fake", "a made-up figure", **options), Measured(value, value, "why"))


def test_works_take_turns_and_each_keeps_its_own_times():
    done = []
    works = [lambda: done.append("a"), lambda: done.append("b")]
    clock = ticking(0, 1, 1, 3, 10, 14, 20, 28)
    assert interleave(2, works, clock=clock) == [[1, 4], [2, 8]]
    assert done == ["a", "b", "a", "b"]


def test_what_happens_between_two_works_is_not_timed():
    done = []
    between = lambda: done.append("-")  # noqa: E731
    clock = ticking(0, 1, 5, 7)
    assert interleave(2, [lambda: done.append("a")], between=between, clock=clock) == [[1, 2]]
    assert done == ["-", "a", "-", "a"]


def test_coroutines_take_turns_too():
    done = []

    async def first():
        done.append("a")

    async def second():
        done.append("b")

    turns = interleave_async(2, [first, second], clock=ticking(0, 1, 1, 3, 10, 14, 20, 28))
    with pytest.raises(StopIteration) as end:
        turns.send(None)
    assert end.value.value == [[1, 4], [2, 8]]
    assert done == ["a", "b", "a", "b"]


def test_a_ratio_compares_neighbours_and_best_with_best():
    measured = ratio([3.0, 10.0, 4.0], [1.0, 5.0, 2.0])
    assert measured == Measured(2.0, 3.0, "4.00 s against 2.00 s")


def test_a_level_is_the_median_and_the_least():
    assert level([5.0, 1.0, 3.0], scale=10, detail="x") == Measured(30.0, 10.0, "x")


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.5, "2.50 s"), (0.0123, "12.3 ms"), (4.2e-6, "4.20 \N{MICRO SIGN}s"), (3.9e-8, "39.0 ns")],
)
def test_durations_are_written_in_their_own_unit(value, text):
    assert seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.0456, "0.046"), (1.234, "1.23"), (12.34, "12.3"), (1234.5, "1,234")],
)
def test_numbers_are_written_with_three_figures(value, text):
    assert digits(value) == text


@pytest.mark.parametrize(
    ("figure", "value", "state"),
    [
        ({"bar": 2}, 2.0, "ok"),
        ({"bar": 2}, 2.1, "over"),
        ({"bar": 95, "at_least": True}, 95.0, "ok"),
        ({"bar": 95, "at_least": True}, 94.9, "over"),
        ({}, 1e9, ""),
    ],
)
def test_a_value_is_held_against_its_bar(figure, value, state):
    assert row(value, **figure).state == state


def test_a_missed_bar_counts_only_when_asked_and_a_crash_always():
    over, crashed = row(3.0, bar=2), Row(Figure("fake", ""), None, "broke")
    assert command.status([over], check=False) == 0
    assert command.status([over], check=True) == command.OVER
    assert command.status([row(1.0, bar=2)], check=True) == 0
    assert command.status([over, crashed], check=False) == command.CRASHED


def test_a_family_that_breaks_does_not_stop_the_others(capsys):
    broken = family("broken", problem=ValueError("no luck"))
    rows = list(command.measure([broken, family("sound")], TINY))
    assert [(row.figure.name, row.state) for row in rows] == [("broken", "failed"), ("sound", "ok")]
    assert rows[0].problem == "no luck"
    assert "no luck" in capsys.readouterr().err


@pytest.fixture
def results(monkeypatch, tmp_path):
    """Have only one quick figure, and results written elsewhere; return where."""
    path = tmp_path / "RESULTS.md"
    monkeypatch.setattr(command, "RESULTS", path)
    monkeypatch.setattr(catalogue, "FAMILIES", (family("fake", value=3.0),))
    return path


def test_a_run_of_everything_writes_the_results(results, capsys):
    assert command.main([]) == 0
    text = results.read_text(encoding="utf-8")
    times = "\N{MULTIPLICATION SIGN}"
    cells = ["`fake`", "a made-up figure", f"3.00{times}", f"3.00{times}", f"≤ 2{times}"]
    assert "| " + " | ".join([*cells, "**over**", ""]) + " |" in text
    assert "0 of 1 figures with a bar reach it" in text
    assert f"3.00{times}" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--quick"], ["fake"]])
def test_a_quick_or_partial_run_leaves_the_results_alone(results, capsys, words):
    assert command.main(words) == 0
    assert not results.exists()


def test_json_is_one_object_for_each_figure(results, capsys):
    assert command.main(["--quick", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["name"], found["value"], found["bar"], found["state"]) == ("fake", 3, 2, "over")


def test_check_fails_on_a_missed_bar(results, capsys):
    assert command.main(["--quick", "--check"]) == command.OVER


def test_an_unknown_figure_is_told_with_those_that_exist(results, capsys):
    assert command.main(["fast"]) == command.MISUSED
    assert "there is no figure 'fast'; there are fake" in capsys.readouterr().err


def test_the_machine_is_described_without_its_name_or_folders():
    text = report.page([row(1.0, bar=2)], "command")
    assert platform.python_version() in text
    assert platform.node() not in text
    assert str(Path.home()) not in text


def test_figures_have_different_names_and_answer_to_them():
    names = [figure.name for family in catalogue.FAMILIES for figure in family.figures]
    assert len(names) == len(set(names))
    for family in catalogue.FAMILIES:
        assert catalogue.named([family.name]) == [family]
        assert catalogue.named([family.figures[-1].name]) == [family]
    assert catalogue.named([]) == list(catalogue.FAMILIES)


def test_programs_run_in_a_clean_environment_with_a_home_of_their_own(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("SOME_API_KEY", "x")
    code = "import os, json; print(json.dumps(dict(os.environ)))"
    with Place() as place:
        seen = json.loads(place.output([PYTHON, "-c", code]))
        assert Path(seen["HERMES_HOME"]).is_relative_to(place.path)
    assert not {"PYTHONDONTWRITEBYTECODE", "SOME_API_KEY"} & set(seen)
    assert not place.path.exists()


def test_a_program_that_fails_is_not_measured():
    with Place() as place:
        with pytest.raises(Broken, match="no luck"):
            place.starter([PYTHON, "-c", "raise SystemExit('no luck')"])
        with pytest.raises(Broken, match="ended with status 3"):
            start([PYTHON, "-c", "raise SystemExit(3)"], place.environment)


def test_made_up_functions_and_models_take_the_same_parameters():
    pydantic = pytest.importorskip("pydantic")
    names = {"BaseModel": pydantic.BaseModel, "Field": pydantic.Field}
    exec(TYPES, names)
    counts = set()
    for number, function in enumerate(functions(6)):
        exec(model_source(number), names)
        fields = names[f"Search{number}"].model_fields
        parameters = inspect.signature(function).parameters.values()
        assert [(p.name, p.annotation, p.default is p.empty) for p in parameters] == [
            (name, field.annotation, field.is_required()) for name, field in fields.items()
        ]
        counts.add(len(fields))
    assert counts == {3, 4, 5, 6, 7, 8}


def test_the_full_catalogue_has_the_made_up_tools_beside_the_built_in_ones():
    with full_catalogue(7) as place:
        listed = json.loads(place.output(LIST))
    toolsets = {tool["name"]: tool["toolset"] for tool in listed}
    assert toolsets["search_0"] == "made_up_0"
    assert toolsets["search_6"] == "made_up_1"
    assert toolsets["sleep"] == "system"


@pytest.mark.parametrize("family", catalogue.FAMILIES, ids=lambda family: family.name)
def test_every_figure_can_be_measured(family):
    measured = family.measure(TINY)
    figures = {figure.name: figure for figure in family.figures}
    assert measured.keys() == figures.keys()
    for name, (value, best, _) in measured.items():
        assert math.isfinite(value)
        if name in DIFFERENCES:
            continue
        may_be_none = figures[name].unit == "%" or figures[name].bar == 0
        assert (value >= 0 and best >= 0) if may_be_none else (value > 0 and best > 0)


DIFFERENCES = ("servers_unused",)
"""What one start takes longer than another: in a single round, it may take less."""


def test_quick_means_less_of_everything_that_takes_long():
    assert isinstance(command.QUICK, Effort)
    for name in ("processes", "children", "rounds", "calls"):
        assert getattr(command.QUICK, name) < getattr(command.FULL, name)
