"""Modal on loopback: the servicers of its own library, over real processes of this machine."""

import asyncio
import contextlib
import runpy
import shutil
import uuid
from pathlib import Path

import grpclib.server
from grpclib import GRPCError, Status
from modal_proto import api_grpc, api_pb2, task_command_router_grpc
from modal_proto import task_command_router_pb2 as router

SHARED = runpy.run_path(str(Path(__file__).parent / "service_loop.py"))
InThread, end_all = SHARED["InThread"], SHARED["end_all"]
TOKEN = ("ak-a-token-for-tests", "as-a-secret-for-tests")
JWT = "e30.eyJleHAiOjk5OTk5OTk5OTl9.x"
MARK = "MODAL_SANDBOX_ID"
KEPT = 8 << 20
STDOUT = router.TASK_EXEC_STDIO_FILE_DESCRIPTOR_STDOUT
STDERR = router.TASK_EXEC_STDIO_FILE_DESCRIPTOR_STDERR


class Stream:
    """What a program prints, readable from an offset that is not too old."""

    def __init__(self, source):
        self.data, self.start, self.has_ended = bytearray(), 0, False
        self.changed = asyncio.Condition()
        self.task = asyncio.ensure_future(self._pump(source))

    async def _pump(self, source):
        while data := await source.read(1 << 16):
            await self._add(data)
        self.has_ended = True
        await self._add(b"")

    async def _add(self, data):
        async with self.changed:
            self.data += data
            self.changed.notify_all()

    async def parts(self, offset):
        while True:
            async with self.changed:
                while not self.has_ended and self.start + len(self.data) <= offset:
                    await self.changed.wait()
                part = bytes(self.data[offset - self.start : offset - self.start + (1 << 16)])
            if not part:
                return
            offset += len(part)
            yield part
            if offset - self.start > KEPT:
                del self.data[: offset - self.start - KEPT // 2]
                self.start = offset - KEPT // 2


class Program:
    """A process of a sandbox."""

    def __init__(self, process):
        self.process = process
        self.streams = {STDOUT: Stream(process.stdout), STDERR: Stream(process.stderr)}
        self.written, self.writing = 0, asyncio.Lock()

    async def write(self, offset, data, eof):
        async with self.writing:
            data = data[max(0, self.written - offset) :]
            self.written += len(data)
            with contextlib.suppress(OSError):
                self.process.stdin.write(data)
                await self.process.stdin.drain()
                if eof:
                    self.process.stdin.close()


class Sandbox:
    """A folder of this machine, and what runs for it."""

    def __init__(self, server, definition, tags):
        self.id, self.task = f"sb-{uuid.uuid4().hex}", f"ta-{uuid.uuid4().hex}V"
        self.home = server.folder / self.id
        self.definition, self.tags = definition, tags
        self.path, self.programs, self.has_ended = server.path, {}, False
        kept = server.images.get(definition.image_id)
        shutil.copytree(kept, self.home, symlinks=True) if kept else self.home.mkdir()

    def end(self):
        self.has_ended = True
        end_all(MARK, self.id)
        shutil.rmtree(self.home, ignore_errors=True)

    async def start(self, argv):
        env = {"HOME": str(self.home), "PATH": self.path, MARK: self.id}
        found = shutil.which(argv[0], path=self.path)
        if found is None:
            raise GRPCError(Status.INVALID_ARGUMENT, f'executable file "{argv[0]}" not found')
        return Program(
            await asyncio.create_subprocess_exec(
                found,
                *argv[1:],
                env=env,
                cwd=self.home,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        )


class Server(grpclib.server.Server):
    """A server that can drop those who are connected, as one does that goes away."""

    def _protocol_factory(self):
        protocol = super()._protocol_factory()
        self.protocols = [*getattr(self, "protocols", ()), protocol]
        return protocol

    def drop(self):
        for protocol in getattr(self, "protocols", ()):
            protocol.connection._transport.abort()


def servicer(base, handlers):
    """Return a servicer that answers what is in ``handlers`` and refuses the rest."""

    def unary(handle):
        async def answer(self, stream):
            request = await stream.recv_message()
            await stream.send_message(await handle(stream, request))

        return answer

    def missing(name):
        async def answer(self, stream):
            raise GRPCError(Status.UNIMPLEMENTED, name)

        return answer

    methods = {
        name: handlers[name] if getattr(handlers.get(name), "streams", False)
        else unary(handlers[name]) if name in handlers else missing(name)
        for name in dir(base)
        if name[0].isupper()
    }  # fmt: skip
    return type("Servicer", (base,), methods)()


class Modal(InThread):
    """The service. Tests look at its sandboxes and spoil what they want to see spoilt."""

    def __init__(self, folder):
        super().__init__()
        self.folder = Path(folder)
        self.sandboxes, self.images, self.apps = {}, {}, {}
        self.path, self.refuses, self.builds = "/usr/bin:/bin", None, []
        self.keeps = True
        self.port = 0
        self.do(self._serve())
        self.url = f"http://127.0.0.1:{self.port}"

    async def _serve(self):
        def ours(prefix):
            names = [name for name in dir(self) if name.startswith(prefix)]
            return {name.removeprefix(prefix): getattr(self, name) for name in names}

        async def read(_, stream):
            await self._stdio_read(stream)

        read.streams = True
        routed = {**ours("on_router_"), "TaskExecStdioRead": read}
        control = {
            name: self._admitted(handle)
            for name, handle in ours("on_").items()
            if not name.startswith("router_")
        }
        servicers = [
            servicer(api_grpc.ModalClientBase, control),
            servicer(task_command_router_grpc.TaskCommandRouterBase, routed),
        ]
        self.server = Server(servicers)
        await self.server.start("127.0.0.1", self.port)
        self.port = self.server._server.sockets[0].getsockname()[1]

    def _admitted(self, handle):
        async def checked(stream, request):
            metadata = stream.metadata
            if (metadata.get("x-modal-token-id"), metadata.get("x-modal-token-secret")) != TOKEN:
                raise GRPCError(Status.UNAUTHENTICATED, "Token validation failed")
            return await handle(stream, request)

        return checked

    async def on_ClientHello(self, stream, request):
        return api_pb2.ClientHelloResponse()

    async def on_AuthTokenGet(self, stream, request):
        return api_pb2.AuthTokenGetResponse(token=JWT)

    async def on_EnvironmentGetOrCreate(self, stream, request):
        settings = api_pb2.EnvironmentSettings(image_builder_version="2025.06")
        metadata = api_pb2.EnvironmentMetadata(name="main", settings=settings)
        return api_pb2.EnvironmentGetOrCreateResponse(environment_id="en-1", metadata=metadata)

    async def on_AppGetOrCreate(self, stream, request):
        name = self.apps.setdefault(request.app_name, f"ap-{len(self.apps) + 1}")
        return api_pb2.AppGetOrCreateResponse(app_id=name)

    async def on_ImageGetOrCreate(self, stream, request):
        self.builds.append("\n".join(request.image.dockerfile_commands))
        failed = "FROM none" in self.builds[-1]
        status = api_pb2.GenericResult.GENERIC_STATUS_FAILURE if failed else 1
        result = api_pb2.GenericResult(status=status, exception="there is no such image")
        return api_pb2.ImageGetOrCreateResponse(image_id="im-built", result=result)

    async def on_ImageFromId(self, stream, request):
        if request.image_id not in self.images:
            raise GRPCError(Status.NOT_FOUND, f"Image {request.image_id} not found")
        return api_pb2.ImageFromIdResponse(image_id=request.image_id)

    async def on_SandboxCreateV2(self, stream, request):
        if self.refuses is not None:
            raise self.refuses
        tags = {tag.tag_name: tag.tag_value for tag in request.tags}
        sandbox = Sandbox(self, request.definition, tags)
        self.sandboxes[sandbox.id] = sandbox
        return api_pb2.SandboxCreateV2Response(sandbox_id=sandbox.id, task_id=sandbox.task)

    def _of(self, request):
        sandbox = self.sandboxes.get(request.sandbox_id)
        if sandbox is None:
            raise GRPCError(Status.NOT_FOUND, f"Sandbox {request.sandbox_id} not found")
        return sandbox

    async def on_SandboxGetTaskIdV2(self, stream, request):
        return api_pb2.SandboxGetTaskIdResponse(task_id=self._of(request).task)

    async def on_SandboxGetCommandRouterAccess(self, stream, request):
        self._of(request)
        return api_pb2.SandboxGetCommandRouterAccessResponse(jwt=JWT, url=self.url)

    async def on_SandboxListV2(self, stream, request):
        if request.before_timestamp:
            return api_pb2.SandboxListResponse()
        wanted = {(tag.tag_name, tag.tag_value) for tag in request.tags}
        found = [
            api_pb2.SandboxInfo(id=each.id, created_at=1.0)
            for each in self.sandboxes.values()
            if not each.has_ended and wanted <= set(each.tags.items())
        ]
        return api_pb2.SandboxListResponse(sandboxes=found)

    async def on_SandboxTagsGetV2(self, stream, request):
        tags = self._of(request).tags.items()
        shown = [api_pb2.SandboxTag(tag_name=name, tag_value=value) for name, value in tags]
        return api_pb2.SandboxTagsGetResponse(tags=shown)

    async def on_SandboxWaitV2(self, stream, request):
        ended = self._of(request).has_ended
        status = api_pb2.GenericResult.GENERIC_STATUS_TERMINATED if ended else 0
        return api_pb2.SandboxWaitResponse(result=api_pb2.GenericResult(status=status))

    async def on_SandboxTerminateV2(self, stream, request):
        await asyncio.to_thread(self._of(request).end)
        return api_pb2.SandboxTerminateResponse()

    def _at(self, request):
        for sandbox in self.sandboxes.values():
            if sandbox.task == request.task_id and not sandbox.has_ended:
                return sandbox
        raise GRPCError(Status.NOT_FOUND, f"Task {request.task_id} not found")

    async def on_router_TaskExecStart(self, stream, request):
        sandbox = self._at(request)
        if request.exec_id not in sandbox.programs:
            sandbox.programs[request.exec_id] = await sandbox.start(list(request.command_args))
        return router.TaskExecStartResponse()

    async def on_router_TaskExecStdinWrite(self, stream, request):
        program = self._at(request).programs[request.exec_id]
        await program.write(request.offset, request.data, request.eof)
        return router.TaskExecStdinWriteResponse()

    async def on_router_TaskExecWait(self, stream, request):
        code = await self._at(request).programs[request.exec_id].process.wait()
        if code < 0:
            return router.TaskExecWaitResponse(signal=-code)
        return router.TaskExecWaitResponse(code=code)

    async def on_router_TaskSnapshotFilesystem(self, stream, request):
        sandbox = self._at(request)
        if not self.keeps:
            raise GRPCError(Status.FAILED_PRECONDITION, "the disk of the worker is full")
        name = f"im-{uuid.uuid4().hex}"
        self.images[name] = self.folder / name
        await asyncio.to_thread(shutil.copytree, sandbox.home, self.images[name], symlinks=True)
        return router.TaskSnapshotFilesystemResponse(image_id=name)

    async def _stdio_read(self, stream):
        request = await stream.recv_message()
        program = self._at(request).programs[request.exec_id]
        async for part in program.streams[request.file_descriptor].parts(request.offset):
            await stream.send_message(router.TaskExecStdioReadResponse(data=part))

    async def _stop(self):
        self.server.close()
        self.server.drop()
        await self.server.wait_closed()

    def stop(self):
        """Go away at once, as a service does that nobody reaches any more; what runs goes on."""
        self.do(self._stop())

    async def _let_go(self):
        for sandbox in self.sandboxes.values():
            for program in sandbox.programs.values():
                with contextlib.suppress(ProcessLookupError):
                    program.process.kill()
                await program.process.wait()
                await asyncio.gather(*(each.task for each in program.streams.values()))
                program.process._transport.close()

    def close(self):
        for sandbox in self.sandboxes.values():
            sandbox.end()
        self.do(self._let_go())
        with contextlib.suppress(Exception):
            self.stop()
        self.end()


def only(server):
    """Return the sandbox that runs."""
    (found,) = [each for each in server.sandboxes.values() if not each.has_ended]
    return found
