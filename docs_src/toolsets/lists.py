from hermes import Runtime
from hermes.base.errors import HermesError


def names(runtime: Runtime) -> list[str]:
    return sorted(tool["function"]["name"] for tool in runtime.definitions())


with Runtime(toolsets=["system"], config={"tools.disabled": ["clipboard"]}) as runtime:
    print(names(runtime))
    print(runtime.call_sync("clipboard", {"action": "read"}))

try:
    Runtime(toolsets=["sistem"])
except HermesError as error:
    print(f"{error} {error.hint}")
