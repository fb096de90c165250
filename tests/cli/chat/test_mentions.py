"""``@file`` brings the file along; what may not be read is told, and the message still goes."""

import asyncio

import pytest

from hermes.base.errors import Denied, ToolError
from hermes.base.messages import Media
from hermes.cli.chat.mentions import Attached, attached, mentioned


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("see @a.py", ["a.py"]),
        ("see @a.py, and (no) @a.py.", ["a.py"]),
        ('see @"b c.txt" now', ["b c.txt"]),
        ("mail me@a.py or ask @alice", []),
        ("what of @src/none.py?", ["src/none.py"]),
        ("the folder @src/", []),
        ("all of it: @-", ["-"]),
    ],
)
def test_files_are_found_and_people_are_not(tmp_path, text, names):
    (tmp_path / "a.py").write_text("x")
    (tmp_path / "b c.txt").write_text("x")
    assert list(mentioned(text, str(tmp_path))) == names


def test_texts_pictures_and_refusals(tmp_path):
    picture = Media("image", "image/png", "AAAA")

    async def attach(name):
        if name.endswith(".key"):
            raise Denied("it holds credentials")
        if name.endswith(".bin"):
            raise ToolError("it is no text")
        return picture if name.endswith(".png") else "1|one\n2|two\n"

    text = '@"a.txt" @"b.png" @"c.key" @"d.bin"'
    assert asyncio.run(attached(text, str(tmp_path), attach)) == Attached(
        f'{text}\n\n<file path="a.txt">\n1|one\n2|two\n</file>',
        (picture,),
        (
            "@a.txt goes along, 2 lines",
            "@b.png goes along as image/png",
            "@c.key is not attached: it holds credentials",
            "@d.bin is not attached: it is no text",
        ),
    )


def test_a_message_without_mentions_stays_as_it_is(tmp_path):
    assert asyncio.run(attached("hello", str(tmp_path), None)) == Attached("hello")
