"""Discovery: only modules that declare a tool are imported, and what was found is remembered."""

import asyncio
import importlib
import itertools
import json
import marshal
import os
import sys
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes.runtime import discovery
from hermes.runtime.declarations import declares_tool
from hermes.runtime.discovery import discover
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.registry import registry as process_registry

GREET = '''
from dataclasses import dataclass
from hermes.tools import tool, by, ToolContext

@dataclass
class Name:
    first: str
    last: str = "Doe"

def _check():
    return True

@tool(toolset="words", permissions=by("loud", true="a:shout", false="a:say"), tags=["x"],
      aliases=["hail", {"name": "shout", "preset": {"loud": True}, "rename": {"who": "name"}}],
      check_fn=_check, timeout_seconds=9, emoji="*")
def greet(name: Name, loud: bool = False, *, ctx: ToolContext):
    """Greet someone by name.

    Args:
        name: Whom.
        loud: Whether to shout.
    """
    text = f"hello {name.first} {name.last} for {ctx.task_id}"
    return {"text": text.upper() if loud else text}
'''
COUNT = '''
from hermes.tools import tool

@tool(toolset="numbers", permissions=["n:read"], effects="read")
async def count(items: list[int]) -> int:
    """Return how many items there are."""
    return len(items)
'''
_numbers = itertools.count(1)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make a package of tools out of texts, and forget it afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = {entry.name for entry in process_registry.entries()}
    made = []

    def make(**files):
        name = f"found_{os.getpid()}_{next(_numbers)}"
        folder = tmp_path / name / "tools"
        texts = {"tools/__init__.py": "", "__init__.py": ""}
        for path, text in files.items():
            toolset, _, tool = path.partition("__")
            texts |= {f"tools/{toolset}/__init__.py": "", f"tools/{toolset}/{tool}.py": text}
        for path, text in texts.items():
            target = tmp_path / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text) if isinstance(text, bytes) else target.write_text(text)
        made.append(name)
        importlib.invalidate_caches()
        found = importlib.import_module(f"{name}.tools")
        assert found.__file__ == str(folder / "__init__.py")
        return found

    yield make
    for name in made:
        forget(name)
    for entry in process_registry.entries():
        if entry.name not in before:
            process_registry.deregister(entry.name)


def forget(package_name):
    for module in list(sys.modules):
        if module.startswith(package_name):
            del sys.modules[module]


def imported(package):
    """Which tool modules of a package are loaded."""
    prefix = f"{package.__name__}."
    return sorted(
        name.removeprefix(prefix)
        for name in sys.modules
        if name.startswith(prefix) and name.count(".") == prefix.count(".") + 1
    )


def names(found):
    return sorted(entry.name for entry in found.entries)


def described(found):
    """Everything about entries that does not depend on where they came from."""
    return [
        {
            "name": entry.name,
            "toolset": entry.toolset,
            "description": entry.description,
            "parameters": entry.parameters,
            "aliases": entry.aliases,
            "permissions": entry.all_permissions(),
            "effects": entry.all_effects(),
            "is_async": entry.is_async,
            "raw": entry.raw,
            "parallel": entry.parallel,
            "paths": entry.paths,
            "timeout_seconds": entry.timeout_seconds,
            "tags": entry.tags,
            "emoji": entry.emoji,
            "source": entry.source,
            "needs": (entry.requires_env, entry.requires_bin, entry.requires_extra),
            "checked": bool(entry.check_fn and entry.check_fn()),
            "wants_context": entry.spec().wants_context,
        }
        for entry in sorted(found.entries, key=lambda entry: entry.name)
    ]


def answers(found, runtime):
    """What the tools of a discovery say when called through both doors."""
    registry = ToolRegistry()
    for entry in found.entries:
        registry.add(entry)
    rt = runtime(registry=registry)
    calls = [
        ("greet", {"name": {"first": "Ann"}, "loud": "yes"}),
        ("shout", {"who": {"first": "Ann", "last": "Lee"}}),
        ("count", {"items": "[1, 2, 3]"}),
        ("count", {"items": "many"}),
    ]
    said = [json.loads(rt.call_sync(name, args)) for name, args in calls]
    assert said == [json.loads(asyncio.run(rt.call(name, args))) for name, args in calls]
    return said


