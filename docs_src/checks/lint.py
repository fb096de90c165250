import json
import tempfile
from pathlib import Path

from hermes import Runtime

with tempfile.TemporaryDirectory() as folder:
    Path(folder, "shop.py").write_text("import os\n\n\ndef price(net):\n    return net * tax\n")
    with Runtime(cwd=folder) as rt:

        def lint(**arguments):
            answer = json.loads(rt.call_sync("code_lint", arguments))
            for found in answer["findings"]:
                place = f"{found['file']}:{found['line']}:{found['column']}"
                print(place, found["rule"], found["message"], f"(fixable: {found['fixable']})")
            print("fixed:", answer.get("fixed"))

        lint()
        lint(fix=True)
