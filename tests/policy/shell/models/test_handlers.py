"""Handlers read whatever words they are given."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.policy.shell.effects import UNKNOWN, Effect
from hermes.policy.shell.flow import ANYTHING, NOTHING, Flow
from hermes.policy.shell.model import told_apart
from hermes.policy.shell.models.words import words
from hermes.policy.shell.table import table

_HANDLED = {
    found.handler: (name, found)
    for name, found in table().programs.items()
    if found.handler is not None
}
_PIECES = st.sampled_from(
    words(
        "- -- -x -c -f -e -i -o -r -s -t -d -C -R -X -zxf xzf --delete --eval --post-file=a @a @-"
        " a=@b +x +!a !sh -1 -9 0 1 777 u+s a=b a:b host:/x ::m http://h/ :8000 /dev/sda /dev/null"
        " ~ . .. put rm show status EXEC:sh TCP:h:1 s/a/b/ (a w!x"
    )
)
_WORDS = st.lists(
    st.one_of(_PIECES, st.text(max_size=8), st.just(UNKNOWN), st.just("")), max_size=6
)
_PIPED = st.sampled_from([NOTHING, ANYTHING, Flow("w\nq\n"), Flow(None, (), frozenset({"file"}))])


@pytest.mark.parametrize(
    ("name", "program"), _HANDLED.values(), ids=[n for n, _ in _HANDLED.values()]
)
@settings(max_examples=25, deadline=None)
@given(given_words=_WORDS, piped=_PIPED)
def test_a_handler_yields_effects_for_any_words(name, program, given_words, piped):
    program_name, *subcommands = name.split()
    call = told_apart(program_name, given_words, program)
    call = call._replace(operands=(*subcommands, *call.operands), piped=piped)

    assert all(isinstance(effect, Effect) for effect in program.handler(call))
