import io
import json
import os
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import ToolError, WouldWait
from hermes.services.files import reading, windows
from hermes.services.files.disk import Found
from hermes.services.files.reading import Picture, Wanted, read
from hermes.services.files.text import UTF8
from hermes.services.files.windows import Index


@pytest.fixture
def look(files, work, folder):
    def look(content, name="f", **wanted):
        if content is not None:
            (folder / name).write_bytes(content)
        return read(work, files.index, name, Wanted(**wanted))

    return look


def test_the_third_line_without_an_end_is_known_of(look):
    assert look(b"a\nb\nc", limit=2) == {
        "content": "1|a\n2|b", "total_lines": 3, "truncated": True, "next_offset": 3, "size": 5,
    }  # fmt: skip


def test_a_final_newline_makes_no_line(look):
    assert look(b"a\nb\n")["content"] == "1|a\n2|b"
    assert look(b"a\nb\n")["total_lines"] == 2


def test_an_empty_file_says_so(look):
    answer = look(b"")
    assert (answer["content"], answer["total_lines"], answer["note"]) == (
        "",
        0,
        "The file is empty.",
    )


def test_past_the_end_says_how_many_lines_there_are(look):
    assert look(b"a\nb\n", offset=50)["note"] == "The file has 2 lines; this is past its end."


def test_encoding_and_line_ends_are_told(look):
    answer = look("café\r\nx\r\n".encode("latin-1"))
    assert (answer["content"], answer["encoding"], answer["newline"]) == (
        "1|café\n2|x", "latin-1", "crlf",
    )  # fmt: skip


def test_a_byte_order_mark_is_told_and_not_shown(look):
    answer = look("\ufeffa\nb".encode())
    assert (answer["content"], answer["encoding"]) == ("1|a\n2|b", "utf-8 with BOM")


def test_wide_text_is_read(look):
    answer = look("a\r\nb\n".encode("utf-16"))
    assert answer["content"] == "1|a\n2|b"
    assert (answer["encoding"], answer["newline"]) == ("utf-16-le with BOM", "mixed")


def test_big5_is_not_taken_for_what_hardly_anybody_uses(look):
    text = "繁體中文測試檔案請你閱讀。\n" * 5
    assert look(text.encode("big5"))["encoding"] == "big5"


def test_a_link_that_leads_nowhere_is_told_as_one(look, folder):
    (folder / "dangling").symlink_to("gone")
    with pytest.raises(ToolError, match="a link to gone, which is not there"):
        look(None, "dangling")


def test_a_long_line_is_cut_and_says_how_much_is_left(look):
    answer = look(b"x" * 5_000 + b"\nnext\n")
    first, second = answer["content"].split("\n")
    assert first == "1|" + "x" * 2_000 + "… [3,000 more bytes in this line]"
    assert second == "2|next"


def test_the_budget_ends_on_a_line(look):
    answer = look(b"y" * 999 + b"\n" + (b"y" * 999 + b"\n") * 300, limit=2_000)
    shown = answer["content"].split("\n")
    assert len(answer["content"]) <= 100_000
    assert answer["next_offset"] == len(shown) + 1
    assert shown[-1].endswith("y" * 999)


def test_the_end_of_a_file_is_reached_from_behind(look):
    assert look(b"a\nb\nc\nd\n", offset=-2)["content"] == "3|c\n4|d"


def test_from_behind_no_more_lines_are_read_than_asked_for(look):
    answer = look(b"a\nb\nc\nd\n", offset=-3, limit=1)
    assert (answer["content"], answer["truncated"], answer["next_offset"]) == ("2|b", True, 3)


def test_the_end_of_what_is_too_large_to_count_is_read_in_parts(look, monkeypatch):
    monkeypatch.setattr(windows, "COUNTED_BYTES", 3)
    answer = look(b"a\nb\nc\nd\n", offset=-3, limit=2)
    assert (answer["content"], answer["at_least"], answer["next_offset"]) == ("b\nc", 3, -1)
    assert "too large to number" in answer["note"]
    assert "next_offset" not in look(None, offset=-1, limit=2)


def test_a_search_for_lines_is_given_up_when_it_takes_too_long(look, monkeypatch):
    monkeypatch.setattr(reading, "COUNTED_BYTES", 3)
    monkeypatch.setattr(reading, "_LONGEST_SECONDS", -1)
    with pytest.raises(ToolError, match="too many to find those lines in time") as refused:
        look(b"a\nb\nc\nd\n", offset=4)
    assert refused.value.code == "too_large"


def test_a_search_for_lines_ends_with_its_call(look, work, monkeypatch):
    monkeypatch.setattr(reading, "COUNTED_BYTES", 3)
    monkeypatch.setattr(work.caller, "cancelled", True)
    with pytest.raises(ToolError, match="cancelled"):
        look(b"a\nb\nc\nd\n", offset=4)


def test_a_table_that_looks_like_numbered_lines_is_a_table(look):
    assert look(b"1|a\n2|b\n")["content"] == "1|1|a\n2|2|b"


