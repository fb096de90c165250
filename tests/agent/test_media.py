import base64
import json

import pytest

from hermes.agent.media import shown
from hermes.base.messages import Media
from hermes.llm.scripted import call

PNG = b"\x89PNG\r\n\x1a\n" + b"data"


def answer(*parts, **more):
    return json.dumps({"result": "x", **more, "parts": list(parts)})


def part(content, kind="image", **more):
    return {"type": kind, "data": base64.b64encode(content).decode(), **more}


def test_an_image_stands_beside_its_text():
    text, media = shown(answer(part(PNG, media_type="image/png")), ())
    assert media == (Media("image", "image/png", base64.b64encode(PNG).decode()),)
    assert json.loads(text)["parts"] == [
        {"type": "image", "media_type": "image/png", "shown": True}
    ]


@pytest.mark.parametrize(
    ("content", "kind", "type_"),
    [
        (b"\xff\xd8\xff\xe0jpeg", "image", "image/jpeg"),
        (b"GIF89a....", "image", "image/gif"),
        (b"RIFF1234WEBPVP8 ", "image", "image/webp"),
        (b"RIFF1234WAVEfmt ", "audio", "audio/wav"),
        (b"ID3\x03", "audio", "audio/mpeg"),
        (b"OggS", "audio", "audio/ogg"),
    ],
)
def test_the_type_is_what_the_bytes_say(content, kind, type_):
    claimed = part(content, kind, media_type="image/png")
    assert [one.type for one in shown(answer(claimed), ()).media] == [type_]


@pytest.mark.parametrize(
    "text",
    [
        'not json with "parts"',
        '["parts"]',
        answer("text", None, 7, {}),
        answer({"type": "file", "data": "aGk="}),
        answer(part(b"plain text")),
        answer(part(PNG, kind="audio")),
        answer({"type": "image", "data": "***"}),
        answer({"type": "image", "path": "relative.png"}),
        json.dumps({"parts": {"type": "image"}}),
        json.dumps({"result": 1}),
    ],
)
def test_what_is_no_image_stays_as_it_is(text):
    assert shown(text, ("/",)) == (text, ())


def test_files_are_read_below_the_allowed_folders_only(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "p.png").write_bytes(PNG)
    (inside / "link.png").symlink_to(outside / "p.png")
    (inside / "secret.png").write_text("root:x:0:0")

    def read(path):
        return shown(answer({"type": "image", "path": str(path)}), (str(inside),)).media

    assert len(read(inside / "p.png")) == 1
    assert read(outside / "p.png") == ()
    assert read(inside / "link.png") == ()
    assert read(inside / ".." / "out" / "p.png") == ()
    assert read(inside / "secret.png") == ()
    assert read(inside / "missing.png") == ()
    assert read(inside) == ()


def test_the_model_sees_what_a_tool_shows(agent, play):
    one, model = agent([call("picture"), "a picture"])
    play(one)
    told = model.requests[1].messages[-1]
    assert [(each.kind, each.type) for each in told.media] == [("image", "image/png")]
    assert "data" not in json.loads(told.text)["parts"][0]
