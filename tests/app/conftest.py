import pytest

from hermes import Runtime
from hermes.runtime.registry import ToolRegistry


@pytest.fixture
def registry():
    return ToolRegistry()


@pytest.fixture
def runtime(registry):
    """A runtime on a registry of its own, closed at the end."""
    made = []

    def make(**options):
        rt = Runtime(registry=options.pop("registry", registry), **options)
        made.append(rt)
        return rt

    yield make
    for rt in made:
        rt.close()
