import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from hermes import Runtime

TEXT = "The harbour grows: a second bridge and forty new cranes are planned for the spring. "
PAGE = f"""<title>Harbour</title><meta name="author" content="Ann Lee">
<nav><a href="/">Home</a></nav><article><h1>Harbour grows</h1><p>{TEXT * 4}</p>
<table><tr><th>Year</th><th>Ships</th></tr><tr><td>2025</td><td>41</td></tr></table>
<p>{TEXT * 3}</p></article>"""


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *args):
        pass


async def main() -> None:
    server = HTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"

    # this site is on this very machine, which pages are kept from unless you say otherwise
    async with Runtime(config={"urls": {"allow_private": True}}) as rt:

        async def call(name, **arguments):
            return json.loads(await rt.call(name, arguments))

        page = (await call("web_extract", urls=[url], char_limit=200))["pages"][0]
        print(page["title"], "|", page["author"], "|", page["content"][17:50])
        print((await call("html_extract", url=url, selector="table"))["rows"])
        print((await call("http_request", url=url))["headers"]["content-type"])

    async with Runtime() as rt:
        print(json.loads(await rt.call("http_request", {"url": url}))["error"])


asyncio.run(main())
