"""Print events for programs: one JSON object per line."""

from __future__ import annotations

import json
import sys

from hermes.agent.events import CallDone, CallProgress, CallStarted, ChildSaid, Event, as_json
from hermes.base.errors import HermesError
from hermes.base.messages import Json
from hermes.cli.chat.calls import arguments_of


class JsonLines:
    """Print every event as soon as it happens."""

    def show(self, event: Event) -> None:
        """Print an event; arguments that a model sent as text come as the object they are."""
        write(line_of(event))

    def fail(self, error: HermesError) -> None:
        """Print why there is nothing to show."""
        told = {"type": "error", "error": error.message, "code": error.code, "hint": error.hint}
        write({key: value for key, value in told.items() if value is not None})


def line_of(event: Event) -> dict[str, Json]:
    """Return an event as it is printed."""
    found = as_json(event)
    if isinstance(event, (CallStarted, CallDone)) and isinstance(event.args, str):
        found["args"] = arguments_of(event.args)
    elif isinstance(event, CallProgress):
        found.setdefault("args", None)
    elif isinstance(event, ChildSaid):
        found["event"] = line_of(event.event)
    return found


def write(value: Json) -> None:
    """Print one line, in ASCII, so that no encoding can spoil it."""
    sys.stdout.write(f"{json.dumps(value, default=str)}\n")
    sys.stdout.flush()
