"""An authorisation server and a server it protects, both on loopback, for tests of signing in."""

import asyncio
import base64
import contextlib
import hashlib
import secrets
import threading
from urllib.parse import urlencode

import httpx2
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from tests.mcp.loopback import serving


class Authority:
    """Register clients, let a person sign in, and give tokens, by the rules of OAuth 2.1."""

    def __init__(self):
        self.issuer = ""
        self.resource = ""
        self.lifetime = 3600
        self.clients = {}
        self.codes = {}
        self.refresh_tokens = {}
        self.access_tokens = set()
        self.asked = []
        """The forms that came to the token endpoint."""
        self.logins = 0
        self.bend = lambda answer: answer
        """Changes what the browser brings back."""
        self.metadata_changes = {}
        self.refresh_status = 200
        self.wanted_scope = None

    def app(self):
        return Starlette(
            routes=[
                Route("/.well-known/oauth-authorization-server", self.metadata),
                Route("/register", self.register, methods=["POST"]),
                Route("/authorize", self.authorize),
                Route("/token", self.token, methods=["POST"]),
            ]
        )

    async def metadata(self, _request):
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "registration_endpoint": f"{self.issuer}/register",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": True,
                **self.metadata_changes,
            }
        )

    async def register(self, request):
        told = await request.json()
        id = secrets.token_hex(4)
        self.clients[id] = told["redirect_uris"]
        return JSONResponse({**told, "client_id": id}, 201)

    async def authorize(self, request):
        asked = dict(request.query_params)
        self.logins += 1
        problems = [
            asked.get("response_type") != "code",
            asked.get("code_challenge_method") != "S256",
            asked.get("redirect_uri") not in self.clients.get(asked.get("client_id"), ()),
            asked.get("resource") != self.resource,
            len(asked.get("state", "")) < 20,
        ]
        if any(problems):
            return PlainTextResponse(f"bad request: {problems}", 400)
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        answer = {"code": code, "state": asked["state"], "iss": self.issuer}
        answer = {key: value for key, value in self.bend(answer).items() if value is not None}
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(answer)}")

    async def token(self, request):
        form = dict(await request.form())
        self.asked.append(form)
        if form["grant_type"] == "refresh_token":
            return self._refreshed(form)
        asked = self.codes.pop(form.get("code"), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        is_right = asked is not None and (
            asked["code_challenge"] == challenge
            and asked["client_id"] == form["client_id"]
            and asked["redirect_uri"] == form["redirect_uri"]
            and form.get("resource") == self.resource
        )
        if not is_right:
            return JSONResponse({"error": "invalid_grant"}, 400)
        return self._tokens(form["client_id"], asked.get("scope"))

    def _refreshed(self, form):
        if self.refresh_status != 200:
            return PlainTextResponse("down", self.refresh_status)
        owner = self.refresh_tokens.pop(form["refresh_token"], None)
        if owner != form["client_id"] or form.get("resource") != self.resource:
            return JSONResponse({"error": "invalid_grant"}, 400)
        return self._tokens(owner, None)

    def _tokens(self, client, scope):
        access, refresh = f"at-{secrets.token_hex(8)}", f"rt-{secrets.token_hex(8)}"
        self.access_tokens.add(access)
        self.refresh_tokens[refresh] = client
        told = {"access_token": access, "token_type": "bearer", "expires_in": self.lifetime}
        return JSONResponse(
            {**told, "refresh_token": refresh, **({"scope": scope} if scope else {})}
        )


class Protected:
    """A server that answers only who brings a token of its authority."""

    def __init__(self, authority):
        self.authority = authority
        self.seen = []
        """The tokens that came."""
        self.address = ""
        self.is_slow = None
        """An event that answers wait for."""

    def app(self):
        return Starlette(
            routes=[
                Route("/mcp", self.answer, methods=["GET", "POST"]),
                Route("/.well-known/oauth-protected-resource/mcp", self.metadata),
            ]
        )

    async def metadata(self, _request):
        issuers = [self.authority.issuer]
        return JSONResponse({"resource": self.authority.resource, "authorization_servers": issuers})

    async def answer(self, request):
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        self.seen.append(token)
        if token not in self.authority.access_tokens:
            where = f"{self.address}/.well-known/oauth-protected-resource/mcp"
            challenge = f'Bearer resource_metadata="{where}"'
            return Response(status_code=401, headers={"WWW-Authenticate": challenge})
        if self.authority.wanted_scope:
            wanted, self.authority.wanted_scope = self.authority.wanted_scope, None
            challenge = f'Bearer error="insufficient_scope", scope="{wanted}"'
            return Response(status_code=403, headers={"WWW-Authenticate": challenge})
        if self.is_slow is not None:
            await asyncio.wait_for(self.is_slow(), 5)
        return await self.said(request)

    async def said(self, _request):
        """Return what is behind the door."""
        return PlainTextResponse("hello")


class Speaking(Protected):
    """A server of the older era behind the door: one tool, answered as plain JSON."""

    async def said(self, request):
        if request.method == "GET":
            return Response(status_code=405)
        asked = await request.json()
        if "id" not in asked:
            return Response(status_code=202)
        result = self.result(asked["method"])
        told = {"result": result} if result else {"error": {"code": -32601, "message": "no"}}
        return JSONResponse({"jsonrpc": "2.0", "id": asked["id"], **told})

    def result(self, method):
        if method == "initialize":
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "docs", "version": "1"},
            }
        if method == "tools/list":
            hints = {"readOnlyHint": True}
            schema = {"type": "object", "properties": {}}
            return {"tools": [{"name": "look", "inputSchema": schema, "annotations": hints}]}
        if method == "tools/call":
            return {"content": [{"type": "text", "text": "seen"}]}
        return None


@contextlib.contextmanager
def on_a_thread(kind=Protected):
    """Serve an authority and a server behind it on a loop of their own; gives both."""
    ready, loop = threading.Event(), asyncio.new_event_loop()
    over, found = asyncio.Event(), []

    async def serve():
        async with protecting(kind) as both:
            found.extend(both)
            ready.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(10)
        yield tuple(found)
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
        loop.close()


@contextlib.asynccontextmanager
async def protecting(kind=Protected):
    """Serve an authority and a server behind it; gives both."""
    authority = Authority()
    protected = kind(authority)
    async with serving(authority.app()) as issuer, serving(protected.app()) as address:
        authority.issuer, authority.resource = issuer, f"{address}/mcp"
        protected.address = address
        yield authority, protected


class Browser:
    """A person's browser: goes where it is sent, and follows."""

    def __init__(self):
        self.pages = []

    async def __call__(self, url):
        async with httpx2.AsyncClient(trust_env=False, timeout=5) as client:
            response = await client.get(url, follow_redirects=True)
            self.pages.append((response.status_code, response.text))
