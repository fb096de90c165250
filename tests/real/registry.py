"""A registry of images on loopback, with one image, for pulls that are real."""

import gzip
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
CONFIG = "application/vnd.docker.container.image.v1+json"
LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"


def digest(data):
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


class Registry:
    """Serve one image made of a tar file; ``name`` is what is pulled."""

    def __init__(self, tar):
        layer = gzip.compress(tar, mtime=0)
        config = json.dumps(
            {
                "architecture": "amd64",
                "os": "linux",
                "config": {},
                "rootfs": {"type": "layers", "diff_ids": [digest(tar)]},
            }
        ).encode()
        parts = {"config": (CONFIG, config), "layer": (LAYER, layer)}
        facts = {
            name: {"mediaType": kind, "size": len(data), "digest": digest(data)}
            for name, (kind, data) in parts.items()
        }
        manifest = json.dumps(
            {
                "schemaVersion": 2,
                "mediaType": MANIFEST,
                "config": facts["config"],
                "layers": [facts["layer"]],
            }
        ).encode()
        self.served = {digest(data): data for _, data in parts.values()}
        self.manifest = manifest
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.name = f"127.0.0.1:{self.server.server_port}/small:1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def _handler(registry):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self, *, has_body=True):
                last = self.path.rpartition("/")[2]
                data, kind = registry.served.get(last, b""), "application/octet-stream"
                if "/manifests/" in self.path:
                    data, kind = registry.manifest, MANIFEST
                self.send_response(200 if data or self.path == "/v2/" else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                if data:
                    self.send_header("Docker-Content-Digest", digest(data))
                self.end_headers()
                if has_body:
                    self.wfile.write(data)

            def do_HEAD(self):
                self.do_GET(has_body=False)

            def log_message(self, *words):
                pass

        return Handler

    def close(self):
        self.server.shutdown()
        self.server.server_close()
