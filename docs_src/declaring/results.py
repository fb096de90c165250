from hermes.tools import ToolResult, handle_function_call, image, tool, tool_result

DOT = bytes.fromhex("89504e470d0a1a0a")


@tool
def as_text() -> str:
    """Return a text."""
    return "four"


@tool
def as_object() -> dict:
    """Return an object."""
    return {"answer": 4}


@tool
def as_items():
    """Return items one by one."""
    yield from (1, 2, 3)


@tool
def as_json() -> str:
    """Return a ready answer."""
    return tool_result(answer=4, unit="apples")


@tool
def as_picture() -> ToolResult:
    """Return a picture."""
    return ToolResult(output="A dot.", parts=(image(data=DOT),))


@tool
def as_failure() -> ToolResult:
    """Fail."""
    return ToolResult(success=False, error="no paper", hint="Fill the tray.")


for name in ("as_text", "as_object", "as_items", "as_json", "as_picture", "as_failure"):
    print(handle_function_call(name, {}))
