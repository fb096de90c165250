"""Sandboxes of services: nothing of their libraries is loaded before one is needed."""

import asyncio
import subprocess
import sys

import pytest

from hermes.environments.cloud import CloudChannel, Provider
from hermes.environments.contract import Refused

LOOK = """
import sys
import hermes.cli, hermes.app.terminals
from hermes.environments.daytona import DaytonaOptions, daytona_environment, lacks
from hermes.environments.modal import ModalOptions, modal_environment
from hermes.environments import modal
daytona_environment(DaytonaOptions()), modal_environment(ModalOptions())
lacks(environ={}), modal.lacks(environ={})
print(sorted({"daytona", "modal", "aiohttp", "grpclib", "httpx"} & set(sys.modules)))
"""


@pytest.mark.proves("cloud-lazy")
def test_no_library_is_loaded_before_a_sandbox_is_needed():
    done = subprocess.run(
        [sys.executable, "-c", LOOK], capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout == "[]\n"


def test_what_a_service_lacks_is_told_at_the_start_and_closing_is_fine():
    lacking = Refused("there is no key", "Make one.")
    provider = Provider("none", "None", "hermes.environments.none", lambda *_: lacking)
    channel = CloudChannel(provider, None, print)

    async def story():
        try:
            with pytest.raises(Refused, match="there is no key"):
                await channel.start(["true"])
            with pytest.raises(Refused, match="there is no key"):
                await channel.snapshot()
        finally:
            await channel.close()
            await channel.close()

    asyncio.run(asyncio.wait_for(story(), 10))


def test_a_library_that_does_not_fit_is_told(tmp_path, monkeypatch):
    (tmp_path / "misfit_service.py").write_text("from asyncio import nothing_of_that_name\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    channel = CloudChannel(Provider("none", "None", "misfit_service", lambda *_: None), None, print)

    async def story():
        with pytest.raises(Refused, match="the library of None is of no use: ") as refused:
            await channel.start(["true"])
        await channel.close()
        return refused.value.hint

    hint = asyncio.run(asyncio.wait_for(story(), 10))
    assert hint == "Install it again: pip install 'hermes-tools[none]'"
