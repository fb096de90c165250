import json

from hermes import Runtime
from hermes.tools import coerce_tool_args, handle_function_call

with Runtime() as runtime:
    print(json.loads(runtime.call_sync("sleep", {"seconds": 0.01})))

print(handle_function_call("sleep", '{"seconds": 0.01}'))  # on a runtime that the process shares
print(coerce_tool_args("sleep", {"secs": "0.01"}))  # what fitting would make of arguments
