"""HTTP/2 over TLS, with a certificate that the environment trusts."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
import threading

import h2.config
import h2.connection
import h2.events
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def certificate(path):
    """Write a key and a certificate for this machine, and return the file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(here, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    private = key.private_bytes(serialization.Encoding.PEM, form, plain)
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


class Http2:
    """Answers every request over HTTP/2 with the same words; counts its connections."""

    def __init__(self, pem):
        self.connections = 0
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(pem)
        self._context.set_alpn_protocols(["h2"])
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self._listener.getsockname()[1]}/"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain):
        try:
            with self._context.wrap_socket(plain, server_side=True) as wire:
                talk = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
                talk.initiate_connection()
                wire.sendall(talk.data_to_send())
                while data := wire.recv(65_536):
                    for event in talk.receive_data(data):
                        if isinstance(event, h2.events.StreamEnded):
                            head = [(":status", "200"), ("content-type", "text/plain")]
                            talk.send_headers(event.stream_id, head)
                            talk.send_data(event.stream_id, b"second version", end_stream=True)
                    wire.sendall(talk.data_to_send())
        except OSError:
            return

    def close(self):
        self._listener.close()


@pytest.fixture
def secure(tmp_path, monkeypatch):
    pem = certificate(tmp_path / "server.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    made = Http2(pem)
    yield made
    made.close()


def test_a_service_is_spoken_to_in_the_newer_version_over_one_connection(secure, door):
    call = door()
    answers = [call("http_request", url=secure.url) for _ in range(3)]
    assert [each.get("http") for each in answers] == ["HTTP/2"] * 3, answers
    assert answers[0]["text"] == "second version"
    assert secure.connections == 1


def test_a_certificate_that_nobody_trusts_is_refused(secure, monkeypatch, door):
    monkeypatch.delenv("SSL_CERT_FILE")
    answer = door()("http_request", url=secure.url)
    assert answer["code"] == "connection"
    assert "certificate" in answer["error"].lower()
