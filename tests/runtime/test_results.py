import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.redact import Redactor
from hermes.runtime.results import Limits, Shaper, Store
from hermes.runtime.tool_result import ToolResult, image

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=200),
    lambda inner: (
        st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=8), inner, max_size=8)
    ),
    max_leaves=40,
)


def shaper(folder):
    return Shaper(Store(folder), Redactor())


@pytest.mark.proves("result-cut")
def test_an_oversized_text_keeps_head_and_tail_and_is_saved_whole(tmp_path):
    text = "\n".join(f"line {n}" for n in range(5_000))
    answer = json.loads(shaper(tmp_path).success(text, "call-1", 4_000)[0])
    assert answer["result"].startswith("line 0\n") and answer["result"].endswith("line 4999")
    note = answer["truncated"]
    with open(note["path"], encoding="utf-8") as saved:
        assert saved.read() == text
    seen = "\n".join(text.split("\n")[: note["next_offset"] - 1])
    assert seen and answer["result"].startswith(seen)
    assert not answer["result"].startswith("\n".join(text.split("\n")[: note["next_offset"] + 1]))
    assert note["chars"] > len(text)


def test_an_oversized_list_keeps_its_ends(tmp_path):
    answer = json.loads(shaper(tmp_path).success(list(range(10_000)), "c", 2_000)[0])
    assert answer["result"][0] == 0 and answer["result"][-1] == 9_999
    assert any(isinstance(item, str) and "left out" in item for item in answer["result"])


def test_small_fields_survive_beside_a_large_one(tmp_path):
    value = {"exit_code": 0, "output": "y" * 50_000, "cwd": "/tmp"}
    answer = json.loads(shaper(tmp_path).success(value, "c", 3_000)[0])
    assert answer["exit_code"] == 0 and answer["cwd"] == "/tmp"
    assert 2_000 < len(answer["output"]) < 3_000


def test_an_unwritable_store_still_answers(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    answer = json.loads(shaper(blocked).success("z" * 9_000, "c", 2_000)[0])
    assert "path" not in answer["truncated"] and "could not be saved" in answer["truncated"]["hint"]


@given(VALUES)
def test_any_value_is_one_json_object_within_its_limit(tmp_path_factory, value):
    folder = tmp_path_factory.mktemp("results")
    content = shaper(folder).success(value, "c", 1_500)[0]
    assert isinstance(json.loads(content), dict)
    assert len(content) <= 1_500 + 600


def test_parts_are_typed_and_large_ones_lie_in_files(tmp_path):
    small, large = image(data=b"\x89PNG"), image(data=b"\x89PNG" * 5_000)
    result = ToolResult(output={"n": 2}, parts=(small, large))
    answer = json.loads(shaper(tmp_path).success(result, "c", 100_000)[0])
    assert answer["n"] == 2
    first, second = answer["parts"]
    assert first == {"type": "image", "media_type": "image/png", "bytes": 4, "data": "iVBORw=="}
    with open(second["path"], "rb") as saved:
        assert saved.read() == large.data
    assert second["path"].endswith(".png")


@pytest.mark.parametrize(
    ("tokens", "limits"),
    [
        (0, (100_000, 200_000)),
        (8_192, (8_000, 16_000)),
        (32_768, (19_660, 39_321)),
        (200_000, (100_000, 200_000)),
    ],
)
def test_limits_scale_with_the_models_context(tokens, limits):
    assert Limits().scaled(tokens) == limits


def test_saved_results_are_private(tmp_path):
    folder = tmp_path / "results"
    answer = json.loads(shaper(folder).success("q" * 9_000, "../../etc/passwd", 1_000)[0])
    import os

    path = answer["truncated"]["path"]
    assert os.path.dirname(path) == str(folder)
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.stat(folder).st_mode & 0o777 == 0o700
