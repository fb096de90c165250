"""Links of files: to the web, to files beside them, to their own headings."""

from __future__ import annotations

PAGE = """# Über uns!

[there](b.md) [gone](nope.md) [up](#über-uns) [twice](#a-b-1) [none](#zz) [in b](b.md#deep)
[not in b](b.md#zz) [folder](docs/) [spaces](<a b.md>) [coded](a%20b.md) [root](/etc/hosts)
[mail](mailto:a@b.test) ![picture](p.png) `[code](code.md)` [par](f(1).md) [ref][1]

## A *b*
## A `b`

[1]: gone.md "a title"
```
[fenced](fence.md)
```
"""


def states(answer):
    return {row["url"]: row["state"] for row in answer["broken"]}


def test_links_to_files_and_headings_are_checked(call, tmp_path):
    (tmp_path / "a.md").write_text(PAGE)
    for name in ("a b.md", "f(1).md"):
        (tmp_path / name).write_text("x")
    (tmp_path / "b.md").write_text("Deep\n====\n")
    (tmp_path / "docs").mkdir()
    answer = call("link_checker", path="a.md")
    assert states(answer) == {
        "nope.md": "broken",
        "#zz": "no anchor",
        "b.md#zz": "no anchor",
        "p.png": "broken",
        "gone.md": "broken",
    }
    assert answer["counts"] == {"ok": 8, "broken": 3, "no anchor": 2, "skipped": 1}


def test_links_of_a_page_on_disk_are_checked_from_where_it_lies(call, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "i.html").write_text(
        '<h1 id="here">x</h1><a href="#here">a</a><a href="c.html#x">b</a><a href="d.html">d</a>'
        '<img src="../e.png">'
    )
    (tmp_path / "site" / "c.html").write_text('<a name="x">x</a>')
    (tmp_path / "e.png").write_bytes(b"x")
    answer = call("link_checker", path="site/i.html")
    assert states(answer) == {"d.html": "broken"}


def test_files_that_the_task_may_not_read_stay_closed(door, tmp_path):
    (tmp_path / "a.md").write_text("[key](secret/key.md#x) [other](b.md)")
    (tmp_path / "b.md").write_text("x")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.md").write_text("# x")
    profile = {"allow": ["*"], "restrictions": {"file:*": {"denied_paths": ["secret/**"]}}}
    answer = door(profile=profile)("link_checker", path="a.md")
    assert states(answer) == {"secret/key.md#x": "refused"}
