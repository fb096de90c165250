from pprint import pp
from typing import Literal

from hermes.tools import get_tool_definitions, handle_function_call, tool


@tool(toolset="weather")
def get_weather(
    city: str, days: int = 3, unit: Literal["celsius", "fahrenheit"] = "celsius"
) -> dict:
    """Return the forecast for a city.

    Args:
        city: Name of the city.
        days: How many days ahead.
    """
    return {"city": city, "days": days, "unit": unit}


pp(get_tool_definitions(["weather"]), width=100)  # what the model is shown
print(handle_function_call("get_weather", {"city": "Oslo", "days": "2", "unit": "Celsius"}))
print(handle_function_call("get_weather", {"city": "Oslo", "unit": "kelvin"}))
