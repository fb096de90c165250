import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from hermes import Runtime

PAGE = """<title>Order</title><h1>Order</h1><form onsubmit="event.preventDefault();
  out.textContent = `${who.value} ordered ${what.value}`"><label>Name <input id=who></label>
  <select id=what aria-label=Drink><option>Tea<option>Coffee</select><button>Send</button></form>
  <p id=out></p>"""


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *args):
        pass


async def main() -> None:
    server = HTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"

    async with Runtime(config={"urls": {"allow_private": True}}) as rt:

        async def call(name, **arguments):
            return json.loads(await rt.call(name, arguments))

        print((await call("browser_navigate", url=url))["snapshot"])
        await call("browser_type", ref="@e5", text="Ann")
        await call("browser_type", ref="@e6", text="coffee")
        await call("browser_click", ref="@e7")
        print("---")
        print((await call("browser_snapshot"))["snapshot"])


asyncio.run(main())
