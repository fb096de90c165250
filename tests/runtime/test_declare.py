"""@tool: a typed function becomes an entry and stays a function."""

import asyncio
import contextlib
import functools
import json

import pytest

from hermes.base.errors import ConfigError
from hermes.runtime.declare import entry_attached, entry_of, tool
from hermes.runtime.entry import Alias, by
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.registry import registry as process_registry
from hermes.schema.check import schema_problems


def forecast(city: str, days: int = 3, *, ctx=None):
    """Return the forecast.

    Args:
        city: Where.
        days: How many days.
    """
    return f"{city} {days}"


def test_a_bare_decorator_registers_process_wide_and_leaves_the_function_as_it_is():
    @tool
    def declared_in_a_test(n: int) -> int:
        """Double."""
        return n * 2

    try:
        assert declared_in_a_test(4) == 8
        entry = process_registry.get("declared_in_a_test")
        assert entry is entry_attached(declared_in_a_test)
        assert (entry.toolset, entry.source, entry.effects) == ("custom", "python", None)
    finally:
        process_registry.deregister("declared_in_a_test")


def test_options_become_the_entrys_traits(registry):
    made = tool(
        registry=registry,
        name="weather",
        description="Weather.",
        toolset="sky",
        tags="a",
        timeout_seconds=15,
        emoji="*",
        requires_env="KEY",
        requires_bin=["curl"],
        requires_extra="browser",
        permissions="network:fetch",
        parallel=True,
        max_result_size_chars=500,
        aliases=["w", {"name": "w7", "preset": {"days": 7}}, Alias("w8")],
    )(forecast)
    assert made is forecast
    entry = registry.get("weather")
    assert entry.description == "Weather." and entry.toolset == "sky"
    assert (entry.tags, entry.requires_env, entry.requires_bin) == (("a",), ("KEY",), ("curl",))
    assert (entry.permissions, entry.effects) == (("network:fetch",), {"network"})
    assert (entry.timeout_seconds, entry.parallel, entry.max_result_size_chars) == (15, True, 500)
    assert entry.aliases == (Alias("w"), Alias("w7", {"days": 7}), Alias("w8"))
    assert all(registry.get(name) is entry for name in ("weather", "w", "w7", "w8"))


@pytest.mark.proves("declare-schema")
def test_the_schema_comes_from_signature_and_docstring_without_the_context():
    entry = entry_of(forecast)
    assert entry.description == "Return the forecast."
    assert entry.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where."},
            "days": {"type": "integer", "default": 3, "description": "How many days."},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert schema_problems(entry.parameters) == []


@pytest.mark.parametrize(
    ("option", "near"),
    [("tgas", "tags"), ("permission", "permissions"), ("timeout", "timeout_seconds")],
)
def test_a_misspelt_option_is_refused_with_the_right_one(registry, option, near):
    with pytest.raises(ConfigError) as caught:
        tool(registry=registry, **{option: []})(forecast)
    assert option in str(caught.value) and near in caught.value.hint
    assert len(registry) == 0


@pytest.mark.parametrize("target", [5, "text", None, []])
def test_what_cannot_be_called_is_no_tool(target):
    with pytest.raises(ConfigError):
        entry_of(target)


@pytest.mark.parametrize(
    ("permissions", "effects"),
    [
        (["file:read"], {"read"}),
        (["file:list", "db:lookup", "web:search"], {"read"}),
        (["file:write"], {"write"}),
        (["terminal:execute", "docker:run"], {"exec"}),
        (["network:fetch"], {"network"}),
        (["file:read", "file:write", "network:x"], {"read", "write", "network"}),
        (["strange"], {"write"}),
        ([], None),
    ],
)
def test_effects_follow_from_permissions_when_none_are_declared(permissions, effects):
    assert entry_of(forecast, permissions=permissions).effects == effects


def test_declared_effects_win_over_implied_ones():
    entry = entry_of(forecast, permissions=["file:write"], effects=["read", "exec"])
    assert entry.effects == {"read", "exec"}


def test_effects_follow_permissions_that_depend_on_the_arguments():
    entry = entry_of(forecast, permissions=by("city", a="x:read", b=["x:write", "x:run"]))
    assert entry.effects_of({"city": "a"}) == {"read"}
    assert entry.effects_of({"city": "b"}) == {"write", "exec"}
    assert entry.effects_of({"city": "else"}) == {"read", "write", "exec"}
    assert entry.permissions_of({"city": "else"}) == ("x:read", "x:run", "x:write")
    counted = entry_of(forecast, permissions=lambda args: [f"x:{args['city']}"])
    assert counted.effects_of({"city": "read"}) == {"read"}
    assert counted.permissions_of({"city": "read"}) == ("x:read",)


