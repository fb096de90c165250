import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import InvalidArguments
from hermes.services.terminal.watching import usable


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a*)*b", "(a|aa)+$", "((x+)y?)*z", "(?:.*,){20}P"])
def test_a_pattern_that_can_take_forever_is_refused(pattern):
    with pytest.raises(InvalidArguments, match="forever"):
        usable([pattern])


PLAIN = ["ready", r"listening on .*:\d+", "(error|fail).*", r"^\[\w+\] done$", "a{2,3}+?b", "["]


def test_ordinary_patterns_are_taken_as_they_are():
    assert usable(PLAIN) == tuple(PLAIN)


@given(st.text(alphabet="ab().*+|?{}[]1,$^\\", max_size=12))
def test_what_is_taken_is_quick(pattern):
    try:
        (taken,) = usable([pattern])
        with warnings.catch_warnings(action="ignore"):
            compiled = re.compile(taken)
    except (InvalidArguments, re.error, OverflowError):
        return
    compiled.search("ab" * 60 + "!")  # the test's own time limit ends it otherwise
