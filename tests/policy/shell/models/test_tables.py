import importlib
import pkgutil
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.policy.shell import models
from hermes.policy.shell.effects import UNKNOWN, Effect
from hermes.policy.shell.model import Program, alternatives, rules, told_apart
from hermes.policy.shell.table import table

MODULES = [
    importlib.import_module(f"{models.__name__}.{found.name}")
    for found in pkgutil.iter_modules(models.__path__)
]
TABLES = [module for module in MODULES if hasattr(module, "PROGRAMS")]
RULED = [module for module in MODULES if hasattr(module, "RULES")]
ROLES = {
    "text", "read", "read-tree", "write", "delete", "delete-tree", "net", "send", "run", "script",
    "command",
}  # fmt: skip


def name(module):
    return module.__name__.rpartition(".")[2]


@pytest.mark.parametrize("module", RULED, ids=name)
def test_every_line_of_rules_is_a_rule(module):
    lines = [line for line in module.RULES.splitlines() if "=>" in line]

    found = list(rules(module.RULES))

    assert len(found) >= len(lines)


def test_a_rule_with_a_mark_is_a_catastrophe():
    (_, asked), (_, never) = rules("x rm => disk: loses {}\nx wipe => disk!: loses {}")

    assert (asked.category, asked.is_never) == ("disk", False)
    assert (never.category, never.is_never) == ("disk", True)


@pytest.mark.parametrize("module", RULED, ids=name)
def test_a_rule_says_one_clause_without_a_full_stop(module):
    wrong = [
        rule.sentence
        for _, rule in rules(module.RULES)
        if not rule.sentence or rule.sentence.endswith(".") or rule.sentence[0].isspace()
    ]

    assert wrong == []


def test_no_program_is_described_twice():
    homes = Counter(
        (key, name(module))
        for module in TABLES
        for keys in module.PROGRAMS
        for key in alternatives(keys)
    )
    keys = Counter(key for key, _ in homes)

    twice = sorted(key for key, count in keys.items() if count > 1)

    assert twice == []


@pytest.mark.parametrize("module", TABLES, ids=name)
def test_every_role_is_one_that_the_interpreter_knows(module):
    used = {
        role.rstrip("*")
        for program in module.PROGRAMS.values()
        for text in (program.operands, *program.options.values(), *program.when.values())
        for role in text.split()
    }

    assert {role for role in used if role not in ROLES and not role.startswith("code:")} == set()


@pytest.mark.parametrize("module", TABLES, ids=name)
def test_options_are_spelled_as_they_are_typed(module):
    words = [
        word
        for program in module.PROGRAMS.values()
        for text in (
            program.values,
            program.dry,
            *(key.replace("|", " ") for key in program.options),
        )
        for word in text.split()
    ]

    assert [word for word in words if not word.startswith(("-", "+", "/"))] == []


@pytest.mark.parametrize("module", TABLES, ids=name)
def test_a_table_holds_programs(module):
    assert all(isinstance(program, Program) for program in module.PROGRAMS.values())


HANDLED = [
    (key, program.handler)
    for module in TABLES
    for keys, program in module.PROGRAMS.items()
    for key in alternatives(keys)
    if program.handler is not None
]
VOCABULARY = sorted(
    {
        word
        for module in RULED
        for _, rule in rules(module.RULES)
        for choices in rule.pattern.words
        for word in choices
    }
)
WORDS = st.lists(
    st.sampled_from(VOCABULARY)
    | st.sampled_from(["--", "-", "-c", "-e", "-f", "--eval=", "=", "a=b", "+x", "a:b", UNKNOWN])
    | st.text(max_size=8),
    max_size=8,
)


@settings(max_examples=400)
@given(st.sampled_from(range(len(HANDLED))), WORDS)
def test_no_handler_breaks_on_any_words(index, words):
    key, handler = HANDLED[index]
    program, *subcommands = key.split()
    call = told_apart(program, [*subcommands, *words], table().programs[key])

    effects = list(handler(call))

    assert all(isinstance(effect, Effect) for effect in effects)
