"""What a person adds to a message is judged and read like anything a tool reads."""

import asyncio
import base64

import pytest

from hermes import Runtime
from hermes.app.attaching import MOST_PICTURE_BYTES, attach
from hermes.base.errors import Denied, ToolError
from hermes.base.messages import Media

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def attached(tmp_path):
    """Return a function that attaches a file of a folder."""

    def run(name, **choices):
        async def go():
            async with Runtime(cwd=tmp_path, **choices) as runtime:
                return await attach(runtime, name, "talk")

        return asyncio.run(go())

    return run


def test_a_text_comes_with_its_line_numbers(attached, tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    assert attached("a.txt") == "1|one\n2|two"


def test_a_picture_comes_as_a_picture(attached, tmp_path):
    (tmp_path / "dot.png").write_bytes(PNG)
    assert attached("dot.png") == Media("image", "image/png", base64.b64encode(PNG).decode())


def test_a_picture_that_is_too_large_is_refused(attached, tmp_path):
    (tmp_path / "big.png").write_bytes(PNG + b"\0" * MOST_PICTURE_BYTES)
    with pytest.raises(ToolError, match="may go along"):
        attached("big.png")


def test_a_long_file_says_where_it_goes_on(attached, tmp_path):
    (tmp_path / "long.txt").write_text("x\n" * 3_000)
    assert attached("long.txt").endswith("2000|x\n… there is more, from line 2001 on")


def test_what_the_profile_denies_is_not_attached(attached, tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    with pytest.raises(Denied):
        attached("a.txt", profile={"allow": ["*"], "deny": ["file:read"]})


def test_credentials_are_not_attached_unasked(attached, tmp_path):
    (tmp_path / ".env").write_text("TOKEN=abc\n")
    with pytest.raises(Denied):
        attached(".env")


def test_a_person_may_allow_it(attached, tmp_path):
    asked = []

    async def approve(request):
        asked.append((request.tool, request.arguments))
        return "once"

    (tmp_path / "a.txt").write_text("one\n")
    rules = {"allow": ["*"], "approval_required": ["file:read"]}
    assert attached("a.txt", profile=rules, approver=approve) == "1|one"
    assert asked == [("attach", {"path": "a.txt"})]


@pytest.mark.parametrize("name", ["none.txt", "folder"])
def test_what_cannot_be_read_is_told(attached, tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(ToolError):
        attached(name)
