"""A tool of your own, offered to any model and called by a program.

Run it: .venv/bin/python examples/weather.py
"""

from datetime import date, timedelta
from typing import Annotated, Literal

from hermes import Runtime
from hermes.tools import Field, ToolError, tool

CLIMATE = {"Oslo": 6, "Lisbon": 17, "Nairobi": 19}


@tool(toolset="weather", permissions=["network:fetch"], effects="read", tags=["forecast"])
def get_weather(
    city: str,
    days: Annotated[int, Field(ge=1, le=7)] = 3,
    unit: Literal["celsius", "fahrenheit"] = "celsius",
    start: date = date(2030, 1, 31),
) -> list[dict]:
    """Return the temperature of the next days in a city. Use it before planning a trip.

    Args:
        city: Name of the city.
        days: How many days.
        unit: Of the temperatures.
        start: The first day.
    """
    if city not in CLIMATE:
        raise ToolError(f"nobody measures in {city}", hint=f"Ask for {', '.join(CLIMATE)}.")
    celsius = CLIMATE[city]
    degrees = celsius if unit == "celsius" else celsius * 9 / 5 + 32
    return [{"day": start + timedelta(days=n), "degrees": degrees} for n in range(days)]


with Runtime(toolsets=["weather"]) as runtime:
    for format in ("openai", "anthropic", "gemini"):
        print(format, "is shown", runtime.definitions(format=format)[0].keys())
    print(runtime.call_sync("get_weather", {"city": "Oslo", "days": 1}))
    print(runtime.call_sync("get_weather", '{city: "Lisbon", days: "2", units: "Fahrenheit"'))
    print(runtime.call_sync("get_weather", {"city": "Atlantis"}))
    print(runtime.call_sync("get_weather", {"days": 30}))
    for call in runtime.journal.entries(limit=4):
        print(call.tool, call.outcome, *call.changes, sep=" | ")
