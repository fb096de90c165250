"""What tests of the code tools share: a runtime in a project of their own."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hermes import Runtime

PARTS = Path(__file__).parents[3] / ".parts" / "node" / "node_modules"
APT = {"go": "golang-go", "node": "nodejs", "clippy-driver": "rust-clippy"}


class Project:
    """A folder with files, and calls of tools in it."""

    def __init__(self, folder):
        self.folder = folder

    def put(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return self

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def with_node_parts(self, *names):
        if not all((PARTS / ".bin" / name).exists() for name in names):
            pytest.skip(f"needs {names[0]} (npm package {names[0]}), by scripts/node")
        (self.folder / "node_modules").symlink_to(PARTS)
        return self

    def run(self, story, **options):
        async def main():
            async with Runtime(cwd=self.folder, **options) as rt:

                async def call(tool, task=None, **arguments):
                    return json.loads(await rt.call(tool, arguments, task))

                call.runtime = rt
                return await asyncio.wait_for(story(call), 100)

        return asyncio.run(main())

    def undo(self):
        """Take back the newest change, as a person would."""
        ran = subprocess.run(
            [sys.executable, "-m", "hermes", "undo", "-y"],
            cwd=self.folder, env=dict(os.environ), capture_output=True, text=True, timeout=60,
            check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout + ran.stderr

    def call(self, tool, /, **arguments):
        return self.run(lambda call: call(tool, **arguments))


@pytest.fixture
def project(hermes_home, tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return Project(folder)


@pytest.fixture
def needs():
    """Skip a test where a program is missing."""

    def check(*programs):
        for program in programs:
            if shutil.which(program) is None:
                pytest.skip(f"needs {program} (apt package {APT.get(program, program)})")

    return check
