import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import InvalidArguments
from hermes.base.json import encode
from hermes.services.todo import LONGEST, MOST, STATUSES, Todo, Todos, answer, status_of


@pytest.fixture
def todos():
    return Todos()


def test_items_without_ids_are_all_kept_and_get_one(todos):
    written = todos.write("t", [{"content": "a"}, {"content": "b"}, {"content": "b"}])
    assert written.todos == (Todo("1", "a"), Todo("2", "b"), Todo("3", "b"))
    assert todos.read("t") == written.todos


def test_given_ids_are_never_given_again(todos):
    written = todos.write("t", [{"content": "a"}, {"id": "1", "content": "b"}])
    assert [todo.id for todo in written.todos] == ["2", "1"]


def test_an_id_that_is_used_twice_costs_no_item(todos):
    items = [{"id": "?", "content": word} for word in ("a", "b", "c")]
    written = todos.write("t", items)
    assert [todo.content for todo in written.todos] == ["a", "b", "c"]
    assert len({todo.id for todo in written.todos}) == 3
    assert written.notes == (
        "the id '?' was used twice; 'b' is now '1'",
        "the id '?' was used twice; 'c' is now '2'",
    )


def test_at_most_one_item_is_in_progress_and_that_is_said(todos):
    items = [{"content": word, "status": "in_progress"} for word in ("a", "b")]
    written = todos.write("t", items)
    assert [todo.status for todo in written.todos] == ["in_progress", "pending"]
    assert written.notes == (
        "one item at a time is in progress: '1' stays so, '2' is pending again",
    )


def test_beginning_another_item_puts_the_one_before_back(todos):
    todos.write("t", [{"content": "a", "status": "in_progress"}, {"content": "b"}])
    written = todos.write("t", [{"id": "2", "status": "in_progress"}], merge=True)
    assert written.todos == (Todo("1", "a"), Todo("2", "b", "in_progress"))
    assert written.notes


def test_merging_changes_what_is_named_and_adds_the_rest(todos):
    todos.write("t", [{"id": "x", "content": "a"}, {"id": "y", "content": "b"}])
    todos.write("t", [{"id": "y", "status": "completed"}, {"content": "c"}], merge=True)
    todos.write("t", [{"id": "x", "content": "a2"}, {"content": "c", "status": "done"}], merge=True)
    assert todos.read("t") == (
        Todo("x", "a2"),
        Todo("y", "b", "completed"),
        Todo("1", "c", "completed"),
    )
    assert todos.open("t") == (Todo("x", "a2"),)


def test_without_merging_the_list_is_replaced(todos):
    todos.write("t", [{"content": "a"}, {"content": "b"}])
    assert todos.write("t", [{"content": "c"}]).todos == (Todo("1", "c"),)
    assert todos.write("t", []).todos == ()


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("done", "completed"),
        ("In Progress", "in_progress"),
        ("in-progress", "in_progress"),
        ("canceled", "cancelled"),
        ("TODO", "pending"),
        ("blocked", None),
    ],
)
def test_other_words_for_a_status_are_understood(word, status):
    assert status_of(word) == status


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ([{"content": "a", "status": "blocked"}], "there is no status 'blocked'"),
        ([{"content": "a"}, {"status": "pending"}], r"todos\[1\]: it is empty"),
        ([{"id": "9", "status": "completed"}], "no item has the id '9'"),
        ([{"content": "x" * (LONGEST + 1)}], "4,001 characters, and 4,000 are allowed"),
        ([{"content": "x"}] * (MOST + 1), "at most 256 items, not 257"),
        ([{"id": "i" * 101, "content": "a"}], "an id has at most 100"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_changes(todos, items, says):
    before = todos.write("t", [{"content": "kept"}]).todos
    with pytest.raises(InvalidArguments, match=says):
        todos.write("t", items, merge=True)
    assert todos.read("t") == before


def test_merging_does_not_grow_a_list_beyond_its_limit(todos):
    todos.write("t", [{"content": str(n)} for n in range(MOST)])
    with pytest.raises(InvalidArguments, match="would have 257"):
        todos.write("t", [{"content": "more"}], merge=True)


def test_tasks_do_not_see_each_other(todos):
    todos.write("a", [{"content": "x"}])
    assert todos.read("b") == ()
    todos.forget("a")
    assert todos.read("a") == ()


items = st.lists(
    st.fixed_dictionaries(
        {"content": st.text("abc ", min_size=1, max_size=3).filter(str.strip)},
        optional={"id": st.sampled_from(["", "1", "2", "?"]), "status": st.sampled_from(STATUSES)},
    ),
    max_size=8,
)


@given(items)
def test_no_content_is_ever_lost_and_one_is_in_progress(given_items):
    found = Todos().write("t", given_items).todos
    assert {todo.content for todo in found} == {item["content"].strip() for item in given_items}
    assert sum(todo.status == "in_progress" for todo in found) <= 1
    assert len({todo.id for todo in found}) == len(found)


def test_a_conversation_that_goes_on_has_its_list_again(todos):
    written = todos.write("t", [{"content": "a", "status": "done"}, {"content": "b"}])
    newest_first = [
        '{"result": 1}',
        '{"todos":[{"id":1}],"summary":{}}',
        '{"todos":[{"id":"1","content":"x","status":"odd"}],"summary":{}}',
        encode(answer(written))[:60],
        encode(answer(written)),
        encode(answer(Todos().write("o", [{"content": "older"}]))),
    ]
    again = Todos()
    again.recall("new", newest_first)
    assert again.read("new") == written.todos
    again.recall("other", newest_first[:4])
    assert again.read("other") == ()
