"""YAML becomes plain JSON values with the line of every key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import ConfigError
from hermes.base.yaml_lines import read


def one(text):
    (document,) = read(text, file="a.yaml")
    return document


def test_every_key_and_item_has_its_line():
    document = one("a: 1\nb:\n  - x\n  - y: 2\n")
    assert document.value == {"a": 1, "b": ["x", {"y": 2}]}
    assert [document.line(path) for path in [("a",), ("b",), ("b", 0), ("b", 1, "y")]] == [
        1,
        2,
        3,
        4,
    ]


def test_an_unknown_path_has_the_line_of_what_is_around_it():
    assert one("a:\n  b: 1\n").line(("a", "zzz", 3)) == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("true", True),
        ("False", False),
        ("007", "007"),
        ("12:30", "12:30"),
        ("2024-01-01", "2024-01-01"),
        ("1e3", 1000.0),
        ("-12", -12),
        ("0x1F", 31),
        ("0o17", 15),
        ("'1'", "1"),
        ("~", None),
        (".inf", ".inf"),
        ("123456789012345678901234567890", 123456789012345678901234567890),
    ],
)
def test_scalars_mean_what_they_look_like(text, value):
    assert one(f"key: {text}").value == {"key": value}


def test_keys_stay_text():
    assert one("on: 1\n2: 3\n").value == {"on": 1, "2": 3}


def test_empty_documents_are_left_out():
    assert [document.value for document in read("---\n---\na: 1\n---\n")] == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: &x [1]\n", 2, "anchors"),
        ("a: *x\n", 1, "alias"),
        ("a: !!python/object:os.system {}\n", 1, "tags"),
        ("a: 1\n<<: {b: 1}\n", 2, "merge keys"),
        ("a: 1\nb: 2\na: 3\n", 3, "twice"),
        ("a: 1\nb: [1,\n", 3, "not YAML"),
        ("a:\n\tb: 1\n", 2, "a tab stands where only spaces may"),
        ("a:\n  b:\n  \tc: 1\n", 3, "a tab"),
        ("? [1]\n: 2\n", 1, "key"),
        ("a: 1e999", 1, "too large"),
        ("[" * 250_000, 1, "deeper"),
        ("- " * 1_000, 1, "deeper"),
    ],
)
def test_what_could_surprise_is_refused_with_its_line(text, line, words):
    with pytest.raises(ConfigError, match=words) as caught:
        read(text, file="a.yaml")
    assert (caught.value.file, caught.value.line) == ("a.yaml", line)
    assert caught.value.hint


def test_a_huge_file_is_refused():
    with pytest.raises(ConfigError, match="larger than 256 KB"):
        read("#" * 300_000)


@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"#\n \t?,%@`\0\ud800é1.")))
def test_any_text_is_values_or_a_config_error(text):
    try:
        documents = read(text, file="a.yaml")
    except ConfigError:
        return
    assert all(document.first_line >= 1 for document in documents)
