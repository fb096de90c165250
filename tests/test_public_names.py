"""The names that users import; taking one away breaks their programs."""

import importlib
import subprocess
import sys

import pytest

NAMES = {
    "hermes": ["Agent", "Runtime", "__version__", "default_runtime"],
    "hermes.tools": [
        "Alias",
        "BaseTool",
        "Denied",
        "Field",
        "ToolContext",
        "ToolError",
        "ToolRegistry",
        "ToolResult",
        "by",
        "coerce_tool_args",
        "discover_builtin_tools",
        "file",
        "get_tool_definitions",
        "handle_function_call",
        "handle_tool_calls",
        "image",
        "registry",
        "tool",
        "tool_error",
        "tool_result",
    ],
    "hermes.toolsets": [
        "TOOLSETS",
        "create_custom_toolset",
        "get_all_toolsets",
        "is_toolset_available",
        "resolve_toolset",
    ],
}
MADE_WHEN_ASKED_FOR = {"hermes.toolsets": ["TOOLSETS"]}
RUNTIME = {
    "aclose",
    "add_source",
    "agent",
    "call",
    "call_many",
    "call_many_sync",
    "call_sync",
    "close",
    "definitions",
    "end_task",
    "gate",
    "hooks",
    "journal",
    "problems",
    "refresh",
    "register_yaml",
    "search",
    "status",
    "task",
    "tool_results",
    "use_environment",
}


@pytest.mark.parametrize("module", NAMES)
def test_a_module_exports_exactly_its_documented_names(module):
    found = importlib.import_module(module)
    assert sorted({*found.__all__, *MADE_WHEN_ASKED_FOR.get(module, ())}) == NAMES[module]
    for name in NAMES[module]:
        assert getattr(found, name) is not None


@pytest.mark.parametrize("module", NAMES)
def test_every_public_name_can_be_imported_first(module):
    lines = [f"from {module} import {name}" for name in NAMES[module]]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([*lines, f"from {module} import *"])],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_runtime_has_exactly_its_documented_methods():
    from hermes import Runtime

    assert {name for name in dir(Runtime) if not name.startswith("_")} == RUNTIME


@pytest.mark.parametrize("module", ["hermes", "hermes.toolsets"])
def test_a_name_that_does_not_exist_is_an_attribute_error(module):
    with pytest.raises(AttributeError, match="no_such_name"):
        importlib.import_module(module).no_such_name  # noqa: B018


def test_importing_hermes_loads_nothing_of_it():
    code = "import sys, hermes; print([m for m in sys.modules if m.startswith('hermes.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "[]"
