"""What keeps the project honest: skips, shell scripts, links between pages, the changelog."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def skips():
    spec = importlib.util.spec_from_file_location("skips", ROOT / "scripts" / "skips.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.proves("frame-skips")
def test_a_skip_is_avoidable_only_if_its_package_can_be_had(skips, tmp_path, monkeypatch, capsys):
    report = tmp_path / "skips.jsonl"
    report.write_text(
        '{"test": "t1", "reason": "needs a camera"}\n'
        '{"test": "t2", "reason": "needs b (apt package nowhere)"}\n'
        '{"test": "t3", "reason": "needs c (npm package @x/y)"}\n'
    )
    asked = []
    monkeypatch.setattr(skips, "can_be_had", lambda *part: bool(asked.append(part)))
    assert (skips.main(report), asked) == (0, [("apt", "nowhere"), ("npm", "@x/y")])
    monkeypatch.setattr(skips, "can_be_had", lambda installer, _: installer == "npm")
    assert skips.main(report) == 1
    assert "t3" in capsys.readouterr().err


def test_skips_are_recorded_with_their_reasons(skips, run, tmp_path):
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_x.py").write_text(
        "import pytest\n"
        "def test_a(): pytest.skip('needs a')\n"
        "@pytest.mark.skipif(True, reason='needs b')\n"
        "def test_b(): pass\n"
        "def test_c(): pass\n"
    )
    (tmp_path / "test_y.py").write_text(
        "import pytest\npytest.skip('needs y', allow_module_level=True)\n"
    )
    report = tmp_path / "out" / "skips.jsonl"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "1"]
    run(*command, "--rootdir", str(tmp_path), str(tmp_path), HERMES_SKIPS=str(report), cwd=tmp_path)
    assert sorted(skips.read(report)) == [
        ("test_x.py::test_a", "needs a"),
        ("test_x.py::test_b", "needs b"),
        ("test_y.py", "needs y"),
    ]


def test_shell_scripts_are_clean(run):
    if shutil.which("shellcheck") is None:
        pytest.skip("needs shellcheck (apt package shellcheck)")
    found = [
        "hermes",
        "test",
        "scripts/venv",
        "scripts/parts",
        "scripts/apptainer",
        "scripts/lock",
        "scripts/node",
        "scripts/weights",
        "scripts/mcp",
        "scripts/miniwob",
        "scripts/feeds",
        "scripts/articles",
        ".ci/run",
    ]
    done = run("shellcheck", *found, cwd=ROOT)
    assert done.stdout + done.stderr == ""


def test_every_part_has_four_columns(run):
    rows = run(ROOT / "scripts" / "parts", "list").stdout.splitlines()
    assert rows
    assert [
        row for row in rows if len([cell for cell in row.split("|") if cell.strip()]) != 4
    ] == []


def markdown_files():
    return [
        path
        for path in ROOT.rglob("*.md")
        if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
    ]


def test_links_between_pages_lead_somewhere():
    broken = [
        f"{path.relative_to(ROOT)}: {link}"
        for path in markdown_files()
        for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", path.read_text(encoding="utf-8"))
        if "://" not in link and not link.startswith("mailto:")
        if not (path.parent / link).exists()
    ]
    assert broken == []


def test_changelog_fragments_are_well_named_and_assemble(run, tmp_path):
    shutil.copytree(ROOT / "changelog", tmp_path / "changelog")
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    done = run(sys.executable, ROOT / "scripts" / "changelog.py", "--draft", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
