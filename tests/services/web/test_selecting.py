"""Values picked out of pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import InvalidArguments
from hermes.services.web.selecting import rows_of

SHOP = """<base href="https://shop.test/a/"><div class="item"><h3>Tea &amp; milk</h3>
<a href="tea">more</a><span class="tag">hot</span><span class="tag">new</span></div>
<div class="item"><h3>Cake</h3></div>"""


def rows(html, selector, fields=None, limit=100, base=""):
    return rows_of(html, base, selector, fields, limit)["rows"]


def test_texts_attributes_and_fields_are_picked():
    assert rows(SHOP, "h3") == ["Tea & milk", "Cake"]
    assert rows(SHOP, "a@href") == ["tea"]
    assert rows(SHOP, "//h3/text()") == ["Tea & milk", "Cake"]
    fields = {"name": "h3", "link": "a@href", "tags": ".tag[]"}
    assert rows(SHOP, ".item", fields, base="https://shop.test/") == [
        {"name": "Tea & milk", "link": "https://shop.test/a/tea", "tags": ["hot", "new"]},
        {"name": "Cake", "link": None, "tags": []},
    ]


def test_a_table_comes_as_rows_by_its_head():
    html = """<table><thead><tr><th>City<th colspan=2>Size</tr></thead>
    <tr><td rowspan=2>Oslo<td>1<td>2</tr><tr><td>3<td>4</tr></table>"""
    assert rows(html, "table") == [
        {"City": "Oslo", "Size": "1", "Size 2": "2"},
        {"City": "Oslo", "Size": "3", "Size 2": "4"},
    ]


def test_a_table_without_a_head_comes_as_lists():
    assert rows("<table><tr><td>1<td>2<tr><td>3<td>4</table>", "table") == [["1", "2"], ["3", "4"]]


@pytest.mark.parametrize(
    ("selector", "wanted"),
    [
        ('a[title="x@y.test"]', ["mail"]),
        ('a[title="x@y.test"]@href', ["/m"]),
        ("a[title='x@y.test'] @ href", ["/m"]),
        ('//a[@title="x@y.test"]/@href', ["/m"]),
        ("svg@viewBox", ["0 0 1 1"]),
        ("boolean(//a)", [True]),
        ("not(//table)", [True]),
        ("sum(//li)", [3]),
        ("number(//li) div 4", [0.25]),
        ("number(//a)", [None]),
        ("string-length(//a)", [4]),
        ('script[type="application/ld+json"]', ['{"a": 1 < 2}']),
        ("pre", ["x = 1\n\n  y"]),
    ],
)
def test_selectors_of_all_kinds_are_read(selector, wanted):
    html = """<a title="x@y.test" href="/m">mail</a><svg viewBox="0 0 1 1"></svg><li>1</li><li>2</li>
    <script type="application/ld+json">{"a": 1 < 2}</script><pre>
x = 1\n\n  y</pre>"""
    assert rows(html, selector) == wanted


def test_more_than_the_limit_is_told():
    found = rows_of("<li>a<li>b<li>c", "", "li", None, 2)
    assert (found["rows"], found["count"], found["truncated"]) == (["a", "b"], 3, True)


@pytest.mark.parametrize("selector", ["a[", "//a[", "div::nonsense(", ""])
def test_a_selector_that_cannot_be_read_says_how_to_write_one(selector):
    if not selector:
        assert rows("<p>x</p>", selector)
        return
    with pytest.raises(InvalidArguments, match="cannot be read"):
        rows("<p>x</p>", selector)


def test_scripts_are_no_text():
    assert rows("<div>a<script>b()</script><style>c</style>d</div>", "div") == ["ad"]


@given(st.text(max_size=300), st.sampled_from(["p", "table", "a@href", "//*", "*"]))
def test_any_text_is_a_page(html, selector):
    assert isinstance(rows_of(html, "", selector, None, 10)["rows"], list)


def test_a_deep_page_is_read():
    assert rows(f"{'<div>' * 20_000}x", "body")
