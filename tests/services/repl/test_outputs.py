"""Messages of a session become what a model reads."""

import base64

from hypothesis import given
from hypothesis import strategies as st

from hermes.services.repl.outputs import shown
from hermes.services.repl.session import Lines

PNG = b"\x89PNG\r\n\x1a\n"
DONE = {"kind": "done", "status": "ok", "count": 3}


def test_text_and_images_stand_in_their_places():
    data = {"image/png": base64.b64encode(PNG).decode(), "text/plain": "<Figure>"}
    cell = shown(
        [
            {"kind": "stream", "name": "stdout", "text": "\x1b[31ma\x1b[0m\n"},
            {"kind": "display_data", "data": data},
            {"kind": "display_data", "data": {"text/plain": "shown"}},
            {"kind": "execute_result", "data": {"text/plain": "42"}},
            DONE,
        ]
    )
    assert cell.answer == {
        "value": "42",
        "status": "ok",
        "count": 3,
        "output": "a\nshown\n",
        "images": 1,
    }
    assert cell.images == [("image/png", PNG)]


def test_what_has_only_a_rich_form_is_shown_as_its_text():
    html = {"text/plain": "<IPython.core.display.HTML object>", "text/html": "<b>1</b>"}

    assert shown([{"kind": "execute_result", "data": html}]).answer == {"value": "<b>1</b>"}


def test_more_images_than_anybody_looks_at_are_counted_only():
    data = {"image/png": base64.b64encode(PNG).decode()}
    cell = shown([{"kind": "display_data", "data": data}] * 10)

    assert (len(cell.images), cell.answer["images_left_out"]) == (8, 2)


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_lines_that_are_no_messages_are_passed_over(parts):
    heard = []
    lines = Lines(heard.append)
    for part in parts:
        lines.feed(0, part)
    lines.feed(0, b'\n{"kind": "done"}\n')

    assert heard[-1] == {"kind": "done"}
    assert all(isinstance(message, dict) for message in heard)
