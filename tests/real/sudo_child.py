"""Run commands as a user who needs a password: a story as JSON in, what happened as JSON out."""

import asyncio
import json
import os
import sys

from hermes import Runtime
from hermes.runtime.approvals import Secret


class Person:
    """Approves all calls, and gives passwords in turn."""

    def __init__(self, passwords, lasts):
        self.passwords, self.lasts, self.asked = list(passwords), lasts, []

    async def __call__(self, request):
        return "once"

    async def secret(self, request):
        self.asked.append([request.what, request.command, request.task_id, request.was_wrong])
        return Secret(self.passwords.pop(0), lasts=self.lasts) if self.passwords else None


async def nobody(request):
    return "once"


async def main(story):
    person = Person(story.get("passwords", ()), story.get("lasts", False))
    approver = nobody if story.get("nobody") else person
    answers = []
    async with Runtime(approver=approver, cwd=os.getcwd()) as rt:
        for task, command in story["commands"]:
            if command is None:
                rt.end_task(task)
            else:
                words = {"command": command, "access": "outside", "timeout": 30}
                answers.append(json.loads(await rt.call("terminal", words, task)))
    print(json.dumps({"answers": answers, "asked": person.asked}))


asyncio.run(main(json.load(sys.stdin)))
