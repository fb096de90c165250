"""What the commands of each family of programs are understood to do: ``cases`` lists them."""

import runpy
from pathlib import Path

import pytest

FAMILIES = {
    file.stem: runpy.run_path(str(file))
    for file in sorted(Path(__file__).with_name("cases").glob("*.py"))
}
DANGEROUS = [
    pytest.param(command, wanted, id=f"{family}: {command}")
    for family, tables in FAMILIES.items()
    for command, wanted in tables.get("DANGEROUS", ())
]
HARMLESS = [
    pytest.param(command, id=f"{family}: {command}")
    for family, tables in FAMILIES.items()
    for command in tables.get("HARMLESS", ())
]


@pytest.mark.parametrize(("command", "wanted"), DANGEROUS)
def test_a_dangerous_command_is_found_with_its_categories(categories, command, wanted):
    assert set(wanted.split()) <= categories(command)


@pytest.mark.parametrize("command", HARMLESS)
def test_a_harmless_command_is_left_alone(meaning, command):
    assert meaning(command).findings == ()
