"""Scripts in every Python of this machine that a project could use."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import multiprocessing, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
from hermes_tools import ToolFailed, aio, gather, read_file
CHILD = "from hermes_tools import read_file; print(read_file('a.txt')['size'], flush=True)"
def size(name):
    return read_file(name)["size"]
if __name__ == "__main__":
    python = sys.executable
    print("%d.%d" % sys.version_info[:2], size("a.txt"), flush=True)
    print(len(gather(aio.read_file("a.txt") for _ in range(3))), flush=True)
    with ThreadPoolExecutor(3) as pool:
        print(list(pool.map(size, ["a.txt"] * 3)), flush=True)
    subprocess.run([python, "-c", CHILD])
    for method in (None, "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(pool.map(size, ["a.txt"] * 2), flush=True)
    try:
        read_file("missing")
    except ToolFailed as error:
        print(error.code, flush=True)
"""


def pythons():
    """Return an interpreter of each version, by its version."""
    found = {}
    for minor in range(8, 14):
        name = f"python3.{minor}"
        places = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/{name}"))
        program = str(places[-1]) if places else shutil.which(name)
        if program is not None:
            found[f"3.{minor}"] = program
    return found or {f"3.{sys.version_info.minor}": sys.executable}


@pytest.mark.proves("script-processes")
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.parametrize(("version", "python"), pythons().items())
def test_scripts_and_their_processes_call_tools(project, version, python):
    project.put("a.txt", "hi\n")
    made = [python, "-m", "venv", "--without-pip", str(project.folder / ".venv")]
    if subprocess.run(made, capture_output=True, check=False).returncode:
        pytest.skip(f"{python} makes no virtual environment")

    async def story(call):
        return await call("execute_code", code=CODE, timeout=50)

    answer = project.run(story, config={"code": {"backend": "python"}})
    wanted = [f"{version} 3", "3", "[3, 3, 3]", "3", "[3, 3]", "[3, 3]", "not_found"]
    assert answer["stdout"].splitlines() == wanted, answer
    assert "stderr" not in answer
