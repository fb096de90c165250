"""Command lines: taken apart where they are plain, taken word for word where not."""

import pytest

from hermes.policy.shell.command_lines import CommandLine, Step, command_line, is_interpreter


def line(text, *commands, cwd="/nowhere"):
    return command_line(text, tuple(tuple(words.split()) for words in commands), cwd)


def test_a_plain_command_is_taken_apart():
    assert line("rm -rf  'a' ./b/../c", "rm -rf a ./b/../c") == CommandLine(
        "rm -rf  'a' ./b/../c",
        frozenset(
            {
                Step(
                    "rm",
                    (),
                    frozenset({("-r", ("",)), ("-f", ("",))}),
                    frozenset({"/nowhere/a", "/nowhere/c"}),
                )
            }
        ),
        ("rm",),
    )


def test_a_program_that_does_not_treat_its_operands_alike_keeps_its_words():
    steps = line("cp -r a b", "cp -r a b").steps
    assert steps == {Step("cp", ("-r", "a", "b"), frozenset(), frozenset())}


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("rm a | cat", ["rm a", "cat"]),
        ("rm a > b", ["rm a"]),
        ("X=1 rm a", ["rm a"]),
        ("rm a &", ["rm a"]),
        ("rm $X", ["rm x"]),
        ("rm *", ["rm *"]),
        ("rm ~/a", ["rm /home/me/a"]),
        ("rm {a,b}", ["rm a b"]),
        ("(rm a)", ["rm a"]),
        ("cd a; rm b", ["cd a", "rm b"]),
        ("sudo rm a", ["sudo rm a", "rm a"]),
        ("rm a", []),
        ("rm 'a", ["rm a"]),
    ],
)
def test_anything_else_is_taken_word_for_word(text, commands):
    found = line(text, *commands)
    assert found.steps is None
    assert found.covers(line(f" {text} ", *commands)) and not found.covers(line("rm b", "rm b"))


def test_what_is_not_understood_has_no_steps():
    found = command_line("rm a", (("rm", "a"),), "/nowhere", is_understood=False)
    assert found.steps is None


@pytest.mark.parametrize(
    ("program", "expected"),
    [("bash", True), ("/usr/bin/python3.12", True), ("node", True), ("rm", False), ("npm", False)],
)
def test_shells_and_interpreters_are_known(program, expected):
    assert is_interpreter(program) is expected
    assert line(f"{program} x", f"{program} x").interpreter == (program if expected else None)
