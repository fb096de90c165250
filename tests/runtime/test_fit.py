import json

from hypothesis import given
from hypothesis import strategies as st

from hermes.runtime.fit import fit

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=300),
    lambda inner: (
        st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=12), inner, max_size=30)
    ),
    max_leaves=60,
)


def size(value):
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


@given(VALUES, st.integers(200, 3_000))
def test_a_value_that_fits_is_left_alone_and_others_shrink(value, budget):
    fitted = fit(value, budget)
    if size(value) <= budget:
        assert fitted == value
    else:
        assert size(fitted) < max(size(value), budget + 200) + 1
    assert type(fitted) is type(value)


def test_an_object_of_very_many_fields_keeps_its_ends():
    fitted = fit({f"k{n}": n for n in range(50_000)}, 1_000)
    assert fitted["k0"] == 0 and fitted["k49999"] == 49_999
    assert "fields left out" in fitted["…"]
    assert size(fitted) <= 1_100


def test_the_longest_field_gives_way_to_the_short_ones():
    fitted = fit({"code": 7, "output": "x" * 10_000, "where": "here"}, 500)
    assert (fitted["code"], fitted["where"]) == (7, "here")
    assert 200 < len(fitted["output"]) < 500


def test_a_list_of_one_huge_item_keeps_a_piece_of_it():
    (item,) = fit(["y" * 5_000], 300)
    assert item.startswith("yyy") and len(item) < 400
