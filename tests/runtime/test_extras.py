"""Which extras are installed, found without the library that knows best."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

import pytest

from hermes.runtime.extras import installed

EXTRAS = sorted(metadata.metadata("hermes-tools").get_all("Provides-Extra"))


def is_there(name):
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def named(requirement):
    return requirement.partition(";")[0].split(">")[0].split("<")[0].split("=")[0].strip()


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_is_there_when_all_its_packages_are(extra):
    brought = [each for each in metadata.requires("hermes-tools") if f"extra == '{extra}'" in each]
    assert brought
    assert installed(extra) == all(is_there(named(each)) for each in brought)


def test_an_extra_that_nobody_knows_is_not_there():
    assert not installed("nothing")


def test_asking_does_not_load_the_library():
    code = (
        "import sys; from hermes.runtime.extras import installed; installed('web');"
        "print('importlib.metadata' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
