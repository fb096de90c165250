"""Checks: what a command changes is there for the next one, in this task and in no other."""

from __future__ import annotations

from hermes.environments.conformance.bench import Bench
from hermes.environments.conformance.suite import check, holds, same

_ODD = 'it\'s "odd" $HOME `x` \\n !*?[a] ünïcode 漢字\tand\na second line\n\n'


@check()
async def starts_in_its_root(bench: Bench) -> None:
    """The first command runs in the folder of the task."""
    ran = await bench.run("pwd")
    same(ran.out.decode(), f"{bench.environment.root}\n")
    same(ran.outcome.cwd, bench.environment.root, "cwd")


@check()
async def cd_lasts(bench: Bench) -> None:
    """The next command runs where the last one left off, and its answer says where that is."""
    ran = await bench.run("mkdir -p deep/er && cd deep/er")
    same(ran.outcome.cwd, bench.path("deep/er"), "cwd")
    same((await bench.out("pwd")).decode(), bench.path("deep/er") + "\n")


@check()
async def cd_back_works(bench: Bench) -> None:
    """The shell knows the folder that it was in before."""
    await bench.run("mkdir one two && cd one && cd ../two")
    same((await bench.run("cd - >/dev/null")).outcome.cwd, bench.path("one"), "cwd")


@check()
async def cd_in_a_subshell_does_not_last(bench: Bench) -> None:
    """A subshell changes only its own folder."""
    ran = await bench.run("mkdir sub && (cd sub && pwd)")
    same(ran.out.decode(), bench.path("sub") + "\n")
    same((await bench.run("pwd")).outcome.cwd, bench.environment.root, "cwd")


@check()
async def exported_variables_last(bench: Bench) -> None:
    """Later commands and their programs see what was exported."""
    await bench.run("export ONE=1 TWO='two words'")
    same(await bench.out("sh -c 'echo $ONE,$TWO'"), b"1,two words\n")


@check()
async def plain_variables_last_and_stay_plain(bench: Bench) -> None:
    """The shell keeps a variable that was not exported, and programs do not see it."""
    await bench.run("PLAIN=here")
    same(await bench.out("echo $PLAIN; sh -c 'echo [$PLAIN]'"), b"here\n[]\n")


@check()
async def odd_values_last(bench: Bench) -> None:
    """Quotes, line breaks and every script survive in a variable."""
    await bench.run("", env={"ODD": _ODD})
    same((await bench.out('printf %s "$ODD"; printf %s x')).decode(), _ODD + "x")
    same((await bench.out("sh -c 'printf %s \"$ODD\"'")).decode(), _ODD)


@check()
async def arrays_last(bench: Bench) -> None:
    """Lists and tables of the shell are kept."""
    await bench.run("list=(a 'b c' d); declare -A table=([x]=1 [y z]=2)")
    same(await bench.out('echo "${list[1]}" "${#list[@]}" "${table[y z]}"'), b"b c 3 2\n")


@check()
async def integers_and_read_only_variables_last(bench: Bench) -> None:
    """What is special about a variable is kept."""
    await bench.run("declare -i number=5; readonly FIXED=yes")
    same(await bench.out("number+=2; echo $number $FIXED"), b"7 yes\n")
    same((await bench.run("(FIXED=no) 2>/dev/null")).code, 1, "code")


@check()
async def unset_lasts(bench: Bench) -> None:
    """A variable that was removed stays away."""
    await bench.run("export GONE=1")
    await bench.run("unset GONE")
    same(await bench.out("echo [${GONE-none}]"), b"[none]\n")


@check()
async def functions_last(bench: Bench) -> None:
    """A function can be called by later commands."""
    await bench.run('greet() { local name=$1; echo "hello, $name"; }')
    same(await bench.out("greet you"), b"hello, you\n")


@check()
async def exported_functions_reach_programs(bench: Bench) -> None:
    """A function that was exported is there in a shell that a command starts."""
    await bench.run("shared() { echo shared; }; export -f shared")
    same(await bench.out("bash -c shared"), b"shared\n")


@check()
async def aliases_last(bench: Bench) -> None:
    """An alias stands for its words in later commands."""
    await bench.run("alias say='echo said'")
    same(await bench.out("say it"), b"said it\n")


