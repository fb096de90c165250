"""A real Chromium with fields of every kind: what they show, take and refuse."""

from __future__ import annotations

import shutil

import pytest
from tests.real.test_browser import Door

from hermes import Runtime

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    reason="needs chromium (apt package chromium)",
)

FIELDS = """<input type=checkbox id=half aria-label=Half><script>half.indeterminate = true</script>
<label>Mail <input aria-invalid=true value=none></label>
<select aria-label=Size><option>Small<option disabled>Large</select>
<select multiple aria-label=Many><option selected>One<option>Two</select>
<input type=date aria-label=Day value=2024-02-03><input type=range aria-label=Level max=10 value=3>
<input type=checkbox aria-label=Agree checked><button disabled>Off</button><button>Plain</button>
<textarea>unnamed</textarea><details><summary>More</summary><p>inside</p></details>"""


@pytest.fixture
def door(tmp_path):
    settings = {"urls": {"allow_private": True}, "browser": {"action_seconds": 3}}
    with Runtime(config=settings, cwd=tmp_path) as runtime:
        yield Door(runtime)


@pytest.fixture
def fields(door, site):
    site.routes["/"] = FIELDS
    return door("browser_navigate", url=site.url())["snapshot"]


@pytest.mark.parametrize(
    "said",
    [
        'checkbox "Half" [mixed]',
        'textbox "Mail" = "none" [invalid]',
        "(Small | Large [disabled])",
        'textbox = "unnamed"',
        'button "More"',
    ],
)
def test_states_and_values_are_told_as_they_are(fields, said):
    assert said in fields


def test_a_label_that_a_field_repeats_is_told_once(fields):
    assert fields.count("Mail") == 1


@pytest.mark.parametrize(
    ("field", "text", "code"),
    [
        ("Day", "2024-02-30", "invalid_arguments"),
        ("Day", "3.2.2024", "invalid_arguments"),
        ("Level", "loud", "invalid_arguments"),
        ("Agree", "maybe", "invalid_arguments"),
        ("Size", "Large", "disabled_option"),
        ("Plain", "words", "not_editable"),
    ],
)
def test_what_a_field_does_not_take_is_refused_and_changes_nothing(door, fields, field, text, code):
    assert door("browser_type", ref=door.ref(field), text=text)["code"] == code
    assert door("browser_snapshot")["snapshot"] == fields


def test_a_list_of_several_is_emptied(door, fields):
    assert '= "One"' in fields
    changed = door("browser_type", ref=door.ref("Many"), text="")["changes"]
    assert changed.splitlines()[1].endswith('listbox "Many" (One | Two)')


def test_what_folds_is_unfolded(door, fields):
    assert "+ inside" in door("browser_click", ref=door.ref("More"))["changes"]


def test_of_a_line_only_the_field_that_changed_is_told(door, fields):
    changed = door("browser_type", ref=door.ref("Level"), text="7")["changes"]
    assert [line.split(" ", 2)[2] for line in changed.splitlines()] == [
        'slider "Level" = "3"',
        'slider "Level" = "7"',
    ]


def test_keys_that_do_not_exist_are_named(door, fields):
    assert "'Foo'" in door("browser_press", key="Foo")["error"]
    assert "needs a ref" in door("browser_press", key="hover")["error"]


@pytest.mark.parametrize("name", ["Choose", "Labelled"])
def test_a_hidden_field_takes_files_through_what_stands_for_it(door, site, tmp_path, name):
    (tmp_path / "a.txt").write_text("a")
    site.routes["/"] = """<input type=file hidden id=one onchange="tell(this)">
    <button onclick="one.click()">Choose</button>
    <label>Labelled <input type=file style="display:none" onchange="tell(this)"></label>
    <p id=out></p><script>
    const tell = each => out.textContent = 'got ' + each.files[0].name</script>"""
    door("browser_navigate", url=site.url())
    if name == "Choose":
        assert "asks for a file" in str(door("browser_click", ref=door.ref(name)))
    assert "got a.txt" in str(door("browser_type", ref=door.ref(name), text="a.txt"))


def test_what_listens_in_a_shadow_root_has_a_ref(door, site):
    site.routes["/"] = """<div id=host></div><script>
    host.attachShadow({mode: 'open'}).innerHTML = `<div onclick="this.textContent = 'done'">Do</div>
      <div contenteditable>Write</div>`</script>"""
    shown = door("browser_navigate", url=site.url())["snapshot"]
    assert 'textbox "Write"' in shown
    assert "done" in str(door("browser_click", ref=door.ref("Do")))


def test_what_is_covered_in_the_middle_alone_is_clicked_beside_it(door, site):
    site.routes["/"] = """<button style="width: 300px; height: 60px"
    onclick="this.textContent = 'clicked'">Wide</button>
    <div style="position: absolute; left: 100px; top: 0; width: 100px; height: 100px"></div>"""
    door("browser_navigate", url=site.url())
    assert "clicked" in str(door("browser_click", ref=door.ref("Wide")))


def test_a_download_with_a_name_that_is_too_long_is_kept_under_a_shorter_one(door, site, tmp_path):
    attached = {"content-disposition": f"attachment; filename={'n' * 400}.txt"}
    site.routes["/file"] = (200, attached, b"abc")
    site.routes["/"] = "<a href=/file>Get</a>"
    door("browser_navigate", url=site.url())
    kept = door("browser_click", ref=door.ref("Get"))["downloads"][0]
    assert kept["bytes"] == 3, kept
    assert kept["name"].endswith("n.txt")
