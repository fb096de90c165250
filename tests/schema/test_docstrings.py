import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.schema.docstrings import Docstring, parse

GOOGLE = """Get the weather
    of a city.

    Use it when the user
    asks about   rain:

    - today
    - tomorrow,
      or later

    Args:
        city (str): The city
            to look up.

            Any language.
        days (int, optional): How many days.
        fn (Callable[[int], str]): Called: for each.
        *rest: Others.

    Returns:
        dict[str, int]: The forecast
            by day.

    Raises:
        ValueError: never.

    Note:
        Costs money.
    """

NUMPY = """Get the weather.

    Free words.

    Parameters
    ----------
    city : str
        The city
        to look up.
    days, hours : int, optional
        How many.
    flag
        Bare name.
    **kwargs : dict
        More.

    Returns
    -------
    dict
        The forecast.

    Raises
    ------
    ValueError
        Never.

    Examples
    --------
    >>> get_weather("Oslo")
    'rain'
    """

SPHINX = """Get the weather.

    Free words.

    :param city: The city
        to look up.
    :type city: str
    :param int days: How many
    days.
    :param list[str] tags: Tags.
    :return: The forecast.
    :rtype: dict
    :raises ValueError: never.
    """


def test_google_sections_are_read():
    assert parse(GOOGLE) == Docstring(
        summary="Get the weather of a city.",
        description="Get the weather of a city.\n\nUse it when the user asks about rain:\n\n"
        "- today\n- tomorrow, or later\n\nNote: Costs money.",
        parameters={
            "city": "The city to look up. Any language.",
            "days": "How many days.",
            "fn": "Called: for each.",
            "rest": "Others.",
        },
        returns="The forecast by day.",
    )


def test_numpy_sections_are_read():
    assert parse(NUMPY) == Docstring(
        summary="Get the weather.",
        description="Get the weather.\n\nFree words.\n\n"
        "Examples:\n>>> get_weather(\"Oslo\")\n'rain'",
        parameters={
            "city": "The city to look up.",
            "days": "How many.",
            "hours": "How many.",
            "flag": "Bare name.",
            "kwargs": "More.",
        },
        returns="dict The forecast.",
    )


def test_sphinx_fields_are_read():
    assert parse(SPHINX) == Docstring(
        summary="Get the weather.",
        description="Get the weather.\n\nFree words.",
        parameters={"city": "The city to look up.", "days": "How many days.", "tags": "Tags."},
        returns="The forecast.",
    )


@pytest.mark.parametrize("doc", [None, "", "   \n  \n"])
def test_no_docstring_has_no_parts(doc):
    assert parse(doc) == Docstring("", "", {}, "")


@pytest.mark.parametrize(
    ("doc", "parameters"),
    [
        ("S.\n\nArgs:\nx: flush left\ny: too\n\nMore.", {"x": "flush left", "y": "too"}),
        ("S.\n\nArgs:\n    x - a dash\n    y -- two", {"x": "a dash", "y": "two"}),
        ("S.\n\nArgs:\n    - x: a bullet\n    - `y`: ticks", {"x": "a bullet", "y": "ticks"}),
        ("S.\n\nArgs:\n    x: first\n    goes on flush", {"x": "first goes on flush"}),
        ("S.\n\nArgs:\n\n    x: after a blank line", {"x": "after a blank line"}),
        ("S.\n\nArgs:\n    x:\n        text below", {"x": "text below"}),
        ("S.\n\nArgs:\n    x (int): .\n\nKeyword Args:\n    y: k", {"x": ".", "y": "k"}),
        ("S.\n\nArguments:\n\tx: tabs", {"x": "tabs"}),
        ("S.\n\nParameters:\n    x : int\n        NumPy's way", {"x": "NumPy's way"}),
        ("S.\n\n@param x: epytext", {"x": "epytext"}),
        ("Args:\n    x: no summary", {"x": "no summary"}),
        ("S.\n\nArgs:\n    x, y: both", {"x": "both", "y": "both"}),
        ("S.\n\nArgs:\n    x:", {}),
    ],
)
def test_sloppy_parameter_sections_are_read(doc, parameters):
    assert parse(doc).parameters == parameters


def test_prose_that_looks_like_a_heading_stays_prose():
    doc = "S.\n\nExample:\n\nReturns:\nnothing special here\n\nThe args: none."
    assert (
        parse(doc).description
        == "S.\n\nExample:\n\nReturns: nothing special here\n\nThe args: none."
    )


def test_numbered_lists_keep_their_lines_and_numbers_in_text_do_not_break_it():
    doc = "S.\n\nSteps:\n1. one\n2) two\n\nSince\n2026 it rains."
    assert parse(doc).description == "S.\n\nSteps:\n1. one\n2) two\n\nSince 2026 it rains."


def test_text_after_a_section_is_free_text_again():
    assert parse("S.\n\nArgs:\n    x: one\n\nMore words.").description == "S.\n\nMore words."


WORDS = st.lists(
    st.sampled_from(["alpha", "beta", "gamma,", "delta."]), min_size=1, max_size=6
).map(" ".join)
NAMES = st.lists(st.from_regex(r"[a-z]{1,6}", fullmatch=True), min_size=1, max_size=4, unique=True)


def google(name, text):
    return f"        {name} (int): SECRET {text}\n            SECRET {text}\n"


def numpy(name, text):
    return f"    {name} : int, optional\n        SECRET {text}\n        SECRET {text}\n"


def sphinx(name, text):
    return f"    :param int {name}: SECRET {text}\n        SECRET {text}\n"


STYLES = [
    (google, "    Args:\n", "\n    Returns:\n        SECRET\n"),
    (numpy, "    Parameters\n    ----------\n", "\n    Returns\n    -------\n    SECRET\n"),
    (sphinx, "", "    :returns: SECRET\n"),
]


@given(st.sampled_from(STYLES), NAMES, WORDS, WORDS)
def test_the_parameter_section_never_reaches_the_description(style, names, free, text):
    entry, opening, closing = style
    doc = (
        f"{free}\n\n    {free}\n\n{opening}{''.join(entry(name, text) for name in names)}{closing}"
    )
    parsed = parse(doc)
    assert parsed.description == f"{free}\n\n{free}"
    assert parsed.parameters == dict.fromkeys(names, f"SECRET {text} SECRET {text}")
    assert parsed.returns == "SECRET"


LINES = st.sampled_from(
    [
        "Args:",
        "Returns:",
        "Parameters",
        "-----",
        "    x: y",
        "x : int",
        ":param x: y",
        ":",
        "@param",
        "  ",
        "\t",
        "a",
    ]
) | st.text(max_size=12)


@given(st.lists(LINES, max_size=12).map("\n".join) | st.text())
def test_any_text_is_read(doc):
    parsed = parse(doc)
    assert parsed.description.startswith(parsed.summary)
    assert all(name and text for name, text in parsed.parameters.items())


@pytest.mark.parametrize("unit", ["(", "x (", " ", "a, ", "`*", ": ", ":param ", "\n", "Args:\n"])
def test_a_hostile_docstring_is_read_in_no_time(unit):
    assert isinstance(parse("Args:\n    x" + unit * 5_000), Docstring)
