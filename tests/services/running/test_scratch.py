"""What is told of a folder is read as it is meant, whatever is in it."""

import base64

from hypothesis import given
from hypothesis import strategies as st

from hermes.services.running import scratch


def test_all_that_was_left_is_read():
    value, image = base64.b64encode(b"'so'").decode(), base64.b64encode(b"\x89PNG").decode()
    told = f"folder\nvalue {value}\nfigure {image}\nfile 3 a b.txt\nkept\n"

    assert scratch.found(told.encode()) == scratch.Found(
        "'so'", (b"\x89PNG",), (("a b.txt", 3),), 1, frozenset({"folder"})
    )


@given(st.binary(max_size=200))
def test_anything_else_is_passed_over(told):
    assert isinstance(scratch.found(told), scratch.Found)
