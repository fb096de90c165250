"""The set-up of .venv, for real: in a fresh clone, with the package index of this machine."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
UV = shutil.which("uv") or shutil.which("uv", path=str(ROOT / ".venv" / "bin"))
WITH_UV = {"PATH": f"{Path(UV).parent}:{os.environ['PATH']}"} if UV else {}


@pytest.fixture(scope="module")
def make_venv():
    spec = importlib.util.spec_from_file_location("make_venv", ROOT / "scripts" / "make_venv.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.proves("frame-first-run", "frame-together")
def test_first_runs_that_start_together_set_up_once_and_all_answer(clone, run):
    started = [
        subprocess.Popen(
            [clone / "hermes", "--version"],
            env=os.environ | WITH_UV,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    answers = [process.communicate(timeout=55) for process in started]
    assert [out for out, _ in answers] == [f"hermes {VERSION}\n"] * 3, answers
    assert sum(err.count("Setting up hermes") for _, err in answers) == 1
    assert run(clone / "hermes", "--version").stderr == ""


@pytest.mark.proves("frame-pip")
def test_the_set_up_falls_back_to_pip_where_uv_cannot_be_had(clone, run, bare_path):
    (clone / "requirements" / "uv.lock").write_text(f"uv==0.0.0 --hash=sha256:{'0' * 64}\n")
    keep_one_package(clone)
    done = run(clone / "hermes", "--version", PATH=bare_path)
    assert done.stdout == f"hermes {VERSION}\n", done.stderr
    assert "installing packages with pip" in done.stderr


@pytest.mark.proves("frame-half-made", "frame-locks")
def test_a_package_that_does_not_match_its_hash_stops_the_set_up_and_leaves_nothing(clone, run):
    keep_one_package(clone, hashes=[f"sha256:{'0' * 64}"])
    done = run(clone / "hermes", "--version", **WITH_UV)
    assert (done.stdout, done.returncode) == ("", 69)
    assert "the set-up failed" in done.stderr
    assert not (clone / ".venv").exists()


@pytest.mark.proves("frame-half-made")
def test_a_set_up_that_is_ended_early_leaves_nothing(clone):
    process = subprocess.Popen(
        [clone / "scripts" / "venv", "base"],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "Setting up" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 143
    assert not (clone / ".venv").exists()


def test_a_folder_that_is_no_venv_is_left_alone(clone, run):
    (clone / ".venv").mkdir()
    (clone / ".venv" / "precious").touch()
    assert "is not a virtual environment" in run(clone / "hermes").stderr
    assert (clone / ".venv" / "precious").exists()


def keep_one_package(clone, *, hashes=None):
    """Shorten the lock to one small package, so that slow ways stay quick."""
    lock = clone / "requirements" / "base.lock"
    pin, rest = re.search(r"^(idna==\S+)((?:.*\\\n)+.*)", lock.read_text(), re.MULTILINE).groups()
    hashes = hashes or re.findall(r"sha256:\w+", rest)
    lock.write_text(" ".join([pin, *(f"--hash={known}" for known in hashes)]) + "\n")


@pytest.mark.proves("frame-index")
def test_pip_settings_become_uv_settings_and_the_environment_wins(make_venv):
    said = "\n".join(
        [
            "WARNING: something",
            ":env:.find-links='/wheels /more'",
            "global.extra-index-url='\\nhttps://a/simple\\nhttps://b/simple'",
            "global.find-links='/old'",
            "global.index-url='https://all/simple'",
            "install.index-url='https://mirror/simple'",
            "install.no-index='true'",
            "freeze.timeout='10'",
        ]
    )
    assert make_venv.as_uv_settings(said) == {
        "UV_DEFAULT_INDEX": "https://mirror/simple",
        "UV_INDEX": "https://a/simple https://b/simple",
        "UV_FIND_LINKS": "/wheels,/more",
        "UV_NO_INDEX": "1",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }


@pytest.mark.parametrize("setting", ["UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_NO_INDEX"])
def test_a_user_who_has_set_uv_up_is_not_overruled(make_venv, setting, tmp_path):
    assert not make_venv.own_uv_settings({"HOME": str(tmp_path)})
    assert make_venv.own_uv_settings({"HOME": str(tmp_path), setting: "x"})
    (tmp_path / ".config" / "uv").mkdir(parents=True)
    (tmp_path / ".config" / "uv" / "uv.toml").touch()
    assert make_venv.own_uv_settings({"HOME": str(tmp_path)})
