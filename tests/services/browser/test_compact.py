"""Pages in few words: the tree read, the compact form, what changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.services.browser.aria import parse
from hermes.services.browser.compact import changes, lines_of

PAGE = r"""- generic [active] [ref=e1]:
  - navigation "Main" [ref=e2]:
    - link "Home" [ref=e3] [cursor=pointer]:
      - /url: /b
  - heading "Hello: world" [level=1] [ref=e5]
  - 'heading "It''s: here" [level=2] [ref=e50]'
  - paragraph [ref=e6]: Some "quoted" text here.
  - generic [ref=e7]:
    - textbox "Name" [ref=e9]:
      - /placeholder: your name
      - text: Ann
    - combobox "Color" [ref=e10]:
      - option "Red"
      - option "Blue" [selected]
    - checkbox "Agree" [checked] [ref=e11]
    - checkbox "No" [ref=e12]
    - button "Go \"now\"" [disabled] [ref=e13]
  - generic [ref=e14] [cursor=pointer]: Clicky
  - iframe [ref=e16]:
    - button "Inner" [ref=f1e2]
  - table [ref=e19]:
    - row [ref=e21]:
      - cell "1" [ref=e25]
      - cell "2" [ref=e26]
  - list [ref=e27]:
    - listitem [ref=e28]:
      - text: item
      - link "more" [ref=e29] [cursor=pointer]:
        - generic [ref=e30] [cursor=pointer]: more
  - img "Logo" [ref=e40]
"""


@pytest.fixture
def lines():
    return lines_of(parse(PAGE))


def test_names_and_texts_are_read_whatever_stands_in_them():
    nodes = parse(PAGE)[0].children
    assert nodes[1].name == "Hello: world"
    assert nodes[2].name == "It's: here"
    assert nodes[3].text == 'Some "quoted" text here.'
    assert nodes[4].children[4].name == 'Go "now"'
    assert nodes[0].children[0].property("url") == "/b"


def test_what_can_be_acted_on_has_its_ref_role_name_value_and_state(lines):
    text = "\n".join(lines)
    assert '@e3 link "Home"' in text
    assert '@e9 textbox "Name" = "Ann"' in text
    assert '@e10 combobox "Color" = "Blue" (Red | Blue)' in text
    assert '@e11 checkbox "Agree" [checked]' in text
    assert '@e12 checkbox "No"' in text
    assert "[disabled]" in text
    assert '@e14 clickable "Clicky"' in text
    assert '@f1e2 button "Inner"' in text


def test_text_around_it_is_kept_and_wrappers_are_not(lines):
    assert "# Hello: world" in lines
    assert 'Some "quoted" text here.' in lines
    assert "| 1 | 2" in lines
    assert '- item @e29 link "more"' in lines
    assert any("(image Logo)" in line for line in lines)
    assert "generic" not in "\n".join(lines)


def test_what_is_inside_a_link_is_not_told_again(lines):
    assert "\n".join(lines).count("@e30") == 0


def test_the_compact_form_is_small():
    row = '  - listitem [ref=e{0}]:\n    - text: row {0}\n    - link "link {0}" [ref=e{1}] [cursor=pointer]:\n      - /url: /x{0}\n    - button "Act {0}" [ref=e{2}]\n'
    full = "- list [ref=e1]:\n" + "".join(row.format(n, 3 * n + 2, 3 * n + 3) for n in range(500))
    assert len("\n".join(lines_of(parse(full)))) < 0.4 * len(full)


def test_only_what_changed_is_told(lines):
    lines = [*lines, *(f"further text {number}" for number in range(30))]
    after = [line.replace('= "Ann"', '= "Bo"') for line in lines]
    found = changes(lines, after)
    assert [each[0] for each in found] == ["-", "+"]
    assert '= "Bo"' in found[1]
    assert changes(lines, lines) == []
    assert changes(lines, [f"new {n}" for n in range(20)]) is None


@given(st.text(max_size=500))
def test_any_text_is_a_tree(text):
    lines_of(parse(text))


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=10))
def test_names_survive(names):
    import json

    shown = "\n".join(f"- button {json.dumps(name)} [ref=e{n}]" for n, name in enumerate(names))
    found = [node for node in parse(shown) if node.role == "button"]
    clean = [
        name
        for name in names
        if not any(ch in name for ch in "\x1c\x1d\x1e\x85\u2028\u2029\x0b\x0c")
    ]
    if clean == names:
        assert [node.name for node in found] == names


def test_what_can_be_clicked_inside_a_drawing_is_shown():
    tree = '- img "Map" [ref=e1]:\n  - button "Rome" [ref=e2]\n  - generic [ref=e3]: sea'
    assert lines_of(parse(tree)) == ['(image Map) @e2 button "Rome"', "sea"]


def test_a_drawing_that_nobody_can_act_on_is_only_named():
    assert lines_of(parse('- img "Map" [ref=e1]:\n  - generic [ref=e3]: sea')) == ["(image Map)"]
