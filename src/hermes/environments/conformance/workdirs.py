"""Checks: a folder that is given for one command is for that command only, whatever its name."""

from __future__ import annotations

from hermes.environments.conformance.bench import Bench
from hermes.environments.conformance.suite import check, holds, same


async def _works_in(bench: Bench, name: str) -> None:
    path = bench.path(name)
    await bench.files.make_folder(path)
    ran = await bench.run("pwd; touch here", cwd=path)
    same(ran.out.decode("utf-8", "replace"), f"{path}\n")
    same([one.path for one in await bench.files.list(path)], [f"{path}/here"])
    same((await bench.run("pwd")).outcome.cwd, bench.environment.root, "cwd")


@check()
async def workdir_is_for_one_command_only(bench: Bench) -> None:
    """The next command runs where the task was."""
    await _works_in(bench, "once")


@check()
async def workdir_with_spaces(bench: Bench) -> None:
    """Spaces are part of a name."""
    await _works_in(bench, " a  b ")


@check()
async def workdir_with_parentheses(bench: Bench) -> None:
    """Parentheses are part of a name."""
    await _works_in(bench, "app/(group)/[id]")


@check()
async def workdir_in_unicode(bench: Bench) -> None:
    """Every script names folders."""
    await _works_in(bench, "Übung-漢字-🙂")


@check()
async def workdir_with_quotes_and_dollars(bench: Bench) -> None:
    """Nothing in a name is read by the shell."""
    await _works_in(bench, 'it\'s "$HOME" `id` \\ & ; -x')


@check()
async def workdir_that_begins_with_a_dash(bench: Bench) -> None:
    """A name is no option."""
    await _works_in(bench, "-P")


@check()
async def cd_in_a_workdir_does_not_last(bench: Bench) -> None:
    """Where a command went from its own folder is forgotten with it."""
    await bench.run("mkdir -p given/inner kept; cd kept")
    same((await bench.run("cd inner", cwd=bench.path("given"))).code, 0, "code")
    same((await bench.out("pwd")).decode(), bench.path("kept") + "\n")


@check()
async def what_is_set_in_a_workdir_lasts(bench: Bench) -> None:
    """Only the folder is for one command; what it sets is for the task."""
    await bench.run("mkdir given")
    await bench.run("export SET=there", cwd=bench.path("given"))
    same(await bench.out("echo $SET"), b"there\n")


@check()
async def a_missing_workdir_is_told(bench: Bench) -> None:
    """The command does not run anywhere else, and the task goes on."""
    ran = await bench.run("touch ran; echo ran", cwd=bench.path("missing"))
    holds(ran.code not in (0, None), f"code {ran.code}")
    holds(b"missing" in ran.err + ran.outcome.note.encode(), f"nothing is said: {ran}")
    same(ran.out, b"")
    ran = await bench.run("[ ! -e ran ] && pwd")
    same((ran.code, ran.out.decode()), (0, f"{bench.environment.root}\n"))


@check()
async def a_file_is_no_workdir(bench: Bench) -> None:
    """A file in the place of a folder is told like a missing one."""
    await bench.run("touch file")
    ran = await bench.run("echo ran", cwd=bench.path("file"))
    holds(ran.code not in (0, None), f"code {ran.code}")
    same(ran.out, b"")


@check()
async def a_folder_removed_underneath_costs_nothing(bench: Bench) -> None:
    """When the task's folder is gone, the next command runs in a folder that is there."""
    await bench.run("mkdir doomed; cd doomed; rmdir ../doomed")
    ran = await bench.run("echo still; pwd")
    same(ran.code, 0, "code")
    same(ran.out.decode(), f"still\n{bench.environment.root}\n")
    holds("doomed" in ran.outcome.note, f"nothing is said: {ran.outcome.note!r}")