def test_the_tools_of_a_package_are_found_by_folder_and_file(package):
    found = discover(package(words__greet=GREET, numbers__count=COUNT))
    assert names(found) == ["count", "greet"] and found.problems == []
    assert {entry.name: entry.toolset for entry in found.entries} == {
        "count": "numbers",
        "greet": "words",
    }


BROKEN = {
    "syntax": ("from hermes.tools import tool\n@tool\ndef oops(:\n", "SyntaxError"),
    "missing": (
        "import not_there_at_all\nfrom hermes.tools import tool\n@tool\ndef a(): ''",
        "not_",
    ),
    "raises": ("from hermes.tools import tool\n@tool\ndef a(): ''\n1 / 0\n", "ZeroDivisionError"),
    "exits": ("import sys\nfrom hermes.tools import tool\n@tool\ndef a(): ''\nsys.exit(3)", "Exit"),
    "option": ("from hermes.tools import tool\n@tool(tgas=[])\ndef a(): ''\n", "tgas"),
    "type": ("from hermes.tools import tool\n@tool\ndef a(x: 'Nowhere'): ''\n", "Nowhere"),
    "bytes": (b"from hermes.tools import tool\n@tool\ndef a(): '\xff'\n", "Unicode"),
    "nul": ("from hermes.tools import tool\n@tool\ndef a(): '\0'\n", "null"),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.proves("declare-broken-file")
def test_a_broken_file_is_reported_with_its_reason_and_stops_no_other(package, tmp_path, kind):
    text, reason = BROKEN[kind]
    found = discover(package(broken__tool=text, numbers__count=COUNT, a__greet=GREET))
    assert names(found) == ["count", "greet"]
    ((path, why),) = found.problems
    assert path.endswith(os.path.join("broken", "tool.py"))
    assert reason in why and "\n" not in why


def test_a_broken_file_keeps_the_others_from_being_remembered_as_all(package, tmp_path):
    made = package(broken__tool=BROKEN["raises"][0], numbers__count=COUNT)
    cache = tmp_path / "cache" / "tools"
    for _ in range(2):
        found = discover(made, cache)
        assert names(found) == ["count"] and len(found.problems) == 1


def test_two_files_that_declare_the_same_name_are_reported(package):
    other = COUNT.replace('toolset="numbers"', 'toolset="others"')
    found = discover(package(numbers__count=COUNT, others__count=other))
    assert len(found.entries) == 1
    assert "belongs to toolset" in found.problems[0][1]


def test_modules_that_declare_nothing_are_not_imported(package):
    made = package(
        numbers__count=COUNT,
        numbers__helper="raise RuntimeError('imported for nothing')\n",
        words__mention="# a @tool, registry.register( and BaseTool in words only\nX = '@tool'\n",
    )
    found = discover(made)
    assert found.problems == [] and names(found) == ["count"]
    assert imported(made) == ["numbers.count"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@tool\ndef f(): ...", True),
        ("@tool()\nasync def f(): ...", True),
        ("@tools.tool(name='x')\ndef f(): ...", True),
        ("@tool\nclass A(BaseTool): ...", True),
        ("class A(BaseTool): ...", True),
        ("class A(tools.BaseTool): ...", True),
        ("registry.register('a', 't', {}, f)", True),
        ("if True:\n    @tool\n    def f(): ...", True),
        ("def f(): ...", False),
        ("@other\ndef f(): ...", False),
        ("class A(Base): ...", False),
        ("tool = 5", False),
        ("'@tool'", False),
        ("", False),
    ],
)
def test_a_declaration_is_seen_in_the_syntax_tree(text, expected):
    assert declares_tool(text) is expected


