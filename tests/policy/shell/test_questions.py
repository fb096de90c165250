"""Whether a client of a database in a file only asks."""

import pytest

from hermes.policy.shell.questions import only_asks

FILE = "/home/dev/.hermes/state.db"
ASKED = [
    ["sqlite3", FILE, "select * from sessions where id=3"],
    ["sqlite3", "-header", FILE, ".tables"],
    ["sqlite3", FILE, "with x as (select 1) select * from x"],
    ["sqlite3", "-readonly", FILE, "delete from journal"],
]
CHANGED = [
    ["sqlite3", FILE],
    ["sqlite3", FILE, "select 1; delete from journal"],
    ["sqlite3", FILE, "with x as (select 1) delete from journal"],
    ["sqlite3", FILE, "pragma user_version=3"],
    ["sqlite3", FILE, "select 1", ".restore /tmp/other.db"],
    ["sqlite3", FILE, "select writefile('/tmp/x', 1)"],
]


@pytest.mark.parametrize("words", ASKED)
def test_a_question_only_asks(words):
    assert only_asks(words, FILE)


@pytest.mark.parametrize("words", CHANGED)
def test_whatever_may_change_the_file_does_more(words):
    assert not only_asks(words, FILE)
