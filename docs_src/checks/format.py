import tempfile
from pathlib import Path

from hermes import Runtime

with tempfile.TemporaryDirectory() as folder:
    Path(folder, "shop.py").write_text("def price( net ):\n  return net*1.2\n")
    with Runtime(cwd=folder) as rt:
        print(rt.call_sync("code_format", {"code": "x = {  'a':1 }", "language": "python"}))
        rt.call_sync("code_format", {})
        print(Path(folder, "shop.py").read_text(), end="")
