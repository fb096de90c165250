"""Lists in config.yaml: one item more or less, and every other line as it was."""

import subprocess
import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import ConfigError
from hermes.config.edit_list import add_item, items, remove_item

KEY = "command_allowlist"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "config.yaml"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'command_allowlist:\n  - "x: y"\n'),
        (
            "# mine\ntools: {}",
            '# mine\ntools: {}\ncommand_allowlist:\n  - "x: y"\n',
        ),
        (
            "command_allowlist:\n- a  # first\n# between\n- b\n\ntools: {}\n",
            'command_allowlist:\n- a  # first\n# between\n- b\n- "x: y"\n\ntools: {}\n',
        ),
        ("command_allowlist: [a]\n", 'command_allowlist: [a, "x: y"]\n'),
        ("command_allowlist: []  # none\n", 'command_allowlist: ["x: y"]  # none\n'),
        ("command_allowlist:\n", 'command_allowlist: ["x: y"]\n'),
        ("a: 1\r\n", None),
    ],
)
def test_an_item_is_added_and_the_rest_stays(file, before, after):
    file.write_bytes(before.encode())
    if after is None:
        with pytest.raises(ConfigError):
            add_item(file, KEY, "x: y")
        assert file.read_bytes() == before.encode()
        return
    add_item(file, KEY, "x: y")
    assert file.read_bytes().decode() == after


def test_an_item_that_is_there_is_not_added_again(file):
    add_item(file, KEY, "a")
    before = file.read_text()
    add_item(file, KEY, "a")
    assert file.read_text() == before
    assert file.stat().st_mode & 0o777 == 0o600


def test_an_item_is_taken_out_and_comments_stay(file):
    file.write_text("# mine\ncommand_allowlist:\n  - a\n  # about c\n  - 'b'\n  - c # c\n")
    remove_item(file, KEY, "b")
    assert file.read_text() == "# mine\ncommand_allowlist:\n  - a\n  # about c\n  - c # c\n"
    assert items(file, KEY) == [("a", 3), ("c", 5)]


def test_the_last_item_leaves_an_empty_list(file):
    add_item(file, KEY, "a")
    remove_item(file, KEY, "a")
    assert file.read_text() == "command_allowlist: []\n"
    assert items(file, KEY) == []


def test_what_is_not_there_cannot_be_taken_out(file):
    with pytest.raises(ConfigError, match="there is no 'a'"):
        remove_item(file, KEY, "a")


def test_processes_that_add_at_the_same_time_lose_nothing(file):
    code = (
        "import sys; from pathlib import Path; from hermes.config.edit_list import add_item;"
        "[add_item(Path(sys.argv[1]), 'command_allowlist', f'{sys.argv[2]} {n}') for n in range(5)]"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, file, str(at)]) for at in range(3)]
    assert [process.wait(20) for process in running] == [0, 0, 0]
    wanted = {f"{at} {number}" for at in range(3) for number in range(5)}
    assert {text for text, _ in items(file, KEY)} == wanted


@given(st.lists(st.text(min_size=1).filter(str.strip), unique=True, max_size=6), st.data())
def test_any_texts_come_back_in_order(tmp_path_factory, texts, data):
    file = tmp_path_factory.mktemp("c") / "config.yaml"
    for text in texts:
        add_item(file, KEY, text)
    if texts:
        assert yaml.safe_load(file.read_text(encoding="utf-8"))[KEY] == texts
        gone = data.draw(st.sampled_from(texts))
        remove_item(file, KEY, gone)
        left = [text for text in texts if text != gone]
        assert yaml.safe_load(file.read_text(encoding="utf-8"))[KEY] == left
