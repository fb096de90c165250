"""What tests of services in the cloud share: a service on loopback that the library finds."""

import asyncio
import runpy
import shutil
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
out = runpy.run_path(str(HERE.parent / "environments" / "running.py"))["out"]


def serving(served):
    """Return a context that gives a service, of the names in its module, and ends it."""
    return (_Modal if "Modal" in served else _Daytona)(served)


class _Serving:
    def __init__(self, served):
        self.served = served

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="hcl-", dir="/tmp")
        self.patch = pytest.MonkeyPatch()
        self.server = self.start()
        for name, value in self.variables().items():
            self.patch.setenv(name, value)
        return self.server

    def __exit__(self, *_):
        self.patch.undo()
        self.server.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class _Modal(_Serving):
    def start(self):
        return self.served["Modal"](self.folder)

    def variables(self):
        token, secret = self.served["TOKEN"]
        return {
            "MODAL_TOKEN_ID": token,
            "MODAL_TOKEN_SECRET": secret,
            "MODAL_SERVER_URL": self.server.url,
            "MODAL_CONFIG_PATH": f"{self.folder}/modal.toml",
        }


class _Daytona(_Serving):
    def start(self):
        return self.served["Daytona"](self.folder)

    def variables(self):
        return {"DAYTONA_API_KEY": self.served["KEY"], "DAYTONA_API_URL": self.server.url}


async def begin(environment, text="touch up; sleep 30"):
    """Return a command that runs by now."""
    running = asyncio.ensure_future(out(environment, text))
    while not (await out(environment, "ls up 2>/dev/null", cwd=environment.root))[1]:
        await asyncio.sleep(0.02)
    return running


async def until(holds):
    for _ in range(1000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError
