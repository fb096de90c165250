"""Bytes of pages as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.services.web.charsets import text_of


@given(st.binary(max_size=400), st.text(max_size=60))
def test_there_is_always_a_text(data, content_type):
    assert isinstance(text_of(data, content_type), str)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_utf8_is_read_as_it_was_written(text):
    assert text_of(text.encode(), "text/html; charset=utf-8") == text.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("codec", "said", "text"),
    [
        ("cp1252", "text/html; charset=ISO-8859-1", "“smart” – café €"),
        ("cp932", 'text/html; charset="Shift_JIS"', "日本語のページ①"),
        ("gb18030", "text/html; charset=gb2312", "简体中文网页"),
        ("cp949", "text/html; charset=euc-kr", "한국어 페이지"),
        ("koi8-r", "text/html; charset=koi8-r", "Страница на русском"),
        ("utf-16", "text/html", "with a mark"),
    ],
)
def test_the_character_set_that_is_said_is_used(codec, said, text):
    assert text_of(text.encode(codec), said) == text


def test_a_page_may_say_its_character_set_itself():
    html = '<html><head><meta charset="windows-1251"></head>Привет</html>'
    assert "Привет" in text_of(html.encode("cp1251"), "text/html")
    xml = '<?xml version="1.0" encoding="iso-8859-2"?><a>žluťoučký</a>'
    assert "žluťoučký" in text_of(xml.encode("iso-8859-2"), "application/xml")


def test_a_wrong_word_about_the_character_set_does_not_spoil_the_text():
    text = "Ein völlig gewöhnlicher Satz mit Umlauten: äöüß. " * 5
    assert text_of(text.encode(), "text/html; charset=us-ascii-nonsense") == text


@pytest.mark.parametrize("said", ["iso-8859-1", "ISO-8859-15", "windows-1252", "us-ascii", ""])
def test_utf8_is_known_whatever_western_set_a_service_says(said):
    text = "Ein Satz mit Umlauten: äöüß – “quoted” €. " * 5
    content_type = f"text/html; charset={said}" if said else "text/html"
    assert text_of(text.encode(), content_type) == text
    assert text_of(text.encode("cp1252"), "text/html; charset=iso-8859-1") == text


def test_utf8_that_is_cut_off_or_broken_in_one_place_stays_utf8():
    text = "Füße größer, naïve café — “quoted” €5. " * 20
    data = text.encode() + b"\xe2\x82"
    assert text_of(data, "text/plain") == text + "\ufffd"
    assert text_of(data.replace("naïve".encode(), b"na\xefve", 1), "").count("\ufffd") == 2
    assert text_of(b"", "text/html") == ""
