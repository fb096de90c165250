import asyncio
from pathlib import Path

import pytest

from hermes.base.errors import InvalidArguments
from hermes.runtime.context import Services, Task, ToolContext
from hermes.runtime.declare import entry_attached
from hermes.services.clipboard import Clipboard
from hermes.tools.system.clipboard import clipboard


@pytest.fixture
def call():
    services = Services()
    services.provide(Clipboard, lambda: Clipboard({}, platform="linux"))
    ctx = ToolContext(Task("t", Path("/")), "c1", services)
    return lambda action, text=None: asyncio.run(clipboard(action, text, ctx=ctx))


def test_what_was_written_is_read(call):
    assert call("write", "hello") == {"written_characters": 5, "backend": "process"}
    assert call("read") == {"text": "hello", "backend": "process"}


def test_an_empty_text_empties_it(call):
    call("write", "hello")
    call("write", "")
    assert call("read")["text"] == ""


def test_writing_nothing_is_refused(call):
    with pytest.raises(InvalidArguments, match="write needs a text"):
        call("write")


@pytest.mark.parametrize("action", ["read", "write"])
def test_each_action_needs_its_own_permission(action):
    entry = entry_attached(clipboard)
    assert entry.permissions_of({"action": action}) == (f"clipboard:{action}",)
    assert entry.effects_of({"action": action}) == {action}
