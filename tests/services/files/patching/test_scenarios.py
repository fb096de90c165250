"""Patches of every form do exactly what they say, or nothing."""

from pathlib import Path

import pytest
import yaml

from hermes.base.errors import ToolError

SCENARIOS = yaml.safe_load(Path(__file__).with_name("scenarios.yaml").read_text(encoding="utf-8"))


@pytest.mark.proves("patch-all-or-none")
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["name"])
def test_a_patch_does_what_it_says_or_nothing(folder, scenario):
    for name, content in scenario["before"].items():
        folder.write(name, content)
    before = folder.all()
    try:
        folder.patch(scenario["patch"])
        outcome = folder.all()
    except ToolError as error:
        assert error.message
        assert folder.all() == before
        outcome = "same"
    after = scenario["after"]
    expected = after if after == "same" else {k: v.encode() for k, v in after.items()}
    assert outcome == expected
