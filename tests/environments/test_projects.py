"""What is seen of a project."""

import asyncio

import pytest

from hermes import Runtime
from hermes.app.developing import sites
from hermes.environments.programs import Program, run
from hermes.environments.projects import Search, look
from hermes.runtime.context import ToolContext

SEARCH = Search(("a.toml", "b.json"), ("a.toml",), ("sh", "mine", "nothing-like-this"))


def at_site(folder, story, **options):
    async def main():
        async with Runtime(cwd=folder, **options) as rt:
            await rt.call("terminal", {"command": "true"})
            ctx = ToolContext(rt.task(), "call", rt.services)
            async with sites(rt.services, rt.settings)(ctx) as site:
                return await asyncio.wait_for(story(site), 30)

    return asyncio.run(main())


@pytest.fixture
def folder(tmp_path):
    for name, text in {
        "a.toml": "x = 1",
        "sub/a.toml": "x = 2",
        "sub/b.json": '{"y": 3}',
        "sub/code.py": "",
        "sub/node_modules/dep.py": "",
        "sub/strange\nname.py": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    mine = tmp_path / "node_modules/.bin/mine"
    mine.parent.mkdir(parents=True)
    mine.write_text("#!/bin/sh\n", encoding="utf-8")
    mine.chmod(0o755)
    return tmp_path


def test_the_nearest_settings_count(folder):
    seen = at_site(folder, lambda site: look(site, (f"{folder}/sub",), SEARCH))
    assert seen.find("a.toml") == f"{folder}/sub/a.toml"
    assert seen.toml("a.toml") == {"x": 2}
    assert seen.home_of("nothing") == f"{folder}/sub"


def test_files_are_listed_without_what_is_made_again(folder):
    seen = at_site(folder, lambda site: look(site, (f"{folder}/sub",), SEARCH))
    assert sorted(seen.with_suffix([".py"])) == [
        f"{folder}/sub/code.py",
        f"{folder}/sub/strange\nname.py",
    ]


def test_programs_of_the_project_are_found_first(folder):
    seen = at_site(folder, lambda site: look(site, (str(folder),), SEARCH))
    assert seen.programs["mine"] == f"{folder}/node_modules/.bin/mine"
    assert seen.programs["sh"].startswith("/") and "nothing-like-this" not in seen.programs


def test_programs_of_the_project_are_not_found_where_code_may_not_be_run(folder):
    seen = at_site(folder, lambda site: look(site, (str(folder),), SEARCH), profile="readonly")
    assert "mine" not in seen.programs and "sh" in seen.programs


def test_git_says_what_is_ignored(folder):
    import subprocess

    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / ".gitignore").write_text("code.py\n", encoding="utf-8")
    seen = at_site(folder, lambda site: look(site, (str(folder),), SEARCH))
    assert f"{folder}/sub/code.py" not in seen.files
    assert f"{folder}/sub/b.json" in seen.files


def test_a_program_is_fed_heard_and_stopped(folder):
    async def story(site):
        echo = await run(site.environment, Program(("cat",), str(folder), b"x" * 300_000))
        late = await run(
            site.environment, Program(("sh", "-c", "echo a; sleep 60"), str(folder), seconds=0.5)
        )
        named = await run(
            site.environment, Program(("sh", "-c", "echo $A; exit 3"), "/", env={"A": "b c"})
        )
        return echo, late, named

    echo, late, named = at_site(folder, story)
    assert echo.output == b"x" * 300_000
    assert late.is_timed_out and late.output == b"a\n" and late.seconds < 10
    assert (named.code, named.output) == (3, b"b c\n")
