import contextlib
import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.cli.arguments import read_pairs
from hermes.cli.command import Usage


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["city=Bern"], {"city": "Bern"}),
        (["days=3"], {"days": "3"}),
        (["days:=3"], {"days": 3}),
        (["big:=123456789012345678901234567890"], {"big": 123456789012345678901234567890}),
        (['tags:=["a", 1, null]'], {"tags": ["a", 1, None]}),
        (["a=1", "b=2", "a=3"], {"a": ["1", "3"], "b": "2"}),
        (["a=1", "a:=2"], {"a": ["1", 2]}),
        (["empty="], {"empty": ""}),
        (["url=http://x/?a=b&c:=d"], {"url": "http://x/?a=b&c:=d"}),
        (["a:b=c"], {"a:b": "c"}),
        ([], {}),
    ],
)
def test_words_become_arguments(words, arguments):
    assert read_pairs(words) == arguments


def test_a_file_is_read_as_text_or_as_json(tmp_path):
    file = tmp_path / "a.json"
    file.write_text('{"ü": 1}\n', encoding="utf-8")
    assert read_pairs([f"a=@{file}", f"b:=@{file}"]) == {"a": '{"ü": 1}\n', "b": {"ü": 1}}


def test_a_dash_reads_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("piped"))
    assert read_pairs(["text=@-"]) == {"text": "piped"}


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("Bern", "expected key=value, got 'Bern'"),
        ("=Bern", "expected key=value"),
        (":=1", "expected key=value"),
        ("days:={", "days: not JSON"),
        ("days:=NaN", "days: not JSON: NaN is not a JSON value"),
        ("text=@/no/such/file", "text: cannot read '/no/such/file': No such file"),
        ("text=@/", "text: cannot read '/'"),
    ],
)
def test_a_word_that_is_no_argument_is_explained(word, said):
    with pytest.raises(Usage) as caught:
        read_pairs([word])
    assert said in caught.value.message
    assert caught.value.hint


KEYS = st.from_regex(r"[a-z_][a-z0-9_]*", fullmatch=True)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, st.text().filter(lambda text: not text.startswith("@"))))
def test_any_text_comes_through_unchanged(arguments):
    assert read_pairs(f"{key}={value}" for key, value in arguments.items()) == arguments


@given(st.dictionaries(KEYS, JSON))
def test_any_json_comes_through_unchanged(arguments):
    words = [f"{key}:={json.dumps(value)}" for key, value in arguments.items()]
    assert read_pairs(words) == arguments


@given(KEYS, st.lists(st.text("abc=:", min_size=1), min_size=2))
def test_a_repeated_key_keeps_every_value_in_order(key, values):
    assert read_pairs(f"{key}={value}" for value in values) == {key: values}


@given(st.text())
def test_any_word_is_read_or_refused(word):
    if "@" in word:
        return
    with contextlib.suppress(Usage):
        assert len(read_pairs([word])) == 1
