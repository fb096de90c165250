"""What the loopback services share: a loop in a thread, and the end of processes."""

import asyncio
import os
import signal
import threading

import psutil


class InThread:
    """Run an asyncio server beside the test."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def do(self, work, seconds=20):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(seconds)

    def end(self):
        self.do(self._cancel_all())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()

    async def _cancel_all(self):
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self.loop.shutdown_default_executor()


def end_all(name, value):
    """Kill every process that was started with a variable: all of one sandbox."""
    for process in psutil.process_iter():
        try:
            if process.environ().get(name) == value:
                os.kill(process.pid, signal.SIGKILL)
        except (psutil.Error, OSError):
            continue


def end_tree(pid):
    """Kill a process and all that descends from it."""
    try:
        root = psutil.Process(pid)
        family = [*root.children(recursive=True), root]
    except psutil.Error:
        return
    for process in family:
        try:
            process.kill()
        except psutil.Error:
            continue
