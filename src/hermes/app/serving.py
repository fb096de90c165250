"""Put the pieces of `hermes mcp serve` together: a runtime, what it offers, and a transport."""

from __future__ import annotations

import os
import secrets
import signal
import threading
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import hermes
from hermes.app.runtime import Runtime
from hermes.base.optional import load
from hermes.mcp.serving.asking import Asking, form
from hermes.mcp.serving.caller import Caller
from hermes.mcp.serving.offering import Facts, Offering
from hermes.mcp.serving.talking import McpClient
from hermes.runtime.bridge import loop_thread

if TYPE_CHECKING:
    from hermes.mcp.serving.http import Door
    from hermes.mcp.serving.logs import ToClients
    from hermes.mcp.serving.shelves import Prompts, Shelf

_LOOK_UP_SECONDS = 0.5
_LEAVE_SECONDS = 10.0
_SEARCHING = "session_search"


class Serving(NamedTuple):
    """A runtime, and what clients are offered of it."""

    runtime: Runtime
    offering: Offering

    def close(self) -> None:
        """End everything that runs for clients."""
        self.runtime.close()


def make(
    *, shelves: Sequence[Shelf] = (), prompts: Sequence[Prompts] = (), **choices: Any
) -> Serving:
    """Return what can be served: a runtime's tools, its results and conversations, and more.

    ``choices`` are those of a ``Runtime``; whose approver is the client's person.
    """
    clients = McpClient()
    runtime = Runtime(**{"cwd": workspace(), **choices}, approver=Asking(clients).approve)
    offering = Offering(runtime, _facts(runtime), clients, shelves=shelves, prompts=prompts)
    _keep(runtime, offering)
    offering.before_calls.append(_Company(runtime, clients).welcome)
    return Serving(runtime, offering)


def workspace() -> str:
    """Return the folder to work in: this one, or one of our own where that would be all there is.

    Programs with windows start servers at the root of the disk.
    """
    here = os.getcwd()  # noqa: PTH109 - a start loads no pathlib
    if here != os.path.sep:
        return here
    folder = f"{load('hermes.config.load').load().folder}/workspace"
    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - as above
    return folder


def serve_stdio(serving: Serving) -> None:
    """Serve the client at the other end of standard input and output, until it leaves."""
    stdio, pipes = load("hermes.mcp.serving.stdio"), load("hermes.mcp.serving.pipes")
    try:
        with pipes.own_streams() as (given, taken):
            _wait(stdio.Stdio(serving.offering, _task_id()).serve(given, taken))
    finally:
        serving.close()


def serve_http(serving: Serving, door: Door) -> None:
    """Serve clients over HTTP until interrupted."""
    try:
        _wait(load("hermes.mcp.serving.http").serve(serving.offering, door, _task_id()))
    finally:
        serving.close()


def _task_id() -> str:
    return f"mcp-{secrets.token_hex(4)}"


def _facts(runtime: Runtime) -> Facts:
    info = {"name": "hermes", "title": "hermes", "version": hermes.__version__}
    said = (
        f"Tools of hermes. They work in {runtime.cwd}; relative paths start there. A call that the "
        "permission profile does not allow is asked of the user, or refused with the reason."
    )
    return Facts(info, said, f"{runtime.settings.folder}/results")


def _keep(runtime: Runtime, offering: Offering) -> None:
    """Put what the home folder holds on the shelves: results, conversations, skills."""
    kept = load("hermes.mcp.serving.kept")
    home = runtime.settings.home
    offering.shelves.append(kept.Results(home / "results", offering.prefix))
    names = {definition["name"] for definition in runtime.definitions(format="mcp")}
    if _SEARCHING in names:
        conversations = kept.Conversations(lambda: _sessions(runtime))
        offering.shelves.append(conversations)
        offering.prompts.append(kept.Resuming(conversations))
    if (home / "skills").is_dir():
        skills = load("hermes.mcp.serving.skills")
        shelf = skills.Skills(home / "skills")
        offering.shelves.append(shelf)
        offering.prompts.append(skills.SkillPrompts(shelf))


def _sessions(runtime: Runtime) -> Any:
    load("hermes.app.agent_services").provide(runtime)
    return runtime.services.get(load("hermes.services.sessions").Sessions)


class _Company:
    """What calls of clients need around them, made by the first: services, questions, the log."""

    def __init__(self, runtime: Runtime, clients: McpClient) -> None:
        self._runtime = runtime
        self._clients = clients
        self._log: ToClients | None = None
        self._known: set[str] = set()

    def welcome(self, caller: Caller) -> None:
        """Get ready for a call."""
        if self._log is None:
            load("hermes.app.agent_services").provide(self._runtime)
            self._log = load("hermes.mcp.serving.logs").ToClients(self._clean())
        self._log.look(caller)
        if caller.client.can("elicitation"):
            self._answer_questions(caller)

    def _answer_questions(self, caller: Caller) -> None:
        """Bring questions of tools to the person at the client."""
        clarify = load("hermes.services.clarify")

        async def ask(question: Any) -> str | None:
            choices = dict(zip(question.choices, question.choices, strict=True))
            return await form(caller, question.text, "answer", "Your answer", choices)

        clarifier = self._runtime.services.get(clarify.Clarifier)
        clarifier.answer_with(caller.client.task_id, ask)

    def _clean(self) -> Any:
        environment = load("hermes.config.environment")
        variable = self._runtime.settings.model.key_variable
        secret = environment.known_secrets(self._runtime.environment, variable)
        return load("hermes.base.redact").Redactor(secret).text


def _wait(work: Coroutine[Any, Any, None]) -> None:
    """Wait for a server on the process's loop; an interrupt or a signal to end stops it cleanly."""
    ended = threading.Event()

    async def whole() -> None:
        try:
            await work
        finally:
            ended.set()

    running = loop_thread().submit(whole())
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, lambda *_: running.cancel()) if is_main else None
    try:
        while not ended.wait(_LOOK_UP_SECONDS):
            pass
        if not running.cancelled():
            running.result()
    except KeyboardInterrupt:
        running.cancel()
        ended.wait(_LEAVE_SECONDS)
        raise
    finally:
        if is_main:
            signal.signal(signal.SIGTERM, before)
