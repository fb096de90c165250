from hermes import Runtime
from hermes.tools import tool


def printer_is_on() -> bool:
    raise RuntimeError("the printer is off")


@tool(toolset="office", requires_env=["OFFICE_TOKEN"])
def order_paper(sheets: int) -> str:
    """Order paper."""
    return f"{sheets} sheets"


@tool(toolset="office", requires_bin=["no-such-program"])
def scan() -> str:
    """Scan a page."""
    return "page"


@tool(toolset="office", check_fn=printer_is_on)
def print_page() -> str:
    """Print a page."""
    return "printed"


with Runtime(toolsets=["office"]) as runtime:
    for entry, available, reason in runtime.status():
        if entry.toolset == "office":
            print(f"{entry.name}: {available}, {reason}")
    print(runtime.definitions())
    print(runtime.call_sync("scan"))