def test_numbers_dat_with_text_is_readable(look):
    assert look(b"1 2\n3 4\n", name="numbers.dat")["total_lines"] == 2


def test_a_binary_is_refused_by_its_content(look):
    with pytest.raises(ToolError, match="not text: an ELF program") as refused:
        look(b"\x7fELF" + bytes(100), name="notes.txt")
    assert "hex=true" in refused.value.hint


def test_bytes_are_shown_on_request(look):
    answer = look(b"\x7fELF" + bytes(40), hex=True, limit=16)
    assert answer["content"].startswith("00000000  7f 45 4c 46 00")
    assert (answer["type"], answer["next_offset"]) == ("an ELF program", 17)


def test_bytes_are_shown_from_behind_too(look):
    assert look(b"0123456789", hex=True, offset=-3)["content"].startswith("00000007  37 38 39")
    assert look(b"01", hex=True, offset=-3)["content"].startswith("00000000  30 31")


@pytest.mark.parametrize("name", ["environ", "mem", "task/1/environ"])
def test_the_secrets_of_a_process_are_no_file(look, folder, name):
    (folder / "link").symlink_to(f"/proc/self/{name.replace('1', str(os.getpid()))}")
    with pytest.raises(ToolError, match="environment or memory of a process"):
        look(None, name="link", hex=True)


def test_a_picture_comes_as_a_picture(look):
    found = look(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", name="x.txt")
    assert isinstance(found, Picture)
    assert found.media_type == "image/png"


def test_a_folder_says_what_to_use(look, folder):
    (folder / "d").mkdir()
    with pytest.raises(ToolError, match="folder"):
        look(None, name="d")


def test_the_nearest_names_are_suggested(look, folder):
    (folder / "README.md").write_text("x")
    with pytest.raises(ToolError) as missing:
        look(None, name="readme.txt")
    assert missing.value.hint == "Did you mean README.md?"


def test_a_file_in_a_folder_of_another_spelling_is_suggested(look, folder):
    (folder / "source" / "deep").mkdir(parents=True)
    (folder / "source" / "deep" / "main.py").write_text("x")
    with pytest.raises(ToolError) as missing:
        look(None, name="sorce/dep/main.py")
    assert missing.value.hint == "Did you mean source/deep/main.py?"
    with pytest.raises(ToolError) as missing:
        look(None, name="sorce/dep/other.py")
    assert "Did you mean" not in missing.value.hint


def test_a_file_that_changes_is_always_read(look):
    for number in range(20):
        assert look(f"{number}\n".encode())["content"] == f"1|{number}"


def test_a_notebook_is_text(look):
    book = {
        "cells": [{"cell_type": "code", "source": ["x = 1\n", "x"], "outputs": [{"text": "1"}]}]
    }
    content = look(json.dumps(book).encode(), name="b.ipynb")["content"]
    assert "cell 1 (code)" in content
    assert "|x = 1" in content


def packed(**parts):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), text)
    return buffer.getvalue()


def test_a_word_document_is_text(look):
    xml = (
        '<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p><w:tbl><w:tr>'
        "<w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p>"
        "</w:tc></w:tr></w:tbl></w:body></w:document>"
    )
    answer = look(packed(word__document_xml=xml), name="d.docx")
    assert (answer["content"], answer["format"]) == ("1|Hello\n2|a | b", "docx")


def test_slides_are_text(look):
    xml = '<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>Title</a:t></a:r></a:p></p:sld>'
    content = look(packed(ppt__slides__slide1_xml=xml), name="d.pptx")["content"]
    assert content == "1|--- slide 1 ---\n2|Title"


def test_what_a_speaker_has_noted_comes_with_the_slide(look):
    xml = '<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:sld>'
    notes = (
        '<p:notes xmlns:p="p" xmlns:a="a"><p:sp><a:p><a:r><a:t>Say hello</a:t></a:r></a:p></p:sp>'
        '<p:sp><p:ph type="sldNum"/><a:p><a:r><a:t>1</a:t></a:r></a:p></p:sp></p:notes>'
    )
    links = '<r xmlns="r"><l Target="../notesSlides/notesSlide1.xml"/></r>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("ppt/slides/slide1.xml", xml.format("A"))
        archive.writestr("ppt/slides/slide2.xml", xml.format("B"))
        archive.writestr("ppt/slides/_rels/slide2.xml.rels", links)
        archive.writestr("ppt/notesSlides/notesSlide1.xml", notes)
    content = look(buffer.getvalue(), name="d.pptx")["content"]
    assert content.endswith("4|--- slide 2 ---\n5|B\n6|--- notes ---\n7|Say hello")


@pytest.mark.parametrize("name", ["report", "report.docm", "report.zip"])
def test_a_document_is_told_by_its_content(look, name):
    xml = "<d><body><p><t>Hello</t></p></body></d>"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", xml)
    assert look(buffer.getvalue(), name=name)["content"] == "1|Hello"


