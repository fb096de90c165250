import json
import tempfile
from pathlib import Path

from hermes import Runtime

PROGRAM = """\
def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)

print(mean([4, 8, 9]))
print(mean([]))
"""

with tempfile.TemporaryDirectory() as folder:
    Path(folder, "mean.py").write_text(PROGRAM)
    with Runtime(cwd=folder) as rt:

        def debug(action, **more):
            return json.loads(rt.call_sync("code_debug", {"action": action, **more}))

        stopped = debug(
            "start", path="mean.py", breakpoints=[{"line": 4, "condition": "value > 8"}]
        )
        print(stopped["reason"], stopped["frame"])
        print(*stopped["code"], sep="\n")
        print(debug("evaluate", expression="values[0] + total")["value"])
        raised = debug("continue")
        print(raised["text"], "in", raised["frame"])
        print(debug("variables")["variables"])
        print(debug("stop"))
