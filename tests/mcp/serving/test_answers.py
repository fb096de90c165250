import base64
import json

import pytest

from hermes.mcp.serving.answers import Shape, shaped

NOW = Shape("2025-11-25")
PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"
ENCODED = base64.b64encode(PNG).decode()


def part(**fields):
    return json.dumps({"result": None, "parts": [fields]})


def test_a_text_is_given_as_it_is_and_not_twice():
    assert shaped('{"result":"two\\nlines"}', NOW) == {
        "content": [{"type": "text", "text": "two\nlines"}]
    }


def test_a_text_is_structured_too_where_the_tool_promises_it():
    found = shaped('{"result":"x"}', NOW._replace(schema={"type": "object"}))
    assert found["structuredContent"] == {"result": "x"}


def test_what_a_schema_rules_out_is_in_the_text_alone():
    schema = {"type": "object", "properties": {"a": {}}, "additionalProperties": False}
    found = shaped('{"a":1,"untrusted":"from a server"}', NOW._replace(schema=schema))
    assert found["structuredContent"] == {"a": 1}
    assert "untrusted" in found["content"][0]["text"]
    open_schema = {"type": "object", "properties": {"a": {}}}
    found = shaped('{"a":1,"b":2}', NOW._replace(schema=open_schema))
    assert found["structuredContent"] == {"a": 1, "b": 2}


@pytest.mark.parametrize("value", [[1, 2], 3, True, {"a": 1}])
def test_other_values_are_text_and_structure(value):
    answer = json.dumps(value if isinstance(value, dict) else {"result": value})
    found = shaped(answer, NOW)
    assert json.loads(found["content"][0]["text"]) == value
    assert found["structuredContent"] == json.loads(answer)


def test_a_version_without_structure_gets_none():
    assert "structuredContent" not in shaped('{"a":1}', Shape("2025-03-26"))


def test_what_a_tool_says_of_an_error_beyond_words_is_kept():
    answer = '{"error":"no","code":"x","nearest":["a"]}'
    found = shaped(answer, NOW)
    assert found["isError"] is True
    assert json.loads(found["content"][0]["text"]) == json.loads(answer)


@pytest.mark.parametrize("kind", ["image", "audio"])
def test_pictures_and_sounds_are_blocks(kind):
    found = shaped(part(type=kind, media_type=f"{kind}/x", data=ENCODED), NOW)
    assert found == {"content": [{"type": kind, "data": ENCODED, "mimeType": f"{kind}/x"}]}


def test_a_sound_for_a_client_that_knows_none_is_a_resource():
    found = shaped(part(type="audio", media_type="audio/wav", data=ENCODED), Shape("2024-11-05"))
    assert found["content"][0]["type"] == "resource"


def test_text_beside_pictures_comes_first():
    answer = {"result": "look", "parts": [{"type": "image", "media_type": "a/b", "data": ENCODED}]}
    found = shaped(json.dumps(answer), NOW)
    assert [block["type"] for block in found["content"]] == ["text", "image"]


@pytest.mark.parametrize(
    ("media_type", "held"),
    [("text/plain", {"text": "hi"}), ("application/zip", {"blob": "aGk="})],
)
def test_files_are_embedded_as_text_where_they_are_text(media_type, held):
    found = shaped(part(type="file", media_type=media_type, data="aGk=", name="a://b"), NOW)
    (block,) = found["content"]
    assert block == {
        "type": "resource",
        "resource": {"uri": "a://b", "mimeType": media_type, **held},
    }


def test_a_link_is_a_link_where_the_client_knows_any():
    answer = part(type="link", uri="a://b", name="b", media_type="text/plain")
    (block,) = shaped(answer, NOW)["content"]
    assert block == {
        "type": "resource_link",
        "uri": "a://b",
        "name": "b",
        "mimeType": "text/plain",
    }
    (earlier,) = shaped(answer, Shape("2025-03-26"))["content"]
    assert earlier == {"type": "text", "text": "b: a://b"}


def test_a_picture_is_read_from_below_the_places_only(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    for folder in (inside, outside):
        (folder / "a.png").write_bytes(PNG)
    (inside / "link.png").symlink_to(outside / "a.png")
    (inside / "words.png").write_text("secret words")
    shape = NOW._replace(places=(str(inside),))

    def kind(path, type="image"):
        answer = part(type=type, media_type="image/png", path=str(path))
        return shaped(answer, shape)["content"][0]["type"]

    assert kind(inside / "a.png") == "image"
    for path in (outside / "a.png", inside / "link.png", inside / "words.png", inside / "none"):
        assert kind(path) == "text"
    assert kind(inside / "a.png", type="file") == "text"
    assert kind(inside / "a.png", type="audio") == "text"


@pytest.mark.parametrize("parts", [3, [3], [[]], [{}], [{"type": []}], {"a": 1}])
def test_parts_that_are_none_do_no_harm(parts):
    assert shaped(json.dumps({"result": "x", "parts": parts}), NOW)["content"][0]["type"] == "text"
