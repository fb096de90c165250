import os
import tempfile
from pathlib import Path

from hermes.environments.sandbox.box import make_box
from hermes.environments.sandbox.choose import choose
from hermes.environments.sandbox.run import Sandbox

SCRIPT = "echo fine > here; cat here; echo planted > /usr/share/planted"

with tempfile.TemporaryDirectory() as workspace, Sandbox(choose()) as sandbox:
    home = Path.home()
    box = make_box(workspace, home=home, hermes_home=home / ".hermes")
    done = sandbox.run(["bash", "-c", SCRIPT], box, env=dict(os.environ), seconds=60)

print(done.output.decode(), end="")
print("the system is as it was:", not Path("/usr/share/planted").exists())
