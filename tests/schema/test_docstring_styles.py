from hypothesis import given
from hypothesis import strategies as st

from hermes.schema.docstring_styles import read
from hermes.schema.docstrings import Docstring, parse

USUAL = ["Words here.", "More of them.", "", "Args:", "Returns:", "Raises:"]
DEEPER = [
    "    x: words",
    "    y (int): words   apart",
    "    z:",
    "    x: again",
    "        that go on",
    "    ValueError: never",
    "    only words",
]
UNUSUAL = [
    "  ",
    "Note:",
    "ends:",
    "- a bullet",
    "    x (a) - (b): c",
    "    x (a: b): c",
    "    w:: c",
    "    e (): c",
    "    x (: c",
    "   three: spaces",
    "-----",
    ":param x: y",
]
LINES = st.lists(st.sampled_from(USUAL + DEEPER) | st.sampled_from(UNUSUAL), max_size=10)
MARGINS = st.sampled_from(["\n", "\n    "])


@given(MARGINS, st.lists(st.sampled_from(USUAL + DEEPER), max_size=10) | LINES)
def test_the_usual_form_is_read_as_every_other_is(margin, lines):
    doc = margin.join(["Words first.", "", *lines])
    assert parse(doc) == Docstring(*read(doc))


def test_a_colon_in_the_words_on_the_return_does_not_make_a_type():
    doc = "S.\n\nReturns:\n    A dict with the keys: a and b.\n"
    assert parse(doc).returns == "A dict with the keys: a and b."
