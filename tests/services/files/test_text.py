import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.services.files.text import decode, detect, is_binary

SAMPLES = {
    "latin-1": "Größe, café, naïve façade\n",
    "cp1252": "“Naïve”: 5 € — café…\n",
    "gb18030": "你好世界。这是一个测试文件。\n",
    "cp932": "これはテストです。日本語の文章を書いています。\n",
    "cp1251": "Привет, мир. Это простой текст.\n",
    "cp949": "안녕하세요 세계. 이것은 시험입니다.\n",
    "utf-8": "æøå 你好 👍\n",
}


@given(st.binary(max_size=400))
def test_what_is_read_as_text_becomes_the_same_bytes_again(data):
    text = decode(data)
    assert text is None or text.encoded(text.text) == data


@pytest.mark.parametrize("name", SAMPLES)
def test_common_encodings_are_told_apart(name):
    text = decode(SAMPLES[name].encode(name) * 3)
    assert (text.text, text.encoding.name) == (SAMPLES[name] * 3, name)


@pytest.mark.parametrize("stray", [b"\xff", b"\xc3 ", b"\xf6", b"\xe4\xbd"])
def test_a_few_bytes_that_are_none_do_not_make_utf_8_something_else(stray):
    data = "Größe, 你好\n".encode() * 3 + stray + b"\n"
    text = decode(data)
    assert text.text.startswith("Größe, 你好\n")
    assert text.encoding.shown == "utf-8 with invalid bytes"
    assert text.encoded(text.text + "ü") == data + "ü".encode()


@pytest.mark.parametrize("name", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_kept_apart_from_the_text(name):
    text = decode("héllo".encode(name))
    assert text.text == "héllo"
    assert text.encoding.mark
    assert text.encoding.shown.endswith("with BOM")


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_a_mark_is_text(name):
    assert decode("plain words\n".encode(name)).text == "plain words\n"


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01\0\0\0\0",
        bytes(range(256)),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\0" * 64,
    ],
)
def test_programs_and_pictures_are_no_text(data):
    assert decode(data) is None


def test_escape_sequences_and_form_feeds_are_text():
    assert not is_binary(b"\x1b[31mred\x1b[0m\n\x0c\n")
    assert detect(b"\x1b[31mred\x1b[0m\n").name == "utf-8"


@pytest.mark.parametrize(
    ("text", "newline"),
    [("a\r\nb\r\n", "\r\n"), ("a\nb\n", "\n"), ("a\r\nb\nc\nd", "\n"), ("", "\n")],
)
def test_the_line_end_is_that_of_most_lines(text, newline):
    assert decode(text.encode()).newline == newline


def test_a_character_that_the_encoding_lacks_is_an_error():
    text = decode("café".encode("latin-1"))
    with pytest.raises(UnicodeEncodeError):
        text.encoded("日本")
