"""Daytona by its own library: the only module that imports it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import math
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from daytona import (
    AsyncDaytona,
    AsyncSandbox,
    CreateSandboxFromImageParams,
    CreateSandboxFromSnapshotParams,
    DaytonaAuthenticationError,
    DaytonaConfig,
    DaytonaConnectionError,
    DaytonaError,
    DaytonaNotFoundError,
    DaytonaRateLimitError,
    DaytonaTimeoutError,
    ListSandboxesQuery,
    PtySize,
    Resources,
)
from daytona.handle.async_pty_handle import AsyncPtyHandle

from hermes.environments import bootstrap
from hermes.environments.cloud import Environ, labels
from hermes.environments.cloud_service import CloudService, told
from hermes.environments.contract import Refused
from hermes.environments.daytona import DaytonaOptions
from hermes.environments.engine import is_dead

_API = "https://app.daytona.io/api"
_MAKE_SECONDS = 300.0
_BUILD_SECONDS = 3600.0
_QUICK_SECONDS = 60.0
_KILL_SECONDS = 30.0
_WIDE = PtySize(rows=24, cols=500)
_GONE = ("destroyed", "destroying")
_LIMITS = ("quota", "limit exceeded", "limits exceeded", "maximum allowed", "out of credits")
_COMING = ("creating", "starting", "restoring", "resuming")
_BROKEN = ("error", "build_failed")


class _Pty:
    """A terminal of the sandbox."""

    def __init__(self, handle: AsyncPtyHandle) -> None:
        self._handle = handle

    async def send(self, data: bytes) -> None:
        """Type some bytes."""
        try:
            await asyncio.wait_for(self._handle.send_input(data), _QUICK_SECONDS)
        except (DaytonaError, TimeoutError) as error:
            raise BrokenPipeError(errno.EPIPE, str(error)) from None

    async def kill(self) -> None:
        """End the terminal with all that runs in it."""
        with contextlib.suppress(DaytonaError, TimeoutError):  # it is gone, or out of reach
            await asyncio.wait_for(self._handle.kill(), _KILL_SECONDS)
        await self._handle.disconnect()

    async def leave(self) -> None:
        """Let go of the connection."""
        await self._handle.disconnect()

    async def ended(self) -> tuple[int | None, str]:
        """Wait for its end."""
        result = await self._handle.wait()
        return result.exit_code, result.error or ""


class DaytonaService(CloudService):
    """The sandbox of one task."""

    def __init__(
        self, options: DaytonaOptions, environ: Environ, report: Callable[[str], None]
    ) -> None:
        super().__init__(options.idle_minutes)
        self._options, self._report = options, report
        self._url = environ.get("DAYTONA_API_URL") or _API
        self._client = AsyncDaytona(
            DaytonaConfig(
                api_key=environ.get("DAYTONA_API_KEY"),
                jwt_token=environ.get("DAYTONA_JWT_TOKEN"),
                organization_id=environ.get("DAYTONA_ORGANIZATION_ID"),
                api_url=self._url,
                target=options.target or environ.get("DAYTONA_TARGET"),
            )
        )
        self._has_reaped = False
        self._sandbox: AsyncSandbox | None = None

    async def _open(self, argv: Sequence[str], arrive: Callable[[bytes], None]) -> _Pty:
        assert self._sandbox is not None
        handle = await self._sandbox.process.create_pty_session(
            id=f"hermes-{uuid.uuid4().hex[:12]}",
            on_data=arrive,
            envs={"TERM": "dumb"},
            pty_size=_WIDE,
        )
        await handle.send_input(bootstrap.typed(argv))
        return _Pty(handle)

    async def _refresh(self) -> None:
        if self._sandbox is not None:
            with self._told():
                await self._sandbox.refresh_activity()

    async def _sleep(self) -> None:
        if self._sandbox is not None:
            with contextlib.suppress(DaytonaError):  # then Daytona's own clock stops it
                await self._sandbox.stop(timeout=_QUICK_SECONDS)

    async def _ready(self) -> None:
        if not self._has_reaped:
            await self._reap()
            self._has_reaped = True
        if self._sandbox is None:
            self._sandbox = await self._make()
        else:
            await self._wake(self._sandbox)

    async def _reap(self) -> None:
        """Delete the sandboxes of ours whose owner is dead."""
        async for each in self._client.list(ListSandboxesQuery(labels={"hermes": "1"})):
            if is_dead(each.labels.get("hermes.owner", "")):
                with contextlib.suppress(DaytonaError):  # another one of us was quicker
                    await each.delete()

    async def _make(self) -> AsyncSandbox:
        options = self._options
        if not options.image:
            wanted = CreateSandboxFromSnapshotParams(**self._common())
            wanted.snapshot = options.snapshot or None
            return await self._client.create(wanted, timeout=_MAKE_SECONDS)
        sizes = Resources(options.cpus, options.memory_gigabytes, options.disk_gigabytes)
        built = CreateSandboxFromImageParams(image=options.image, resources=sizes, **self._common())
        return await self._client.create(
            built, timeout=_BUILD_SECONDS, on_snapshot_create_logs=self._report
        )

    def _common(self) -> dict[str, Any]:
        options = self._options
        return {
            "labels": labels(options.task),
            "public": False,
            "network_block_all": not options.network,
            "auto_stop_interval": math.ceil(options.idle_minutes),
            "auto_delete_interval": math.ceil(options.keep_hours * 60),
        }

    async def _wake(self, sandbox: AsyncSandbox) -> None:
        """Have a sandbox that was made before run; its files are as they were."""
        state = await _state(sandbox)
        if state in _GONE:
            self._sandbox = None
            raise Refused(
                "the sandbox was deleted by somebody, and its files with it",
                "The next command starts in a new one.",
            )
        if state == "started":
            return
        if state in _BROKEN:
            await sandbox.recover(timeout=_MAKE_SECONDS)
            return
        if state in _COMING:
            await sandbox.wait_for_sandbox_start(timeout=_MAKE_SECONDS)
            return
        if state == "stopping":
            await sandbox.wait_for_sandbox_stop(timeout=_MAKE_SECONDS)
        await sandbox.start(timeout=_MAKE_SECONDS)

    async def _keep(self) -> str:
        assert self._sandbox is not None
        name = f"hermes-{uuid.uuid4().hex[:12]}"
        await self._sandbox.create_snapshot(name, timeout=_BUILD_SECONDS)
        return name

    async def _remove(self) -> None:
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            try:
                await sandbox.delete(timeout=_QUICK_SECONDS)
            except DaytonaNotFoundError:
                pass
            except DaytonaError as error:
                said = self._refusal(error).message
                self._report(f"the sandbox {sandbox.id} may be left at Daytona: {said}")
        await self._client.close()  # type: ignore[no-untyped-call]  # theirs

    def _told(self) -> contextlib.AbstractContextManager[None]:
        return told((DaytonaError,), self._refusal)

    def _refusal(self, error: Exception) -> Refused:
        words = str(error).strip().splitlines()[-1] if str(error).strip() else "it says nothing"
        if isinstance(error, DaytonaAuthenticationError):
            hint = "Check DAYTONA_API_KEY (https://app.daytona.io/dashboard/keys)."
            return Refused("Daytona does not know the API key", hint)
        if isinstance(error, DaytonaRateLimitError):
            return Refused(f"Daytona takes no more requests now: {words}", "Try again later.")
        if isinstance(error, DaytonaConnectionError):
            hint = "Check the network, and DAYTONA_API_URL if you set it."
            return Refused(f"Daytona cannot be reached at {self._url}", hint)
        if isinstance(error, DaytonaTimeoutError):
            return Refused(f"Daytona does not answer: {words}", "Try again later.")
        if any(sign in words.lower() for sign in _LIMITS):
            hint = (
                "Delete sandboxes, or raise the limits (https://app.daytona.io/dashboard/limits)."
            )
            return Refused(f"the limits of your organisation are reached: {words}", hint)
        return Refused(f"Daytona: {words}")


async def _state(sandbox: AsyncSandbox) -> str:
    """Return the word that Daytona has for the state of a sandbox."""
    try:
        await sandbox.refresh_data()
    except DaytonaNotFoundError:
        return "destroyed"
    return "unknown" if sandbox.state is None else str(sandbox.state.value)


def service(
    options: DaytonaOptions, environ: Environ, report: Callable[[str], None]
) -> DaytonaService:
    """Return the service, on the loop that runs."""
    return DaytonaService(options, environ, report)
