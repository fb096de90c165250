"""Commands on another machine and in a container, beside the clients that reach them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
import time

from tests.real import podman, sshd

from bench.harness import interleave_async
from hermes import Runtime

PAUSE_SECONDS = 0.01


def ssh(rounds: int) -> dict:
    """Return the seconds of commands in a warm task, and of ssh by a connection that is shared."""
    if reason := sshd.missing():
        raise SystemExit(reason)
    with tempfile.TemporaryDirectory() as folder:
        server = sshd.Sshd(folder)
        server.start()
        try:
            settings = {"host": "shared", "config": str(server.config), "root": folder}
            raw = ["ssh", "-F", str(server.config), "shared", "true"]
            return asyncio.run(_beside("ssh", settings, lambda: raw, rounds))
        finally:
            server.stop()


def container(rounds: int) -> dict:
    """Return the seconds of commands in a warm task, and of the engine's own way to run one."""
    if reason := podman.missing():
        raise SystemExit(reason)
    with tempfile.TemporaryDirectory() as folder:
        engine = podman.Podman(folder)
        os.environ.update(engine.variables)
        try:
            settings = {"image": podman.FULL, "engine": "podman"}
            return asyncio.run(_beside("docker", settings, _exec, rounds))
        finally:
            engine.close()


def _exec() -> list[str]:
    """Return the words that run a command in the container of our task."""
    listed = ["podman", "ps", "--quiet", "--filter", "label=hermes=1"]
    name = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.strip()
    return ["podman", "exec", name, "true"]


async def _beside(place: str, settings: dict, raw, rounds: int) -> dict:
    config = {"terminal": {"environment": place}, place: settings}
    with tempfile.TemporaryDirectory() as folder:
        async with Runtime(cwd=folder, config=config, profile="trusted") as rt:

            async def ours() -> None:
                answer = await rt.call("terminal", {"command": "true"}, "warm")
                assert '"exit_code":0' in answer, answer

            await ours()
            words = raw()

            async def theirs() -> None:
                subprocess.run(words, check=True, capture_output=True)

            await theirs()
            taken, plain = await interleave_async(
                rounds, [ours, theirs], between=lambda: time.sleep(PAUSE_SECONDS)
            )
    return {"ours": taken, "raw": plain}
