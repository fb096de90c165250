"""Modal by its own library: the only module that imports it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import math
import re
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

import modal
from modal.config import config
from modal.container_process import ContainerProcess
from modal.exception import (
    AuthError,
    Error,
    ImageBuildError,
    NotFoundError,
    PermissionDeniedError,
    RemoteError,
    ResourceExhaustedError,
)
from modal.exception import ConnectionError as ModalConnectionError

from hermes.environments import bootstrap
from hermes.environments.cloud import Environ, labels
from hermes.environments.cloud_service import CloudService, told
from hermes.environments.contract import Refused
from hermes.environments.engine import is_dead
from hermes.environments.modal import ModalOptions

T = TypeVar("T")
_MAKE_SECONDS = 300.0
_BUILD_SECONDS = 3600.0
_QUICK_SECONDS = 20.0
"""The library tries again for minutes when nobody answers."""
_LEAVE_SECONDS = 5.0
_LAST_WORDS = 4000
_PYTHON = "3.12"
_SNAPSHOT_DAYS = 30
_ERRORS = (Error, OSError, TimeoutError)
_GONE = Refused(
    "the sandbox has ended, and its files with it", "The next command starts in a new one."
)


class _Exec:
    """A program in the sandbox. Modal cannot end one: it ends when its input does."""

    def __init__(self, process: ContainerProcess[bytes], arrive: Callable[[bytes], None]) -> None:
        self._process, self._arrive = process, arrive
        self._sending = asyncio.Lock()
        self._said = b""
        self._words = ""
        self._listening = [
            asyncio.ensure_future(self._hear()),
            asyncio.ensure_future(self._overhear()),
        ]

    async def _hear(self) -> None:
        try:
            async for data in self._process.stdout:
                self._arrive(data)
        except _ERRORS as error:
            self._words = str(error)

    async def _overhear(self) -> None:
        """Keep the last of what it says beside; our own programs say nothing there."""
        with contextlib.suppress(*_ERRORS):
            async for data in self._process.stderr:
                self._said = (self._said + data)[-_LAST_WORDS:]

    async def send(self, data: bytes) -> None:
        """Write to its input."""
        await self._write(data, is_last=False)

    async def _write(self, data: bytes, *, is_last: bool) -> None:
        async with self._sending:  # what is written while a drain waits would be lost
            try:
                self._process.stdin.write(data)
                if is_last:
                    self._process.stdin.write_eof()
                await _within(self._process.stdin.drain.aio(), _QUICK_SECONDS)
            except (*_ERRORS, ValueError) as error:
                raise BrokenPipeError(errno.EPIPE, str(error)) from None

    async def kill(self) -> None:
        """End its input, with which it ends, and let go of it."""
        with contextlib.suppress(OSError, TimeoutError):  # it is gone, or out of reach
            await _within(self._write(b"", is_last=True), _LEAVE_SECONDS)
        await self.leave()

    async def leave(self) -> None:
        """Listen no more."""
        for task in self._listening:
            task.cancel()
        await asyncio.wait(self._listening, timeout=_LEAVE_SECONDS)

    async def ended(self) -> tuple[int | None, str]:
        """Wait for the end of its output, and then shortly for the rest."""
        code = None
        await asyncio.wait(self._listening[:1])
        if not self._words:
            with contextlib.suppress(*_ERRORS):
                code = await _within(self._process.wait.aio(), _LEAVE_SECONDS)
            await asyncio.wait(self._listening, timeout=_LEAVE_SECONDS)
        return code, self._said.decode("utf-8", "replace").strip() or self._words


class ModalService(CloudService):
    """The sandbox of one task."""

    def __init__(self, options: ModalOptions, report: Callable[[str], None]) -> None:
        super().__init__(options.idle_minutes)
        self._options, self._report = options, report
        self._client: modal.Client | None = None
        self._is_own_client = False
        self._app: modal.App | None = None
        self._sandbox: modal.Sandbox | None = None
        self._kept = ""
        """The image with the files of a task that rests."""

    async def _open(self, argv: Sequence[str], arrive: Callable[[bytes], None]) -> _Exec:
        assert self._sandbox is not None
        starting = self._sandbox.exec.aio(*bootstrap.behind(argv), text=False)
        return _Exec(await _within(starting, _MAKE_SECONDS), arrive)

    async def _refresh(self) -> None:
        """Do nothing: a sandbox is not idle while a program of ours runs there."""

    async def _ready(self) -> None:
        if self._app is None:
            await _within(self._connect(), _QUICK_SECONDS)
            lookup = modal.App.lookup.aio(
                self._options.app, create_if_missing=True, client=self._client
            )
            self._app = await _within(lookup, _QUICK_SECONDS)
            await self._reap(self._app)
        if self._sandbox is None:
            self._sandbox = await self._make(self._app)
        else:
            await self._check(self._sandbox)

    async def _connect(self) -> None:
        """Have a client by the token that the environment or Modal's own file has."""
        number, secret = config.get("token_id"), config.get("token_secret")
        self._is_own_client = bool(number and secret)
        if self._is_own_client:
            self._client = await modal.Client.from_credentials.aio(number, secret)
        else:
            self._client = await modal.Client.from_env.aio()

    async def _reap(self, app: modal.App) -> None:
        """Terminate the sandboxes of ours whose owner is dead."""
        ours = modal.Sandbox.list.aio(app_id=app.app_id, tags={"hermes": "1"}, client=self._client)
        async for each in ours:
            with contextlib.suppress(NotFoundError):  # another one of us was quicker
                tags = await each.get_tags.aio()
                if is_dead(_untagged(tags.get("hermes_owner", ""))):
                    await each.terminate.aio()

    async def _make(self, app: modal.App) -> modal.Sandbox:
        options = self._options
        seconds = math.ceil(options.lifetime_hours * 3600)
        image = await _within(self._image(app), _BUILD_SECONDS)
        cpus = options.millicpus / 1000
        making = modal.Sandbox.create.aio(
            *("sleep", str(seconds)),
            app=app,
            client=self._client,
            image=image,
            tags=_tags(options.task),
            timeout=seconds,
            idle_timeout=math.ceil(options.idle_minutes * 60 + 60)
            if options.idle_minutes
            else None,
            cpu=(cpus, max(1.0, cpus)),
            memory=(options.memory_megabytes, options.memory_megabytes),
            block_network=not options.network,
            region=options.region or None,
        )
        return await _within(making, _MAKE_SECONDS)

    async def _image(self, app: modal.App) -> modal.Image:
        name = self._kept or self._options.image
        if name.startswith("im-"):
            return modal.Image.from_id(name, client=self._client)
        image = modal.Image.from_registry(name) if name else modal.Image.debian_slim(_PYTHON)
        self._report(f"Modal looks for the image {name or 'of Debian'}, or builds it")
        await image.build.aio(app)
        self._report(f"the image is {image.object_id}")
        return image

    async def _check(self, sandbox: modal.Sandbox) -> None:
        """Say that a sandbox has ended, whose files are lost."""
        try:
            code = await _within(sandbox.poll.aio(), _QUICK_SECONDS)
        except NotFoundError:
            code = 0
        if code is not None:
            self._sandbox, self._kept = None, ""
            await sandbox.detach.aio()  # type: ignore[no-untyped-call]  # theirs
            raise _GONE

    async def _sleep(self) -> None:
        """Keep the files as an image, and terminate the sandbox: Modal has no stop."""
        sandbox = self._sandbox
        if sandbox is None:
            return
        try:
            self._kept = await self._imaged(sandbox, math.ceil(self._options.keep_hours * 3600))
        except _ERRORS as error:
            said = self._refusal(error).message
            self._report(
                f"the idle sandbox {sandbox.object_id} runs on, its files not kept: {said}"
            )
            return
        await self._terminate()

    async def _imaged(self, sandbox: modal.Sandbox, seconds: int) -> str:
        image = await sandbox.snapshot_filesystem.aio(timeout=int(_MAKE_SECONDS), ttl=seconds)
        return str(image.object_id)

    async def _keep(self) -> str:
        assert self._sandbox is not None
        return await self._imaged(self._sandbox, _SNAPSHOT_DAYS * 86400)

    async def _terminate(self) -> None:
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is None:
            return
        try:
            await _within(sandbox.terminate.aio(), _QUICK_SECONDS)
        except NotFoundError:
            pass
        except _ERRORS as error:
            said = self._refusal(error).message
            self._report(f"the sandbox {sandbox.object_id} may be left at Modal: {said}")
        await sandbox.detach.aio()  # type: ignore[no-untyped-call]  # theirs

    async def _remove(self) -> None:
        await self._terminate()
        client, self._client, self._app = self._client, None, None
        if client is not None and self._is_own_client:
            await client.close.aio()

    def _told(self) -> contextlib.AbstractContextManager[None]:
        return told(_ERRORS, self._refusal)

    def _refusal(self, error: Exception) -> Refused:
        words = str(error).strip().splitlines()[-1] if str(error).strip() else "it says nothing"
        if isinstance(error, AuthError | PermissionDeniedError):
            return Refused(f"Modal does not take the token: {words}", "Run: modal token new")
        if isinstance(error, ResourceExhaustedError):
            hint = "Look at https://modal.com/settings/usage."
            return Refused(f"the limits of your workspace are reached: {words}", hint)
        if isinstance(error, ImageBuildError | RemoteError):
            hint = "Use an image with bash and Python 3.8 or newer."
            return Refused(f"the image cannot be had: {words}", hint)
        if isinstance(error, ModalConnectionError | OSError | TimeoutError):
            where = config.get("server_url")
            return Refused(f"Modal cannot be reached at {where}", "Check the network.")
        return Refused(f"Modal: {words}")


async def _within(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """Wait so long and no longer, also where the library takes its time to be cancelled."""
    task = asyncio.ensure_future(work)
    done, _ = await asyncio.wait([task], timeout=seconds)
    if not done:
        task.cancel()
        task.add_done_callback(_seen)
        raise TimeoutError
    return task.result()


def _seen(task: asyncio.Task[T]) -> None:
    """Look at an error that nobody waits for any more."""
    if not task.cancelled():
        task.exception()


def _tags(task: str) -> dict[str, str]:
    """Return the words by which a later hermes knows a sandbox, in signs that any tag may have."""
    return {
        name.replace(".", "_"): re.sub(r"[^\w.-]", "_", value)
        for name, value in labels(task).items()
    }


def _untagged(owner: str) -> str:
    return "/".join(owner.rsplit("_", 3))


def service(options: ModalOptions, environ: Environ, report: Callable[[str], None]) -> ModalService:
    """Return the service, on the loop that runs; the library reads its own settings."""
    del environ
    return ModalService(options, report)
