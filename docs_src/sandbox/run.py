import os
import tempfile

from hermes.environments.sandbox.box import make_box
from hermes.environments.sandbox.choose import choose
from hermes.environments.sandbox.run import Sandbox

with tempfile.TemporaryDirectory() as work, Sandbox(choose()) as sandbox:
    box = make_box(work, home=os.path.expanduser("~"), hermes_home=os.path.expanduser("~/.hermes"))
    script = "echo fine > here; echo planted > /usr/share/planted; cat here"
    done = sandbox.run(["bash", "-c", script], box, env=dict(os.environ), seconds=60)

print(sandbox.backend.name, done.output.decode(), done.errors.decode())