@pytest.fixture
def remembered(package, tmp_path):
    """A package whose tools were found once, and forgotten by this process."""
    made = package(words__greet=GREET, numbers__count=COUNT)
    cache = tmp_path / "cache" / "tools"
    first = discover(made, cache)
    seen = described(first)
    unload(made)
    return made, cache, seen


def unload(package):
    for name in imported(package):
        del sys.modules[f"{package.__name__}.{name}"]


def test_a_second_discovery_imports_nothing_until_a_tool_is_called(remembered, runtime):
    made, cache, _ = remembered
    found = discover(made, cache)
    assert imported(made) == []
    assert [entry.description for entry in found.entries]
    assert imported(made) == []
    registry = ToolRegistry()
    for entry in found.entries:
        registry.add(entry)
    runtime(registry=registry).call_sync("count", {"items": [1]})
    assert imported(made) == ["numbers.count"]


def test_remembered_tools_are_the_same_as_imported_ones(remembered, runtime):
    made, cache, seen = remembered
    found = discover(made, cache)
    assert imported(made) == []
    assert described(found) == seen
    said = answers(found, runtime)
    assert said[0] == {"text": "HELLO ANN DOE FOR DEFAULT"}
    unload(made)
    assert answers(discover(made), runtime) == said


def test_a_changed_added_or_removed_file_is_seen(remembered):
    made, cache, _ = remembered
    folder = cache.parents[1] / made.__name__.split(".")[0] / "tools"
    count, more = folder / "numbers" / "count.py", folder / "numbers" / "more.py"
    os.utime(count, ns=(1, 1))
    discover(made, cache)
    assert imported(made) == ["numbers.count", "words.greet"]
    unload(made)
    more.write_text(COUNT.replace("count", "count_more"))
    importlib.invalidate_caches()
    assert names(discover(made, cache)) == ["count", "count_more", "greet"]
    unload(made)
    more.unlink()
    assert names(discover(made, cache)) == ["count", "greet"]


