"""Run one command in the box of a folder, on the streams of this process."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import NamedTuple

from hermes.app.boundaries import Boxes
from hermes.app.policies import policy_of
from hermes.app.profiles import resolve_profile
from hermes.base.errors import HermesError
from hermes.config.environment import live
from hermes.config.load import load as load_settings
from hermes.environments.sandbox.child import Child
from hermes.environments.sandbox.denials import explain
from hermes.environments.sandbox.proxy import Proxy
from hermes.runtime.boundary import Granted, Network, Wants
from hermes.runtime.bridge import loop_thread
from hermes.services.variables import Variables

_KEPT = 64_000
_PART = 1 << 16


class Ended(NamedTuple):
    """How a command ended, and which rule of its box stopped what it tried."""

    code: int
    denied_by: str | None


def boxes(profile: str | None = None) -> Boxes:
    """Return the boundary that calls under a profile run in; whoever asked closes it."""
    settings = load_settings()
    policy = policy_of(settings, live(), resolve_profile(settings, profile))
    return Boxes(lambda: policy)


def run(
    boundary: Boxes, argv: Sequence[str], *, network: Network | None, writable: Sequence[str]
) -> Ended:
    """Run a command to its end in the box of the current folder.

    Raises:
        HermesError: it could not be started.
    """
    running = loop_thread().submit(_run(boundary, argv, network, tuple(writable)))
    try:
        return running.result()
    except OSError as error:
        raise HermesError(f"{argv[0]} cannot be started: {error.strerror}") from error
    finally:
        running.cancel()  # an interrupt kills the command


async def _run(
    boundary: Boxes, argv: Sequence[str], network: Network | None, writable: tuple[str, ...]
) -> Ended:
    cwd = os.getcwd()  # noqa: PTH109 - a text is wanted
    box = boundary.box(cwd, Wants(network=network), Granted(tuple(map(os.path.abspath, writable))))
    box, proxy = await boundary.proxied(box)
    seen = Variables(live(), allowed=load_settings().environment.pass_names).safe("cli")
    ours, theirs = os.pipe()
    errors = _Errors(ours)
    child: Child | None = None
    try:
        standard = (0, 1, theirs)
        child = boundary.sandbox().spawn(argv, box, env=seen, cwd=cwd, standard=standard)
        os.close(theirs)
        await _answer(child, proxy, is_inside=boundary.backend.builds_tree)
        _, code = await asyncio.gather(errors.pass_on(), child.ended())
    finally:
        if child is not None and not child.is_over:
            child.close()
        if proxy is not None:
            await proxy.close()
    said = errors.kept.decode("utf-8", "replace")
    refused = proxy.refused if proxy is not None else ()
    return Ended(code, explain(box, said, code, cwd=cwd, refused=refused))


async def _answer(child: Child, proxy: Proxy | None, *, is_inside: bool) -> None:
    if proxy is not None and is_inside:
        await proxy.serve(await child.listening())


class _Errors:
    """Pass on what a command complains about, and keep the end of it."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self.kept = b""

    async def pass_on(self) -> None:
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        pipe = os.fdopen(self._pipe, "rb", buffering=0)
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
        while part := await reader.read(_PART):
            self.kept = (self.kept + part)[-_KEPT:]
            os.write(2, part)
