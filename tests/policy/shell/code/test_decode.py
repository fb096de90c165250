import base64
import codecs
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.policy.shell.code.decode import decoded

KINDS = ("base64", "base64url", "base32", "hex", "xxd", "rot13", "url", "escapes", "gzip", "rev")


@pytest.mark.parametrize(
    ("kind", "text", "hidden"),
    [
        ("base64", "cm0gLXJmIC8=", "rm -rf /"),
        ("base64", "cm0gLXJm\nIC8", "rm -rf /"),
        ("base64", base64.b64encode(gzip.compress(b"id", mtime=0)).decode(), "id"),
        ("gzip", base64.b64encode(gzip.compress(b"rm x", mtime=0)).decode(), "rm x"),
        ("base64", base64.b64encode("id".encode("utf-16-le")).decode(), "id"),
        ("base64url", "Pz8_", "???"),
        ("base32", "NFSA====", "id"),
        ("hex", "726d202d7266202f", "rm -rf /"),
        ("xxd", "00000000: 726d 2078                                rm x", "rm x"),
        ("hex", r"\x69\x64", "id"),
        ("rot13", "ez -es /", "rm -rf /"),
        ("url", "rm%20-rf%20/", "rm -rf /"),
        ("escapes", r"\x72\155 -rf \057", "rm -rf /"),
        ("escapes", r"a\tb\u0063", "a\tbc"),
        ("rev", "/ fr- mr", "rm -rf /"),
        ("base64", "not base64!", None),
        ("hex", "xyz", None),
        ("morse", "...", None),
    ],
)
def test_a_hidden_text_is_shown(kind, text, hidden):
    assert decoded(kind, text) == hidden


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text())
def test_no_text_makes_a_decoder_raise(kind, text):
    assert isinstance(decoded(kind, text), str | None)


@given(text=st.text(alphabet=st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1))
def test_what_was_encoded_comes_back(text):
    assert decoded("base64", base64.b64encode(text.encode()).decode()) == text
    assert decoded("hex", text.encode().hex()) == text
    assert decoded("rot13", codecs.encode(text, "rot13")) == text
    assert decoded("rev", text[::-1]) == text