@check()
async def options_last(bench: Bench) -> None:
    """Options of the shell stay as they were set."""
    await bench.run("set -o pipefail; shopt -s nullglob; set -f")
    same((await bench.run("false | true")).code, 1, "code")
    same(await bench.out("set +f; echo no*such"), b"\n")


@check()
async def strict_options_cost_nothing(bench: Bench) -> None:
    """A shell that stops at errors and overwrites no file still works, and keeps its state."""
    await bench.run("set -e -u -o noclobber")
    for number in range(3):
        same(await bench.out(f"echo {number}; export N={number}"), f"{number}\n".encode())
    await bench.run("kill -9 $$")
    same(await bench.out("echo $N"), b"2\n")


@check()
async def a_trap_for_errors_hears_only_those_of_commands(bench: Bench) -> None:
    """A command that is well is not told of the failure of the one before it."""
    await bench.run("trap 'echo failed' ERR; false")
    same(await bench.out("true"), b"")


@check()
async def umask_lasts(bench: Bench) -> None:
    """New files of later commands are as private as was asked for."""
    await bench.run("umask 077")
    same(await bench.out("umask; touch private; stat -c %a private"), b"0077\n600\n")


@check()
async def the_fiftieth_command_has_it_all(bench: Bench) -> None:
    """Aliases and functions that were defined once work fifty commands later."""
    await bench.run("f() { echo f; }; alias a='echo a'; export X=x; y=y")
    for _ in range(48):
        same((await bench.run("true")).code, 0, "code")
    same(await bench.out("f; a; echo $X $y"), b"f\na\nx y\n")


@check()
async def variables_of_the_task_are_set_and_last(bench: Bench) -> None:
    """What a caller sets for a command is exported, for it and for those after it."""
    same(await bench.out("sh -c 'echo $GIVEN'", env={"GIVEN": "a b"}), b"a b\n")
    same(await bench.out("sh -c 'echo $GIVEN'"), b"a b\n")
    same(await bench.out("sh -c 'echo $GIVEN'", env={"GIVEN": "c"}), b"c\n")


@check()
async def variables_of_the_task_are_unset(bench: Bench) -> None:
    """What a caller takes away is gone, for a command and those after it."""
    await bench.run("", env={"TAKEN": "1"})
    same(await bench.out("echo [${TAKEN-none}]", unset=("TAKEN",)), b"[none]\n")
    same(await bench.out("sh -c 'echo [${TAKEN-none}]'"), b"[none]\n")


@check()
async def two_environments_do_not_see_each_other(bench: Bench) -> None:
    """Variables, functions and folders of one task are invisible in another."""
    other = await bench.another()
    await bench.run("export MINE=1; mine() { echo mine; }; alias a=echo; mkdir x; cd x")
    ran = await other.run("echo [${MINE-none}]; type mine 2>/dev/null; alias; pwd")
    same(ran.out.decode(), f"[none]\n{other.environment.root}\n")


@check()
async def a_lost_shell_comes_back_with_its_state(bench: Bench) -> None:
    """A command that kills the shell costs that command, not the task."""
    await bench.run("export A=1; b=2; f() { echo f; }; alias a='echo a'; mkdir d; cd d; umask 027")
    await bench.run("kill -9 $$")
    ran = await bench.run("echo $A $b; f; a; umask; pwd")
    same(ran.out.decode(), f"1 2\nf\na\n0027\n{bench.path('d')}\n")


@check()
async def what_was_set_before_an_exit_lasts(bench: Bench) -> None:
    """A command that ends the shell by itself leaves its state like any other."""
    same((await bench.run("mkdir e; cd e; export LEFT=1; exit 3")).code, 3, "code")
    same((await bench.out("echo $LEFT; pwd")).decode(), f"1\n{bench.path('e')}\n")


@check()
async def nothing_of_the_driver_is_shown(bench: Bench) -> None:
    """What makes the shell work is not in the way of what a person traces or lists."""
    await bench.run("set -x")
    ran = await bench.run("echo traced")
    holds(b"echo traced" in ran.err, f"no trace: {ran.err!r}")
    holds(b"__h_" not in ran.err, f"the trace shows more than the command: {ran.err!r}")
