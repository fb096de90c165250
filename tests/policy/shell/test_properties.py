"""Promises about any text: judged without fail, in bounded time, and never milder when wrapped."""

import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.policy.corpus import labelled
from tests.policy.shell.conftest import PLACE

from hermes.policy.shell.grammar.lexer import NotShell
from hermes.policy.shell.grammar.nodes import Simple
from hermes.policy.shell.grammar.parse import parse
from hermes.policy.shell.understanding import understand

SEVERITY = {"ask": 1, "floor": 2}
WRAPPERS = {
    "sudo": "sudo {}",
    "env": "env X=1 {}",
    "nohup": "nohup {}",
    "timeout": "timeout 60 {}",
    "time": "time {}",
    "bash": "bash -c {quoted}",
    "eval": "eval {quoted}",
    "subshell": "( {}\n)",
    "condition": "if true; then {}\nfi",
    "after": "true && {}",
    "function": "f() {{ {}\n}}; f",
    "trap": "trap {quoted} EXIT",
    "strict bash": "bash --norc -euo pipefail -c {quoted}",
    "here document": "bash -eus <<'END_OF_IT'\n{}\nEND_OF_IT",
    "debugger": "gdb -batch -ex run --args bash -c {quoted}",
    "box": "bwrap --bind / / --dev /dev bash -c {quoted}",
    "record": "script -q /dev/null bash -c {quoted}",
    "window": "tmux new -d -s w bash -c {quoted}",
    "other version": "nvm exec 20 bash -c {quoted}",
    "other user": "gosu dev bash -c {quoted}",
    "recipes": "just -c bash -c {quoted}",
    "nobody knows": "some-wrapper --fast bash -c {quoted}",
}
NEEDS_A_PROGRAM = {"sudo", "env", "nohup", "timeout", "time"}
OWN = {
    "eval", ".", "source", "exec", "trap", "alias", "export", "set", "history", "unset", "cd",
    "declare", "printf", "hash", "shopt", "read", "unalias", "ulimit", "umask", "enable", "coproc",
    "command", "builtin", "readonly", "local", "typeset", "test", "[", "let",
}  # fmt: skip
PIECES = [
    "rm", "-rf", "/", "~", "$HOME", "*", "$(", ")", "`", "'", '"', "|", "&&", ";", "\n", "<<E", "E",
    "curl", "https://x.example", "sh", "${x:-y}", "eval", "for", "in", "do", "done", "{", "}", ">",
    "/dev/sda", "find", "-exec", "{}", "\\;", "xargs", "python3", "-c", "import os", "git", "push",
    "--force", "x=1", "$x", "((", "))", "[[", "]]", "function", "f()", "case", "esac", "\\", "#",
]  # fmt: skip


def severity(command):
    found = understand(command, PLACE).findings
    return max((SEVERITY[finding.severity] for finding in found), default=0)


def is_simple(command):
    try:
        script = parse(command)
    except NotShell:
        return False
    commands = [one for pipeline in script.pipelines for one in pipeline.commands]
    return len(commands) == 1 and isinstance(commands[0], Simple) and not commands[0].assignments


@example("for \\")
@given(st.text(max_size=400) | st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join))
@pytest.mark.proves("shell-any-text")
def test_any_text_is_judged(text):
    meaning = understand(text, PLACE)
    for finding in meaning.findings:
        assert 0 <= finding.span[0] <= finding.span[1] <= len(text) + 2
        assert finding.what


@pytest.mark.proves("shell-any-text")
@pytest.mark.parametrize(
    "unit",
    ["a", "(", "$(", "{ ", "a;", "a|", "'", '"', "`", "\\", "\n", "<<E\n", "${x:-", "((", "[[ ",
     "#", "if a;then ", "rm -rf x\n", "$x", "*", "for i in 1 2 3;do ", "echo $(", "x=$x$x;", "é",
     "\0"],
)  # fmt: skip
def test_a_megabyte_of_anything_is_judged(unit):
    text = unit * (1_000_000 // len(unit))
    assert understand(text, PLACE) is not None


@pytest.mark.proves("shell-wrappers")
@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_never_makes_a_verdict_milder(name):
    milder = []
    for entry in [*labelled("floor"), *labelled("dangerous")[::3]]:
        command = entry["command"]
        if name in NEEDS_A_PROGRAM and (not is_simple(command) or command.split()[0] in OWN):
            continue
        wrapped = WRAPPERS[name].format(command, quoted=shlex.quote(command))
        if severity(wrapped) < severity(command):
            milder.append(command)
    assert milder == []


@pytest.mark.proves("shell-wrappers")
def test_quotes_around_words_never_make_a_verdict_milder():
    milder = []
    for entry in labelled("floor"):
        command = entry["command"]
        name, _, rest = command.partition(" ")
        if is_simple(command) and name.isalpha() and name not in OWN:
            quoted = f"'{name[0]}'\"{name[1:]}\" {rest}"
            if severity(quoted) < severity(command):
                milder.append(command)
    assert milder == []
