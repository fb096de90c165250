"""The boundary that a runtime has: a box for each task, as the profile in force describes it."""

from __future__ import annotations

import functools
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.base.errors import Denied, Unavailable
from hermes.base.optional import load
from hermes.policy.permissions import Profile, settled
from hermes.policy.verdict import ALLOWED, Decision, Finding, Verdict
from hermes.runtime.boundary import Boundary, Granted, Launch, Network, Program, Wants
from hermes.runtime.call_policy import CallPolicy, Surroundings

if TYPE_CHECKING:
    from hermes.environments.sandbox.backend import Backend
    from hermes.environments.sandbox.box import Box
    from hermes.environments.sandbox.proxy import Proxy
    from hermes.environments.sandbox.run import Running, Sandbox
    from hermes.runtime.context import ToolContext
    from hermes.runtime.gate import Request

DEFAULTS = {"fs": "workspace-write", "net": "proxy", "on_missing": "ask"}
"""The sandbox of a profile that says nothing about it."""

FIX = (
    "Install one, such as with `apt install bubblewrap`; `hermes sandbox show` says what is tried."
)
_DECISIONS: dict[str, Decision] = {"ask": "ask", "deny": "deny"}
_ALWAYS_READABLE = "/usr"
_CLOSED = ("off", "loopback")
_FREE = ("run", "backend")
_log = logging.getLogger("hermes.sandbox")


class Rules(NamedTuple):
    """What a profile says about the programs of its calls."""

    files: str
    network: Network
    on_missing: str
    limits: tuple[tuple[str, float], ...] = ()


@functools.lru_cache(maxsize=64)
def rules_of(profile: Profile) -> Rules:
    """Return the strictest of what all levels of a profile say about programs."""
    found = settled(profile)
    told = {**DEFAULTS, **found["sandbox"]}
    network: Any = told["net"]
    if network not in _CLOSED and not _may_fetch(profile):
        network = "off"
    return Rules(told["fs"], network, told["on_missing"], tuple(found["limits"].items()))


def _may_fetch(profile: Profile) -> bool:
    """Say whether every level allows network:fetch, whatever hosts it limits that to."""
    return all(
        level._replace(restrictions=(), narrows=(), tools=()).judge(("network:fetch",)).decision
        == "allow"
        for level in profile.levels()
    )


class Boxes(Boundary):
    """Start programs in boxes of the operating system, the best kind that works here.

    Nothing of the sandbox is loaded before the first program is to start.
    """

    def __init__(self, policy: Callable[[], CallPolicy]) -> None:
        self._policy = policy
        self._lock = threading.Lock()
        self._made: Sandbox | None = None
        self._free: Sandbox | None = None
        self._has_warned = False
        self._box = functools.lru_cache(maxsize=64)(make_box)

    @property
    def backend(self) -> Backend:
        """The kind of sandbox that is used here."""
        chosen: Backend = load("hermes.environments.sandbox.choose").choose()
        return chosen

    @property
    def profile(self) -> Profile:
        """The profile in force."""
        return self._policy().profile

    @property
    def rules(self) -> Rules:
        """What the profile in force says about programs."""
        return rules_of(self._policy().profile)

    def lets_out(self) -> bool:
        """Say whether a tool's file may switch the boundary off under the profile in force."""
        return self.rules.files != "read-only" and self.rules.network not in _CLOSED

    def judge(self, request: Request) -> Verdict:
        """Judge a call that starts programs where no sandbox works."""
        del request
        rules, backend = self.rules, self.backend
        if backend.confines or rules.on_missing == "allow":
            return ALLOWED
        decision = _DECISIONS[rules.on_missing]
        if decision == "ask" and any(
            level.is_headless for level in self._policy().profile.levels()
        ):
            decision = "deny"
        what = f"runs without a sandbox: {_reason(backend)}"
        finding = Finding("opaque", what)
        return Verdict(decision, what, f"sandbox: on_missing: {rules.on_missing}", (finding,))

    def box(
        self,
        workspace: str,
        wants: Wants = Wants(),  # noqa: B008 - frozen
        granted: Granted = Granted(),  # noqa: B008 - frozen
    ) -> Box:
        """Return the box of a workspace's programs, as it can be kept here."""
        policy = self._policy()
        box = self._box(rules_of(policy.profile), policy.surroundings, workspace, wants)
        if granted != Granted():
            box = box.granting(writable=granted.writable, network=granted.network)
        if not self.backend.confines:
            box = replace(box, confined=False, network="on")
        return box

    async def start(
        self,
        launch: Launch,
        ctx: ToolContext,
        *,
        wants: Wants = Wants(),  # noqa: B008 - frozen
        granted: Granted = Granted(),  # noqa: B008 - frozen
    ) -> Program:
        """Start a program of a task.

        Raises:
            OSError: the program or its box cannot be had.
            Denied: no sandbox works here, and the profile wants one.
        """
        if self._made is None:  # a backend is tried with a real program, which takes a while
            await load("hermes.runtime.bridge").aside(self.sandbox)
        if (warning := self.warning()) is not None:
            ctx.progress(warning)
        box = self.box(ctx.task.root, wants, granted)
        box, proxy = await self.proxied(box)
        try:
            running = await self.sandbox().start(
                launch.argv, box, env=launch.environment, cwd=launch.cwd, proxy=proxy
            )
        except BaseException:
            if proxy is not None:
                await proxy.close()
            raise
        return _Boxed(running, box, launch.cwd, proxy)

    def warning(self) -> str | None:
        """Return, once, what a person must know where no sandbox works.

        Raises:
            Denied: the profile wants one.
        """
        backend = self.backend
        if backend.confines:
            return None
        if self.rules.on_missing == "deny":
            raise Denied(f"there is no sandbox here: {_reason(backend)}", hint=FIX)
        with self._lock:
            if self._has_warned:
                return None
            self._has_warned = True
        text = str(getattr(backend, "warning", "There is no sandbox here."))
        _log.warning("%s", text)
        return text

    def sandbox(self) -> Sandbox:
        """Return what starts programs in boxes."""
        with self._lock:
            if self._made is None:
                made: Sandbox = load("hermes.environments.sandbox.run").Sandbox(self.backend)
                self._made = made
            return self._made

    @property
    def is_ready(self) -> bool:
        """Say whether it is known which kind of sandbox works here."""
        return self._made is not None

    def outside(self) -> Sandbox:
        """Return what starts programs that were allowed to do what no box lets them."""
        with self._lock:
            if self._free is None:
                run, backend = (load(f"hermes.environments.sandbox.{name}") for name in _FREE)
                self._free = run.Sandbox(backend.Unconfined("it was allowed", may_gain=True))
            return self._free

    async def proxied(self, box: Box) -> tuple[Box, Proxy | None]:
        """Return a box with the proxy that answers for its network; whoever asked closes it."""
        if box.network != "proxy":
            return box, None
        policy = self._policy()
        made: Proxy = load("hermes.app.reaching").proxy(policy.profile, policy.surroundings)
        if self.backend.builds_tree:
            return box, made
        listener = load("socket").create_server(("127.0.0.1", 0))
        try:
            await made.serve(listener)
        except BaseException:
            await made.close()
            listener.close()
            raise
        return replace(box, proxy_port=listener.getsockname()[1]), made

    def close(self) -> None:
        """Kill what still runs."""
        with self._lock:
            made, self._made, self._free = (self._made, self._free), None, None
        for sandbox in filter(None, made):
            sandbox.close()