def test_another_python_is_not_served_what_this_one_found(remembered, monkeypatch):
    made, cache, _ = remembered
    monkeypatch.setattr(discovery.sys, "version", "3.99.0 (of another day)")
    assert names(discover(made, cache)) == ["count", "greet"]
    assert imported(made) == ["numbers.count", "words.greet"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_cache_is_ignored(remembered, data):
    made, cache, seen = remembered
    unload(made)
    discover(made, cache)
    unload(made)
    whole = cache.read_bytes()
    damage = data.draw(st.sampled_from(["truncate", "flip", "replace", "append"]))
    if damage == "truncate":
        broken = whole[: data.draw(st.integers(0, len(whole) - 1))]
    elif damage == "flip":
        at = data.draw(st.integers(0, len(whole) - 1))
        flipped = whole[at] ^ (1 << data.draw(st.integers(0, 7)))
        broken = whole[:at] + bytes([flipped]) + whole[at + 1 :]
    elif damage == "replace":
        broken = data.draw(st.binary(max_size=40))
    else:
        broken = whole + data.draw(st.binary(min_size=1, max_size=8))
    cache.write_bytes(broken)
    try:
        assert described(discover(made, cache)) == seen
        assert imported(made) == ["numbers.count", "words.greet"]
    finally:
        cache.write_bytes(whole)


@pytest.mark.parametrize(
    "content",
    [5, None, [], {}, {"tools": []}, {"tools": 5, "signature": []}, {"signature": 5, "tools": []}],
    ids=str,
)
def test_a_cache_of_another_form_is_ignored(remembered, content):
    made, cache, seen = remembered
    body = marshal.dumps(content)
    cache.write_bytes(zlib.crc32(body).to_bytes(4, "big") + body)
    assert described(discover(made, cache)) == seen


@pytest.mark.parametrize("place", ["a file is in the way", "the cache is a folder"])
def test_a_cache_that_cannot_be_written_costs_nothing_but_time(remembered, tmp_path, place):
    made, _, seen = remembered
    target = tmp_path / "elsewhere"
    if place == "a file is in the way":
        target.write_text("")
        cache = target / "tools"
    else:
        cache = target
        (cache / "x").mkdir(parents=True)
    assert described(discover(made, cache)) == seen


SHARED = '''
from hermes.tools import tool

@tool(toolset="s", permissions=lambda args: ["file:read"])
def look(x: int = 0):
    """Look."""
    return "looked"

@tool(toolset="s", permissions=lambda args: ["file:write"])
def spoil(x: int = 0):
    """Spoil."""
    return "spoilt"
'''


def test_remembered_permissions_and_effects_belong_to_their_own_tool(package, tmp_path):
    made = package(s__pair=SHARED)
    cache = tmp_path / "cache"

    def needs():
        return {
            entry.name: (entry.permissions_of({}), entry.effects_of({}))
            for entry in discover(made, cache).entries
        }

    fresh = needs()
    assert fresh == {
        "look": (("file:read",), frozenset({"read"})),
        "spoil": (("file:write",), frozenset({"write"})),
    }
    unload(made)
    assert needs() == fresh


CHECKED = '''
import functools
from hermes.tools import tool

def has(what):
    return what == "paper"

@tool(toolset="s", check_fn=functools.partial(has, "paper"))
def write():
    """Write."""
    return "written"

@tool(toolset="s", check_fn=functools.partial(has, "ink"))
def paint():
    """Paint."""
    return "painted"
'''


def test_checks_made_of_partials_are_remembered_each_for_itself(package, tmp_path):
    made = package(s__pair=CHECKED)
    for _ in range(2):
        found = discover(made, tmp_path / "cache")
        assert {entry.name: entry.check_fn() for entry in found.entries} == {
            "write": True,
            "paint": False,
        }
        unload(made)


CLASS = """
from hermes.tools import BaseTool, tool

@tool
class Counter(BaseTool):
    name = "counter"
    description = "Count."
    toolset = "numbers"
    parameters = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

    async def setup(self):
        self.total = 100

    async def run(self, params, ctx):
        self.total += params["n"]
        return {"total": self.total}
"""


def test_a_remembered_class_works_like_an_imported_one(package, tmp_path, runtime):
    made = package(numbers__counter=CLASS)
    for _ in range(2):
        (entry,) = discover(made, tmp_path / "cache").entries
        registry = ToolRegistry()
        registry.add(entry)
        assert json.loads(runtime(registry=registry).call_sync("counter", {"n": "1"})) == {
            "total": 101
        }
        unload(made)


RAW = """
from hermes.tools import registry

registry.register("raw_tool", "numbers", {"type": "object", "properties": {}}, lambda args: "raw",
                  description="Be raw.")
"""


def test_a_module_that_registers_the_raw_form_is_found_each_time(package, tmp_path):
    made = package(numbers__raw_tool=RAW)
    for _ in range(2):
        found = discover(made, tmp_path / "cache")
        assert "raw_tool" in names(found) or "raw_tool" in process_registry
        process_registry.deregister("raw_tool")
        unload(made)


def test_a_class_that_was_not_registered_is_reported_and_not_silently_missing(package):
    found = discover(package(numbers__counter=CLASS.replace("@tool\n", "")))
    assert names(found) == ["counter"] or len(found.problems) == 1


def test_a_tool_that_is_gone_from_its_module_is_answered_not_raised(remembered, runtime):
    made, cache, _ = remembered
    found = discover(made, cache)
    folder = cache.parents[1] / made.__name__.split(".")[0] / "tools"
    (folder / "numbers" / "count.py").write_text("")
    registry = ToolRegistry()
    for entry in found.entries:
        registry.add(entry)
    answer = json.loads(runtime(registry=registry).call_sync("count", {"items": [1]}))
    assert answer["code"] == "tool_failed" and "no longer declares" in answer["error"]


def test_the_cache_is_private(remembered):
    _, cache, _ = remembered
    assert cache.stat().st_mode & 0o077 == 0
    assert cache.parent.stat().st_mode & 0o077 == 0
