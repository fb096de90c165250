from typing import Literal

from hermes.tools import Alias, handle_function_call, tool


@tool(
    toolset="office",
    aliases=[
        "print_document",
        Alias("print_draft", preset={"quality": "draft"}),
        Alias("lpr", rename={"file": "path"}),
    ],
)
def print_file(path: str, quality: Literal["draft", "best"] = "best") -> str:
    """Print a file."""
    return f"{path} in {quality} quality"


print(handle_function_call("print_document", {"path": "a.txt"}))
print(handle_function_call("print_draft", {"path": "b.txt"}))
print(handle_function_call("lpr", {"file": "c.txt"}))
print(handle_function_call("functions.Print-File", {"path": "d.txt"}))
