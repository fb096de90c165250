import os
import tempfile
from pathlib import Path

from hermes import Runtime
from hermes.cli import main

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    Path("notes.txt").write_text("buy milk\n")
    with Runtime(config={"approvals.mode": "off"}) as runtime:
        runtime.call_sync("write_file", {"path": "notes.txt", "content": "buy oat milk\n"})
        runtime.call_sync("terminal", {"command": "rm notes.txt"})

    main(["undo", "--list"])  # hermes undo --list
    main(["undo", "--yes"])  # hermes undo --yes
    print(Path("notes.txt").read_text(), end="")
    main(["undo", "--yes"])
    print(Path("notes.txt").read_text(), end="")
    os.chdir("/")
