import json
import tempfile
from pathlib import Path

from hermes import Runtime

CODE = """\
def total(price):
    tax = price * 0.2
    return price + tax
"""
PATCH = """\
*** Begin Patch
*** Update File: shop.py
@@ def total(price, rate):
-    return price + tax
+    return round(price + tax, 2)
*** Add File: notes.txt
+Prices are rounded now.
*** End Patch
"""

with tempfile.TemporaryDirectory() as folder, Runtime(cwd=folder) as rt:
    shop = Path(folder, "shop.py")
    shop.write_text(CODE)

    def patch(**arguments):
        return json.loads(rt.call_sync("patch", arguments))

    # Written with tabs; the file has spaces, and keeps them.
    answer = patch(
        path="shop.py",
        old_string="def total(price):\n\ttax = price * 0.2\n",
        new_string="def total(price, rate):\n\ttax = price * rate\n",
    )
    print(answer["strategy"], "→ lines", answer["lines"])
    print(answer["diff"])

    # A word that is not there: nothing is guessed.
    answer = patch(path="shop.py", old_string="return price + fees", new_string="return 0")
    print(answer["error"])
    print(answer["nearest"][0])

    answer = patch(mode="patch", patch=PATCH)
    print([(file["path"], file["action"]) for file in answer["files"]])
    print(shop.read_text(), end="")
