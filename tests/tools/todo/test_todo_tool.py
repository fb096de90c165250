import json

import pytest

from hermes import Runtime
from hermes.services.todo import Todos


@pytest.fixture
def rt(tmp_path):
    with Runtime(cwd=tmp_path, toolsets=["todo"]) as made:
        made.services.provide(Todos, Todos)
        yield made


def call(rt, task="t", **args):
    return json.loads(rt.call_sync("todo", args, task))


def test_a_list_is_written_and_read_in_its_own_task(rt):
    written = call(rt, todos=[{"content": "a", "status": "in_progress"}, {"content": "b"}])
    assert written == {
        "todos": [
            {"id": "1", "content": "a", "status": "in_progress"},
            {"id": "2", "content": "b", "status": "pending"},
        ],
        "summary": {"total": 2, "pending": 1, "in_progress": 1},
    }
    assert call(rt) == written
    assert call(rt, task="other") == {"todos": [], "summary": {"total": 0}}


def test_what_was_put_right_is_said(rt):
    items = [{"content": word, "status": "in_progress"} for word in "ab"]
    assert "one item at a time" in call(rt, todos=items)["notes"][0]


def test_an_unknown_status_is_refused_with_the_known_ones(rt):
    answer = call(rt, todos=[{"content": "a", "status": "blocked"}])
    assert answer["code"] == "invalid_arguments"
    assert '"completed"' in answer["error"]


def test_merging_by_id_changes_one_item(rt):
    call(rt, todos=[{"content": "a"}, {"content": "b"}])
    answer = call(rt, todos=[{"id": 1, "status": "Completed"}], merge="true")
    assert [one["status"] for one in answer["todos"]] == ["completed", "pending"]
