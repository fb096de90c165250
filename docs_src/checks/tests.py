import json
import tempfile
from pathlib import Path

from hermes import Runtime

TESTS = """
def test_sum():
    assert sum([1, 2]) == 3

def test_order():
    names = sorted(["b", "a"], reverse=True)
    assert names == ["a", "b"]
"""

with tempfile.TemporaryDirectory() as folder:
    Path(folder, "test_shop.py").write_text(TESTS)
    with Runtime(cwd=folder) as rt:
        answer = json.loads(rt.call_sync("code_test", {}))
        print(answer["runner"], answer["passed"], "passed,", answer["failed"], "failed")
        for failure in answer["failures"]:
            print(failure["test"], "at line", failure["line"])
            print("\n".join(failure["lines"][:2]))