@pytest.mark.parametrize("book", [{"cells": "x"}, {"cells": [1]}, [1], {"cells": 5}])
def test_what_is_no_notebook_is_shown_as_the_text_that_it_is(look, book):
    answer = look(json.dumps(book).encode(), "n.ipynb")
    assert answer["content"] == f"1|{json.dumps(book)}"


def test_an_old_notebook_and_output_without_text_are_shown(look):
    outputs = [{"data": {"text/html": "<b>"}}, {"data": {"image/png": "x", "text/plain": "<F>"}}]
    cells = [{"cell_type": "code", "input": ["a = 1"], "outputs": outputs}]
    content = look(json.dumps({"worksheets": [{"cells": cells}]}).encode(), "n.ipynb")["content"]
    assert content == (
        "1|# --- cell 1 (code) ---\n2|a = 1\n3|# output: [text/html]\n"
        "4|# output:\n5|<F>\n6|# output: [image/png]"
    )


def test_a_damaged_document_says_so(look):
    with pytest.raises(ToolError, match="cannot be read as docx"):
        look(b"PK\3\4 nonsense", name="d.docx")


def test_a_pdf_is_text(look):
    pypdfium2 = pytest.importorskip("pypdfium2", reason="needs the extra documents")
    book = pypdfium2.PdfDocument.new()
    book.new_page(200, 200)
    buffer = io.BytesIO()
    book.save(buffer)
    answer = look(buffer.getvalue(), name="d.pdf")
    assert (answer["format"], answer["content"].split("\n")[0]) == ("pdf", "1|--- page 1 ---")


def test_what_a_task_has_read_is_known(look, work, folder):
    look(b"a\nb\n", limit=1)
    assert not work.log.seen("task", str(folder / "f")).is_whole
    look(None)
    assert work.log.seen("task", str(folder / "f")).is_whole


def test_a_broken_notebook_is_shown_as_the_text_that_it_is(look):
    answer = look(b'{"cells": [\n<<<<<<< HEAD\n', "n.ipynb")
    assert answer["content"] == '1|{"cells": [\n2|<<<<<<< HEAD'
    assert "cannot be read as ipynb" in answer["note"]


class Held:
    """An open file that is nowhere but here."""

    def __init__(self, data):
        self.data, self.found = data, Found("/x", "file", len(data), 0o644, 1)

    def read(self, offset, size):
        return self.data[offset : offset + size]


@given(
    st.lists(
        st.sampled_from(["", "a", "é日", "x" * 1_999, "y" * 2_001, "z\r", " 1|a"]), max_size=60
    ),
    st.sampled_from(["", "\n"]),
    st.integers(1, 70),
    st.integers(1, 3_000),
)
def test_the_quick_way_to_the_first_lines_tells_what_the_long_one_does(rows, end, limit, head):
    data = ("\n".join(rows) + end).encode()
    sample = data[:head]
    found = reading._plain(Held(data), sample[: sample.rfind(b"\n") + 1] or sample, limit)
    if found is not None:
        assert found == reading._text(Held(data), Index(), UTF8, Wanted(1, limit))


def test_the_quick_way_is_taken_for_most_files(look, monkeypatch):
    monkeypatch.setattr(reading, "_text", None)
    assert look(b"a\nb\nc\n")["content"] == "1|a\n2|b\n3|c"
    assert look(b"line\n" * 100_000, limit=3) == {
        "content": "1|line\n2|line\n3|line", "total_lines": 100_000, "truncated": True,
        "next_offset": 4, "size": 500_000,
    }  # fmt: skip


@pytest.fixture
def at_once(files, work, folder):
    def at_once(content, name="f", **wanted):
        (folder / name).write_bytes(content)
        work.caller.may_wait = False
        try:
            return read(work, files.index, name, Wanted(**wanted))
        finally:
            work.caller.may_wait = True

    return at_once


@pytest.mark.parametrize("content", [b"", b"a\nb\r\nc", "é".encode("utf-16"), b"\x7fELF\0\0"])
@pytest.mark.parametrize("wanted", [{}, {"offset": -1}, {"limit": 1}, {"hex": True}])
def test_a_small_file_in_memory_is_read_at_once_as_it_is_otherwise(look, at_once, content, wanted):
    def answered(reader):
        try:
            return reader(content, **wanted)
        except ToolError as error:
            return error.message, error.code

    assert answered(at_once) == answered(look)


def test_what_is_read_at_once_is_known_of_the_task(at_once, work, folder):
    at_once(b"a\n")
    assert work.log.seen("task", str(folder / "f")).is_whole


def test_nothing_is_waited_for_where_nobody_may_wait(at_once, work, monkeypatch):
    for content, name in ((b"x" * 20_000, "large"), (b"%PDF-1.4", "document")):
        with pytest.raises(WouldWait):
            at_once(content, name)
    work.caller.may_wait = False
    with pytest.raises(WouldWait):  # the nearest names are looked for where that may take long
        read(work, Index(), "missing", Wanted())
    monkeypatch.setattr(os, "preadv", refuse)
    with pytest.raises(WouldWait):  # it is not in memory
        at_once(b"a\n")


def refuse(*_):
    raise BlockingIOError
