"""What a session is lent is the kernel and what that needs, and nothing else."""

import json

import pytest

from hermes.services.repl import launching


def test_only_the_packages_of_the_kernel_are_lent():
    pytest.importorskip("ipykernel", reason="needs the extra code")
    names = json.loads(launching._lent())["names"]

    assert {"ipykernel", "IPython", "jupyter_client", "traitlets", "zmq"} <= set(names)
    assert not {"hermes", "pydantic_monty", "pytest", "openai"} & set(names)


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_elsewhere_nothing_is_lent(language):
    text = launching.command(language, is_here=False)

    assert "site-packages" not in text
