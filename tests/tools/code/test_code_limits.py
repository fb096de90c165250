"""What code may use: limits that bite, each met by code that wants more."""

import shutil
import time
from pathlib import Path

import pytest

LIMITED = """\
profiles:
  small:
    allow: ['*']
    limits: {memory_mb: 300, processes: 40}
"""
ALLOCATING = (
    "import os, time\n"
    "for n in range(3):\n"
    "    with open({place!r} + f'/big{{n}}', 'wb') as file:\n"
    "        os.posix_fallocate(file.fileno(), 0, 30 << 20)\n"
    "print('written', flush=True)\ntime.sleep(60)\n"
)


@pytest.fixture
def small(project, hermes_home):
    (hermes_home / "hermes_permissions.yaml").write_text(LIMITED)

    def run(code, **more):
        return project.run(lambda call: call("code_execute", code=code, **more), profile="small")

    return run


@pytest.fixture
def narrow(monkeypatch, tmp_path):
    """Let code write no more than 50 MB: the disk is that of other tests, too."""
    monkeypatch.setattr("hermes.services.running.scratch.MOST_MEGABYTES", 50)
    if shutil.disk_usage(tmp_path).free < 1 << 30:
        pytest.skip("needs 1 GB of free disk")


@pytest.mark.proves("code-limits")
def test_a_folder_that_grows_too_large_ends_its_code_and_is_removed(project, narrow):
    began = time.monotonic()
    answer = project.call("code_execute", code=ALLOCATING.format(place="."), timeout=50)
    assert answer["reason"] == "Stopped: its folder held more than 50 MB.", answer
    assert (answer["status"], answer["stdout"]) == ("error", "written\n")
    assert time.monotonic() - began < 30


@pytest.mark.proves("code-limits")
@pytest.mark.parametrize("more", [{"workdir": "."}, {}], ids=["in the workspace", "elsewhere"])
def test_code_that_fills_the_disk_is_stopped_wherever_it_writes(project, narrow, more):
    place = "." if more else str(project.folder)
    answer = project.call("code_execute", code=ALLOCATING.format(place=place), timeout=50, **more)
    for path in project.folder.glob("big*"):
        path.unlink()
    assert answer["reason"] == "Stopped: the disk lost more than 50 MB while it ran.", answer


@pytest.mark.proves("code-limits")
def test_memory_has_an_end(small):
    answer = small("x = []\nwhile True:\n    x.append(bytearray(10 << 20))", timeout=40)
    assert answer["status"] == "error"
    assert "MemoryError" in answer["stderr"], answer
    assert small("len(bytearray(100 << 20))")["value"] == str(100 << 20)


@pytest.mark.proves("code-limits")
def test_processes_have_an_end(small):
    code = (
        "import subprocess\nbegun = []\ntry:\n    for n in range(200):\n"
        "        begun.append(subprocess.Popen(['sleep', '4324']))\n"
        "except OSError as error:\n    print(len(begun) < 150, error.strerror)\n"
    )
    answer = small(code, timeout=40)
    assert answer["stdout"] == "True Resource temporarily unavailable\n", answer
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if _has(path, b"4324")]
    assert left == []


def _has(path, word):
    try:
        return word in path.read_bytes().split(b"\0")
    except OSError:
        return False
