"""The client's own connections: HTTP/1.1 and HTTP/2, plain and in secret, with real servers."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import ipaddress
import ssl

import h2.config
import h2.connection
import h2.events
import httpcore2
import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from hermes.base.dialling import dialling, guard, send
from hermes.base.wire import connect

LARGE = bytes(range(256)) * 12_000


@pytest.fixture(scope="module")
def secrets(tmp_path_factory):
    """Return what a server and its clients need to talk in secret on this machine."""
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "cert.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate, private)
    return serving, ssl.create_default_context(cafile=certificate)


@contextlib.asynccontextmanager
async def server(talk, tls=None):
    """Have connections talked with; give the port."""

    async def guarded(reader, writer):
        try:
            await talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the other side hung up, as some tests do
        finally:
            writer.close()

    running = await asyncio.start_server(guarded, "127.0.0.1", 0, ssl=tls)
    try:
        yield running.sockets[0].getsockname()[1]
    finally:
        running.close()


@contextlib.asynccontextmanager
async def client(**options):
    """Give a client whose connections are ours, and to which every address is allowed."""
    made = guard(httpx2.AsyncClient(trust_env=False, **options))
    with dialling(lambda host, port, addresses: list(addresses)):
        async with made:
            yield made


async def fetched(made, method, url, **options):
    response = await send(made, httpx2.Request(method, url, **options))
    try:
        return response, await response.aread()
    finally:
        await response.aclose()


async def echo(reader, writer):
    """Answer every request with the body that came, or with a large one."""
    while head := await reader.readuntil(b"\r\n\r\n"):
        wanted = [
            line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
        ]
        size = int(wanted[0].split(b":")[1]) if wanted else 0
        body = await reader.readexactly(size) or LARGE
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()


async def echo_by_two(reader, writer):
    """Do the same in HTTP/2."""
    talk = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    talk.initiate_connection()
    writer.write(talk.data_to_send())
    bodies, left = {}, {}
    while data := await reader.read(65_536):
        for event in talk.receive_data(data):
            if isinstance(event, h2.events.DataReceived):
                bodies[event.stream_id] = bodies.get(event.stream_id, b"") + event.data
                talk.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                talk.send_headers(event.stream_id, [(":status", "200")])
                left[event.stream_id] = bodies.pop(event.stream_id, b"") or LARGE
        for stream in list(left):
            while left[stream] and (room := talk.local_flow_control_window(stream)):
                part = left[stream][: min(room, talk.max_outbound_frame_size)]
                talk.send_data(stream, part)
                left[stream] = left[stream][len(part) :]
            if not left[stream]:
                talk.end_stream(stream)
                del left[stream]
        writer.write(talk.data_to_send())
        await writer.drain()


@pytest.mark.parametrize("size", [0, 1, 3_000_000])
@pytest.mark.parametrize("kind", ["plain", "secret", "two"])
def test_bodies_of_any_size_go_both_ways(secrets, kind, size):
    serving, trusting = secrets
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)

    async def talk():
        tls = None if kind == "plain" else serving
        if kind == "two":
            serving.set_alpn_protocols(["h2"])
        else:
            serving.set_alpn_protocols(["http/1.1"])
        async with server(echo_by_two if kind == "two" else echo, tls) as port:
            options = {"verify": trusting, "http2": kind == "two"}
            async with client(**options) as made:
                url = f"http{'s' if tls else ''}://localhost:{port}/"
                answers = [await fetched(made, "POST", url, content=body) for _ in range(3)]
        return [(response.http_version, found) for response, found in answers]

    version = "HTTP/2" if kind == "two" else "HTTP/1.1"
    assert asyncio.run(talk()) == [(version, body or LARGE)] * 3


def test_requests_at_once_share_one_connection_of_http_two(secrets):
    serving, trusting = secrets
    connections = []

    async def counted(reader, writer):
        connections.append(writer)
        await echo_by_two(reader, writer)

    async def talk():
        serving.set_alpn_protocols(["h2"])
        async with server(counted, serving) as port, client(verify=trusting, http2=True) as made:
            url = f"https://localhost:{port}/"
            await fetched(made, "GET", url)
            several = [fetched(made, "POST", url, content=b"%d" % n) for n in range(20)]
            return [body for _, body in await asyncio.gather(*several)]

    assert asyncio.run(talk()) == [b"%d" % n for n in range(20)]
    assert len(connections) == 1


def test_a_connection_is_kept_until_the_other_side_hangs_up():
    connections = []

    async def once(reader, writer):
        connections.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
        await writer.drain()
        if len(connections) == 2:
            await echo(reader, writer)

    async def talk():
        async with server(once) as port, client() as made:
            url = f"http://127.0.0.1:{port}/"
            await fetched(made, "GET", url)
            await asyncio.sleep(0)  # the first connection is closed by now, or will be
            await fetched(made, "GET", url)
            await fetched(made, "POST", url, content=b"x")

    asyncio.run(talk())
    assert len(connections) == 2


def test_a_certificate_that_nobody_vouches_for_is_refused(secrets):
    serving, _ = secrets

    async def talk():
        serving.set_alpn_protocols(["http/1.1"])
        async with server(echo, serving) as port, client() as made:
            await fetched(made, "GET", f"https://localhost:{port}/")

    with pytest.raises(httpx2.ConnectError, match="certificate"):
        asyncio.run(talk())


def test_where_nobody_listens_there_is_no_connection():
    async def talk():
        async with server(echo) as port:
            pass
        await connect("127.0.0.1", port, 5)

    with pytest.raises(httpcore2.ConnectError):
        asyncio.run(talk())


def test_who_says_nothing_is_waited_for_as_long_as_was_said():
    async def silent(reader, writer):
        await reader.read()

    async def talk():
        async with server(silent) as port:
            wire = await connect("127.0.0.1", port, 5)
            with pytest.raises(httpcore2.ReadTimeout):
                await wire.read(100, timeout=0.05)
            await wire.aclose()

    asyncio.run(talk())


def test_who_reads_nothing_is_waited_for_as_long_as_was_said():
    async def deaf(reader, writer):
        reader._transport.pause_reading()
        await asyncio.sleep(5)

    async def talk():
        async with server(deaf) as port:
            wire = await connect("127.0.0.1", port, 5)
            with pytest.raises(httpcore2.WriteTimeout):
                await wire.write(bytes(50_000_000), timeout=0.1)
            await wire.aclose()

    asyncio.run(talk())


def test_a_broken_connection_says_so():
    async def rude(reader, writer):
        await reader.read(1)
        writer.transport.abort()

    async def talk():
        async with server(rude) as port:
            wire = await connect("127.0.0.1", port, 5)
            await wire.write(b"hello")
            try:
                end = await wire.read(100, timeout=5)
            except httpcore2.ReadError:
                end = b""
            assert end == b""
            with pytest.raises(httpcore2.WriteError):
                for _ in range(100):
                    await wire.write(b"are you there?", timeout=5)
                    await asyncio.sleep(0)
            assert wire.get_extra_info("is_readable")
            await wire.aclose()

    asyncio.run(talk())


def test_no_more_is_taken_in_than_somebody_reads():
    sent = []

    async def eager(reader, writer):
        for _ in range(400):
            writer.write(bytes(100_000))
            await writer.drain()
            sent.append(100_000)

    async def talk():
        async with server(eager) as port:
            wire = await connect("127.0.0.1", port, 5)
            taken = len(await wire.read(1))
            for _ in range(20):  # as much as would come by itself has come
                before = len(sent)
                await asyncio.sleep(0.02)
                if len(sent) == before:
                    break
            assert sum(sent) < 30_000_000, "the other side was not made to wait"
            while part := await wire.read(1 << 20, timeout=5):
                taken += len(part)
            await wire.aclose()
            return taken

    assert asyncio.run(talk()) == 40_000_000
