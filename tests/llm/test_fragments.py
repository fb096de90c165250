import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.llm.fragments import Drafts

VALUES = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=8), max_size=3)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["index", "id", "function", "name", "arguments", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def put_together(fragments):
    drafts = Drafts()
    for fragment in fragments:
        drafts.add(fragment)
    return [(call.name, json.loads(call.arguments)) for call in drafts.calls()]


def written(data, calls, *, has_index, has_id, is_mixed):
    """Return the fragments of calls as a service writes them."""
    streams = []
    for number, (name, arguments) in enumerate(calls):
        text = json.dumps(arguments)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
        parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        index = {"index": number} if has_index else {}
        known = {"id": f"id{number}"} if has_id else {}
        first = {**index, **known, "function": {"name": name, "arguments": parts[0]}}
        repeated = {} if has_index else known
        rest = [{**index, **repeated, "function": {"arguments": part}} for part in parts[1:]]
        streams.append([first, *rest])
    if not is_mixed:
        return [fragment for stream in streams for fragment in stream]
    mixed = []
    while any(streams):
        stream = data.draw(st.sampled_from([stream for stream in streams if stream]))
        mixed.append(stream.pop(0))
    return mixed


@given(
    st.data(),
    st.lists(st.tuples(st.sampled_from(["read", "write", "look"]), VALUES), max_size=4),
    st.sampled_from(["index", "id", "both"]),
)
def test_parallel_calls_come_out_whole_however_their_fragments_are_mixed(data, calls, marks):
    fragments = written(
        data, calls, has_index=marks != "id", has_id=marks != "index", is_mixed=True
    )
    found = put_together(fragments)
    assert sorted(map(str, found)) == sorted(map(str, calls))


@given(
    st.data(),
    st.lists(st.tuples(st.sampled_from(["read", "write", "look"]), VALUES), max_size=4),
)
def test_calls_without_index_and_id_are_told_apart_by_their_names(data, calls):
    fragments = written(data, calls, has_index=False, has_id=False, is_mixed=False)
    assert put_together(fragments) == list(calls)


@given(st.lists(st.dictionaries(st.sampled_from(["index", "id", "function", "name"]), JSONS)))
def test_any_fragments_are_taken_and_every_call_has_an_id_of_its_own(fragments):
    drafts = Drafts()
    for fragment in fragments:
        drafts.add(fragment)
    ids = [call.id for call in drafts.calls()]
    assert len(set(ids)) == len(ids)
    assert all(ids)


@pytest.mark.parametrize(
    ("fragments", "calls"),
    [
        (  # the object itself in place of its text
            [{"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}],
            [("f", {"x": 1})],
        ),
        (  # every call under the same index
            [
                {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}},
                {"index": 0, "id": "b", "function": {"name": "f", "arguments": '{"x": 1}'}},
            ],
            [("f", {}), ("f", {"x": 1})],
        ),
        (  # the name again in each fragment
            [
                {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x"'}},
                {"index": 0, "id": "a", "function": {"name": "f", "arguments": ": 1}"}},
            ],
            [("f", {"x": 1})],
        ),
        (  # no arguments at all
            [{"index": 0, "id": "a", "function": {"name": "f"}}],
            [("f", {})],
        ),
        (  # the name in pieces
            [
                {"index": 0, "id": "a", "function": {"name": "read_"}},
                {"index": 0, "function": {"name": "file", "arguments": "{}"}},
            ],
            [("read_file", {})],
        ),
        ([{"index": 0}, {"index": None, "function": None}], []),
    ],
)
def test_the_ways_of_services_are_understood(fragments, calls):
    assert put_together(fragments) == calls
