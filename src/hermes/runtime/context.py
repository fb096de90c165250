"""What a handler is handed: its task, its services, its deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from hermes.base.errors import ServiceMissing, WouldWait
from hermes.base.optional import load

if TYPE_CHECKING:
    from pathlib import Path

    from hermes.policy.need import Deed
    from hermes.policy.urls import UrlRules

S = TypeVar("S")
Progress = Callable[["ToolContext", str], None]
Verb = Literal["read", "write", "delete"]


class PathCheck(Protocol):
    """Judges an absolute path, free of links, at the moment of its use."""

    def __call__(self, verb: Verb, path: str, *, is_sole: bool = False) -> None:
        """Raise ``Denied`` if a call may not use it so.

        ``is_sole`` says of an opened object that it is a file with no other name.
        """


UrlCheck = Callable[[str], "tuple[UrlRules, ...]"]
"""Judges an address that a call comes to; gives the rules for what is connected to for it."""


class TaskVariables:
    """The environment variables of a task; secrets are fetched by name at the moment of use.

    The runtime is handed the object that keeps them; this names what it needs of it.
    """

    def secret(self, name: str) -> str | None:
        """Return a variable's value for use in a call, and have it redacted from now on."""
        raise NotImplementedError

    def safe(self, task_id: str) -> dict[str, str]:
        """Return what a child process of this task may see."""
        raise NotImplementedError


class Services:
    """Hold what tools work with, by class; made on first use, closed with the runtime."""

    def __init__(self) -> None:
        self._makers: dict[type[Any], Callable[[], Any]] = {}
        self._named: dict[str, Callable[[], Any]] = {}
        self._made: dict[type[Any], Any] = {}
        self.on_progress: Progress | None = None
        """Told how far a call has come; whoever watches sets it."""

    def provide(self, kind: type[Any], make: Callable[[], Any]) -> None:
        """Say how a service is made."""
        self._makers[kind] = make
        self._made.pop(kind, None)

    def provide_named(self, name: str, make: Callable[[], Any]) -> None:
        """Say how a service is made whose class, ``module:Class``, is not loaded before its use."""
        self._named[name] = make

    def has(self, kind: type[Any]) -> bool:
        """Say whether somebody provides a service of this class."""
        return kind in self._makers or f"{kind.__module__}:{kind.__name__}" in self._named

    def is_made(self, kind: type[Any]) -> bool:
        """Say whether a service was used before; making it may take its time."""
        return kind in self._made

    def get(self, kind: type[S]) -> S:
        """Return the one service of a class.

        Raises:
            ServiceMissing: nobody provides it.
        """
        if kind not in self._made:
            make = self._makers.get(kind) or self._named.get(f"{kind.__module__}:{kind.__name__}")
            if make is None:
                raise ServiceMissing(
                    f"no {kind.__name__} service is provided here",
                    hint=f"Provide one with runtime.services.provide({kind.__name__}, ...).",
                    service=kind,
                )
            self._made.setdefault(kind, make())
        service: S = self._made[kind]
        return service

    def forget(self, task_id: str) -> None:
        """Have every service let go of what it keeps for a task."""
        for service in list(self._made.values()):
            forget = getattr(service, "forget", None)
            if callable(forget):
                forget(task_id)

    async def aclose(self) -> None:
        """Have services close what lives on the running loop, while it still runs."""
        for service in list(self._made.values()):
            aclose = getattr(service, "aclose", None)
            if callable(aclose):
                await aclose()

    def close(self) -> None:
        """Close every service that was made and can be closed, last made first."""
        while self._made:
            _, service = self._made.popitem()
            close = getattr(service, "close", None)
            if callable(close):
                close()


class Task:
    """One line of work; two tasks of a runtime never see each other's state."""

    __slots__ = ("cwd", "environment", "id", "root")

    def __init__(self, id: str, cwd: Path) -> None:
        self.id = id
        self.cwd = cwd
        self.root = str(cwd)
        """The folder it started in: its workspace, wherever it goes from there."""
        self.environment = ""
        """The backend that its commands run in; without a name, the one that the settings name."""


