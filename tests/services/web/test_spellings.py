"""What texts say once they are read."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.services.web.spellings import spellings

SECRET = 's3cr3t/"va l+ue=\\42ü'


def basic(text):
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        quote(quote(SECRET, safe=""), safe=""),
        json.dumps({"key": SECRET}),
        json.dumps({"key": SECRET}, ensure_ascii=False),
        "".join(f"\\u{ord(each):04x}" for each in SECRET),
        basic(f"user:{SECRET}"),
        basic(f"{SECRET}:x").rstrip("="),
        basic(f"a:{SECRET}").replace("Basic", "BASIC"),
    ],
)
def test_a_secret_is_read_however_it_is_written(written):
    assert any(SECRET in each for each in spellings(f"x {written} y"))


@given(st.text())
def test_any_text_is_read(text):
    assert next(iter(spellings(text))) == text
    assert len(list(spellings(f"Basic {text}"))) >= 1
    assert len(list(spellings(basic(text)))) >= 1
