import asyncio
from pathlib import Path

from hermes.runtime.context import Services, Task, ToolContext
from hermes.runtime.declare import entry_attached
from hermes.services.notifications import Notifications
from hermes.tools.system.notification import notification


def test_without_a_desktop_it_answers_that_nothing_was_delivered():
    services = Services()
    services.provide(Notifications, lambda: Notifications({}, platform="linux"))
    ctx = ToolContext(Task("t", Path("/")), "c1", services)
    answer = asyncio.run(notification("Done", ctx=ctx))
    assert answer["delivered"] is False
    assert answer["reason"] == "no desktop session is running here"


def test_its_schema_has_three_urgencies_and_needs_only_a_title():
    entry = entry_attached(notification)
    assert entry.permissions == ("system:notify",)
    assert entry.parameters["required"] == ["title"]
    assert entry.parameters["properties"]["urgency"]["enum"] == ["low", "normal", "critical"]