class ToolContext:
    """Tell a handler which task it works for and hand it its services."""

    door = "python"
    """Where the call came in."""
    tool = ""
    """The name of the tool that is called."""
    permissions: tuple[str, ...] = ()
    """Those that the call was judged by; none where every call of the tool may run."""
    user_task: str | None = None
    """What the user asked for, when the caller says so."""
    seconds: float | None = None
    """How long the call may take."""
    deed: Deed | None = None
    """What the call was judged to do, if it starts programs: they get the power for that."""
    path_check: PathCheck | None = None
    """Judges the paths that the call comes to; None where no policy is in force."""
    has_path_rules = False
    """Whether rules tell paths apart, beyond what their files hold."""
    url_check: UrlCheck | None = None
    """Judges the addresses that the call comes to; None where no policy is in force."""
    may_wait = True
    """Whether the handler may wait; where it may not, it raises ``WouldWait`` if it would."""
    announcing: Callable[[], object] | None = None
    """Has the call announced; None when it is, or nothing has to be."""
    _asked_to_stop = False
    _deadline: float | None = None

    def __init__(self, task: Task, call_id: str, services: Services) -> None:
        self.task = task
        self.call_id = call_id
        self.services = services

    @property
    def task_id(self) -> str:
        """The task this call belongs to."""
        return self.task.id

    @property
    def cwd(self) -> Path:
        """The task's working folder."""
        return self.task.cwd

    @property
    def workspace(self) -> str:
        """The folder that the task started in."""
        return self.task.root

    @property
    def cancelled(self) -> bool:
        """Whether the caller gave up; a handler in a thread should look now and then."""
        return self._asked_to_stop

    @property
    def remaining_seconds(self) -> float | None:
        """Seconds until the call's time is up, or None when it has no limit."""
        if self._deadline is None:
            if self.seconds is None:
                return None
            self._deadline = time.monotonic() + self.seconds
        return max(0.0, self._deadline - time.monotonic())

    def come_by(self, door: str | None, user_task: str | None, seconds: float | None) -> None:
        """Note where the call came in, what it is for, and how long it may take."""
        self.door = door or self.door
        self.user_task, self.seconds = user_task, seconds

    def use(self, kind: type[S]) -> S:
        """Return a service by its class.

        A class may say with ``provided_by`` who alone provides it; where nobody does, the answer
        names them.
        """
        if not self.may_wait and not self.services.is_made(kind):
            raise WouldWait(f"{kind.__name__} has to be made first")
        try:
            return self.services.get(kind)
        except ServiceMissing as missing:
            provider = getattr(kind, "provided_by", None)
            if provider is None or missing.service is not kind:
                raise
            raise ServiceMissing(
                f"{self.tool or kind.__name__} must be handled by {provider}",
                hint=f"This call did not come from {provider}; do without this tool here.",
                service=kind,
            ) from None

    def secret(self, name: str) -> str | None:
        """Return a secret variable's value; it is redacted from everything that leaves the call."""
        return self.services.get(TaskVariables).secret(name)

    def environment(self) -> Mapping[str, str]:
        """Return the variables that a child process of this task may see."""
        return self.services.get(TaskVariables).safe(self.task.id)

    def check_path(self, verb: Verb, path: str, *, is_sole: bool = False) -> None:
        """Have a path judged at the moment of its use, by what it turned out to lead to.

        Raises:
            Denied: it was not this that was judged before, and a rule or a person is against it.
        """
        if self.path_check is not None:
            self.path_check(verb, path, is_sole=is_sole)

    def check_url(self, url: str) -> tuple[UrlRules, ...]:
        """Have an address judged at the moment of its use, such as one that an answer leads to.

        Returns the rules by which what it stands for is judged again when it is connected to.

        Raises:
            Denied: a rule or a person is against it.
        """
        return () if self.url_check is None else self.url_check(url)

    def digest(self, text: str) -> str:
        """Return the SHA-256 of a text, which is worked out once for all that need it."""
        made = self.__dict__.get("_digests") or load("hermes.base.digests").Digests()
        digest: str = self.__dict__.setdefault("_digests", made).of(text)
        return digest

    def announced(self) -> None:
        """Have the journal hold on disk that this call will have an effect.

        Only a tool that is ``announced_late`` has to; it calls this before its first effect, from
        a thread that may wait.

        Raises:
            ToolError: the journal cannot be written, or nobody waits for the call any more; so
                there must be no effect.
        """
        if self.announcing is not None:
            self.announcing()

    def progress(self, text: str) -> None:
        """Tell whoever watches how far the call has come."""
        if self.services.on_progress is not None:
            self.services.on_progress(self, text)

    def stop(self) -> None:
        """Ask the handler to stop."""
        self._asked_to_stop = True
