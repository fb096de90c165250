from hermes import Runtime
from hermes.tools import registry


def roll(args, **kw):
    return {"sides": args["sides"], "task": kw["task_id"]}


registry.register(
    name="roll",
    toolset="games",
    schema={
        "description": "Say which die would be rolled.",
        "parameters": {
            "type": "object",
            "properties": {"sides": {"type": "integer", "minimum": 2}},
            "required": ["sides"],
        },
    },
    handler=roll,
)

with Runtime(toolsets=["games"]) as runtime:
    print(runtime.call_sync("roll", {"sides": "6"}, task_id="evening"))
