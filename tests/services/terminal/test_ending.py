"""What runs for a task is ended with it, and waited for when everything closes."""

import asyncio

from hermes import Runtime
from hermes.runtime.bridge import loop_thread


def test_closing_waits_for_tasks_that_are_just_being_ended(tmp_path):
    async def story():
        async with asyncio.timeout(20):
            rt = Runtime(cwd=tmp_path)
            tasks = ("one", "two", "three", "four")
            await asyncio.gather(*(rt.call("terminal", {"command": "true"}, one) for one in tasks))
            for task_id in tasks:
                rt.end_task(task_id)
            rt.close()
        return {task.get_coro().__qualname__ for task in asyncio.all_tasks(loop_thread().loop)}

    assert "_contained" not in asyncio.run(story())
