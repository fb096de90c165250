import asyncio
import os

from hermes.services.machine import Machine

facts = asyncio.run(Machine(os.environ).facts(["memory", "os"]))
print(list(facts), facts["memory"]["total_bytes"] > 0)
