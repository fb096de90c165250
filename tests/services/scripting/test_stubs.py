"""The module that a script imports: real Python, whatever the schemas are."""

import ast
import keyword

from hypothesis import given
from hypothesis import strategies as st

from hermes.services.scripting import stubs
from hermes.services.scripting.annotating import annotation

TOOL = stubs.Callable(
    "read_file",
    'Read a file. It\'s """quoted""" \\ here.',
    {
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "default": 500, "description": "How many lines."},
            "path": {"type": "string"},
            "mode": {"enum": ["a", "b"], "default": "a"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "from": {"type": "string"},
        },
        "required": ["path"],
    },
)


def made(*tools):
    calls = []
    namespace = {"_call": lambda name, args: calls.append((name, args))}
    exec(stubs.module(tools), namespace)
    return namespace, calls


def test_a_function_takes_what_its_schema_says():
    namespace, calls = made(TOOL)
    namespace["read_file"]("x")
    namespace["read_file"]("x", 7, tags=["t"], **{"from": "y"})
    assert calls == [
        ("read_file", {"path": "x"}),
        ("read_file", {"path": "x", "limit": 7, "tags": ["t"], "from": "y"}),
    ]
    assert namespace["read_file"].__doc__.startswith('Read a file. It\'s """quoted""" \\ here.')
    assert "limit: How many lines." in namespace["read_file"].__doc__
    assert namespace["read_file"].__annotations__["mode"] == "Literal['a', 'b']"


def test_signatures_are_brief_for_a_model():
    assert stubs.signature(TOOL, brief=True) == (
        "read_file(path: str, limit=500, mode: Literal['a', 'b'] = 'a', "
        "tags: list[str] = None, **more)"
    )


def test_annotations_say_what_schemas_say():
    assert annotation({"anyOf": [{"type": "string"}, {"type": "null"}]}) == "str | None"
    assert annotation({"type": ["integer", "string"]}) == "int | str"
    assert annotation({"type": "array", "items": {"type": "object"}}) == "list[dict[str, Any]]"
    assert annotation(True) == "Any"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.text(min_size=1), st.text(), st.dictionaries(st.text(), JSON), st.lists(st.text()))
def test_whatever_a_tool_is_called_and_takes_the_module_is_python(
    name, words, properties, required
):
    tool = stubs.Callable(name, words, {"properties": properties, "required": required})
    ast.parse(stubs.module([tool]))
    function = stubs.function_name(name)
    assert function.isidentifier() and not keyword.iskeyword(function)