@pytest.mark.proves("declare-collision")
def test_a_name_of_another_toolset_is_refused_and_override_takes_it(registry):
    tool(registry=registry, toolset="one")(forecast)
    with pytest.raises(ConfigError, match="belongs to toolset 'one'"):
        tool(registry=registry, toolset="two")(forecast)
    assert registry.get("forecast").toolset == "one"
    tool(registry=registry, toolset="two", override=True)(forecast)
    assert registry.get("forecast").toolset == "two"


@pytest.mark.proves("declare-collision")
def test_an_alias_takes_no_name_that_another_tool_has(registry):
    registry.register("taken", "one", {"type": "object"}, lambda args: "first")
    with contextlib.suppress(ConfigError):
        tool(registry=registry, toolset="two", aliases=["taken"])(forecast)
    assert registry.get("taken").toolset == "one"


@pytest.mark.proves("declare-collision")
def test_two_toolsets_cannot_give_the_same_alias(registry):
    tool(registry=registry, toolset="one", name="a", aliases=["same"])(forecast)
    with pytest.raises(ConfigError):
        tool(registry=registry, toolset="two", name="b", aliases=["same"])(lambda: None)


class Callable:
    """A thing that can be called."""

    async def __call__(self, n: int):
        """Add one."""
        return n + 1


class Owner:
    base = 10

    def method(self, n: int):
        """Add to the base."""
        return self.base + n

    @staticmethod
    def static(n: int):
        """Add two."""
        return n + 2

    @classmethod
    def of_class(cls, n: int):
        """Add to the class's base."""
        return cls.base + n


def logged(function):
    @functools.wraps(function)
    def inner(*args, **kw):
        return function(*args, **kw)

    return inner


@logged
async def wrapped(n: int):
    """Add three."""
    return n + 3


CALLABLES = {
    "instance": (Callable(), 2),
    "method": (Owner().method, 11),
    "static": (Owner.static, 3),
    "classmethod": (Owner.of_class, 11),
    "lambda": (lambda n: n, 1),
    "wrapped": (wrapped, 4),
    "partial": (functools.partial(lambda a, n: a + n, 5), 6),
}


@pytest.mark.parametrize("kind", CALLABLES)
def test_anything_that_can_be_called_can_be_a_tool(registry, runtime, kind):
    target, result = CALLABLES[kind]
    registry.add(entry_of(target, name="it"))
    rt = runtime()
    assert json.loads(rt.call_sync("it", {"n": 1})) == {"result": result}
    assert json.loads(asyncio.run(rt.call("it", {"n": 1}))) == {"result": result}


@pytest.mark.parametrize("kind", CALLABLES)
def test_the_decorator_takes_whatever_can_be_called(kind):
    registry = ToolRegistry()
    target, _ = CALLABLES[kind]
    assert tool(name="it", registry=registry)(target) is target
    assert "it" in registry


def test_async_functions_and_generators_are_known_as_such():
    async def later(): ...

    async def several():
        yield 1

    def several_now():
        yield 1

    flags = [entry_of(function).is_async for function in (later, several, several_now, forecast)]
    assert flags == [True, True, False, False]


def test_declaring_costs_nothing_until_the_schema_is_asked_for():
    def annotated(x: "not_defined_yet"): ...  # noqa: F821 - resolved only when asked for

    entry = entry_of(annotated)
    assert entry.name == "annotated"


def test_what_an_answer_is_promised_to_be_must_describe_an_object(registry):
    promised = {"type": "object", "properties": {"sum": {"type": "integer"}}}

    @tool(registry=registry, output_schema=promised, title="Add", destructive=False)
    def add(left: int, right: int) -> dict:
        """Add."""
        return {"sum": left + right}

    entry = registry.get("add")
    assert (entry.output_schema, entry.title, entry.destructive) == (promised, "Add", False)
    for wrong in ({"type": "array"}, [], "object", {"type": "object", "properties": 3}):
        with pytest.raises(ConfigError, match="output_schema"):
            tool(registry=registry, name="broken", output_schema=wrong)(add)
