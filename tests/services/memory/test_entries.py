import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import InvalidArguments, ToolError
from hermes.services.memory.entries import Operation, apply, join, parse


def done(entries, *operations):
    return apply(entries, operations, str).entries


def test_a_store_is_read_as_people_and_editors_write_it():
    assert parse("a\n§\nb\n") == ("a", "b")
    assert parse("# Notes\r\na\r\n §\t\r\n\r\nb §5\r\n§\r\n") == ("# Notes\na", "b §5")
    assert parse("") == parse("\n§\n§\n") == ()


words = st.text("ab§\n ", min_size=1, max_size=6)


@given(st.lists(words))
def test_what_is_put_together_is_read_again(texts):
    entries = parse(join(texts))
    assert parse(join(entries)) == entries


def test_operations_see_what_those_before_them_did():
    operations = (
        Operation("add", " c "),
        Operation("replace", "C", old_text="c"),
        Operation("remove", old_text="a"),
    )
    outcome = apply(("a", "b"), operations, str)
    assert outcome.entries == ("b", "C")
    assert outcome.touched == {"a", "c"}


def test_an_entry_is_replaced_as_a_whole_by_a_part_of_it():
    assert done(("tea at four", "x"), Operation("replace", "coffee", "at four")) == ("coffee", "x")


def test_the_entry_that_is_the_text_comes_before_those_that_hold_it():
    assert done(("tea at four", "tea"), Operation("remove", old_text="tea")) == ("tea at four",)


def test_what_is_there_is_not_added_again():
    outcome = apply(("a",), [Operation("add", "a")], str)
    assert outcome.entries == ("a",)
    assert outcome.notes == ("it was there already",)


def test_a_text_in_several_entries_is_refused():
    with pytest.raises(ToolError, match="2 entries hold 'tea'") as caught:
        done(("tea a", "tea b", "c"), Operation("remove", old_text="tea"))
    assert caught.value.code == "ambiguous"
    assert caught.value.extra == {"entries": ["tea a", "tea b"]}


def test_a_text_in_no_entry_is_refused_and_the_entries_are_told():
    with pytest.raises(ToolError, match="no entry holds 'Tea'") as caught:
        done(("tea",), Operation("remove", old_text="Tea"))
    assert caught.value.extra == {"entries": ["tea"]}


@pytest.mark.parametrize(
    ("operation", "says"),
    [
        (Operation("add", "  "), "add needs a content"),
        (Operation("replace", "", "a"), "replace needs a content"),
        (Operation("remove"), "old_text is missing"),
        (Operation("add", "x\n§\ny"), "a line with § alone"),
    ],
)
def test_what_makes_no_sense_is_refused(operation, says):
    with pytest.raises(InvalidArguments, match=says):
        done(("a",), operation)
    with pytest.raises(InvalidArguments, match=rf"operations\[1\]: .*{says}"):
        done(("a",), Operation("add", "b"), operation)