def make_box(rules: Rules, around: Surroundings, workspace: str, wants: Wants) -> Box:
    """Return the box that a profile describes, with what a tool's file wants of it.

    What a profile closes altogether stays closed, whatever a file wants.
    """
    places = load("hermes.environments.sandbox.box")
    more = tuple(_expanded(path, around.home) for path in wants.writable)
    roots = [root for root in (workspace, *around.folders) if _is_root(root)]
    network = rules.network
    if wants.network is not None and network not in _CLOSED:
        network = wants.network
    made: Box = places.make_box(
        roots[0] if roots else _ALWAYS_READABLE,
        home=around.home,
        hermes_home=around.state,
        files=rules.files if roots or rules.files == "off" else "read-only",
        network=network,
        writable=roots[1:],
        limits=_limits(dict(rules.limits)),
    )
    made = replace(made, variables=("*",))  # whoever starts a program has chosen what it sees
    if more and rules.files == "workspace-write":
        made = made.granting(writable=more)
    return made


def _is_root(path: str) -> bool:
    """Say whether a folder can be a workspace: everything at once would be none."""
    real = os.path.realpath(path)
    return real != "/" and os.path.isdir(real)  # noqa: PTH112 - a text is at hand


def _expanded(path: str, home: str) -> str:
    found = home + path[1:] if path.startswith("~/") else path
    if not os.path.exists(found):  # noqa: PTH110 - a text is at hand
        raise Unavailable(
            f"{path}, which this tool's file lets it write, does not exist",
            hint="A person must create it first.",
        )
    return found


def _limits(given: dict[str, float]) -> Any:
    places = load("hermes.environments.sandbox.box")
    limits = places.Limits()
    if "memory_mb" in given:
        limits = replace(limits, memory_bytes=int(given["memory_mb"] * places.MEGABYTE))
    if "processes" in given:
        limits = replace(limits, processes=max(1, int(given["processes"])))
    return limits


def _reason(backend: Backend) -> str:
    return str(getattr(backend, "reason", "none works"))


class _Boxed(Program):
    """A program in its box, with the proxy that answers for it."""

    def __init__(self, running: Running, box: Box, cwd: str, proxy: Proxy | None) -> None:
        self.stdout, self.stderr = running.stdout, running.stderr
        self.digest = box.digest()
        self._running, self._box, self._cwd, self._proxy = running, box, cwd, proxy

    async def feed(self, data: bytes) -> None:
        """Write its whole input; it may end without reading all of it."""
        await self._running.feed(data)

    async def wait(self) -> int:
        """Return its exit code, negative for the signal that ended it."""
        return await self._running.wait()

    async def close(self) -> None:
        """Kill it with all that it started, if it still runs, and let go of it."""
        self._running.kill()
        self._running.close_stdin()
        try:
            if not self._running.child.is_over:
                await self._running.child.ended()
            for stream in (self.stdout, self.stderr):
                while await stream.read(1 << 16):
                    pass
        except OSError:
            return  # it never ran
        finally:
            if self._proxy is not None:
                await self._proxy.close()

    def denied_by(self, errors: str, code: int) -> str | None:
        """Return which rules of its box stopped what it tried, or None."""
        explain = load("hermes.environments.sandbox.denials").explain
        refused = self._proxy.refused if self._proxy is not None else ()
        found: str | None = explain(self._box, errors, code, cwd=self._cwd, refused=refused)
        return found
