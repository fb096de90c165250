import logging

from hermes.tools import ToolError, handle_function_call, tool

logging.getLogger("hermes").addHandler(logging.NullHandler())  # traces of broken tools go here


@tool
def open_shop(day: str) -> str:
    """Say when the shop opens."""
    if day == "sunday":
        raise ToolError("the shop is closed on sunday", hint="Ask for another day.", code="closed")
    return {"monday": "9:00"}[day]


print(handle_function_call("open_shop", {"day": "monday"}))
print(handle_function_call("open_shop", {"day": "sunday"}))
print(handle_function_call("open_shop", {"day": "someday"}))
