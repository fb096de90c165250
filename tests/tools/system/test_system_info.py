import asyncio
from pathlib import Path

from hermes.runtime.context import Services, Task, ToolContext
from hermes.runtime.declare import entry_attached
from hermes.services.machine import OVERVIEW, Machine
from hermes.tools.system.system_info import system_info


def context():
    services = Services()
    services.provide(Machine, lambda: Machine({"PATH": "/nowhere"}))
    return ToolContext(Task("t", Path("/")), "c1", services)


def test_without_sections_it_answers_an_overview():
    assert tuple(asyncio.run(system_info(ctx=context()))) == OVERVIEW


def test_only_the_sections_asked_for_are_answered():
    assert list(asyncio.run(system_info(["memory"], ctx=context()))) == ["memory"]


def test_it_reads_and_its_schema_names_every_section():
    entry = entry_attached(system_info)
    assert (entry.permissions, entry.effects) == (("system:read",), frozenset({"read"}))
    assert "ctx" not in entry.parameters["properties"]
    for section in (*OVERVIEW, "processes"):
        assert f"'{section}'" in str(entry.parameters)
