"""Sign in to servers by OAuth 2.1: the SDK's flow, with tokens that outlive the process.

What the SDK leaves open is settled here: when a token ends and who gave it is kept beside it, a
refusal is first answered by a refresh, processes refresh one after the other, and requests with a
good token wait for nobody.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.auth.utils import extract_field_from_www_auth
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, BaseModel, ValidationError

from hermes.base.errors import Denied, HermesError
from hermes.base.text import harmless
from hermes.config.servers import ServerSettings
from hermes.mcp.callback import Callback
from hermes.mcp.tokens import NeedsLogin, TokenFile
from hermes.policy.urls import is_private

OpenBrowser = Callable[[str], Any]
"""Shows an address to the person; may be a coroutine function."""
LOGIN_SECONDS = 300.0
_EARLY_SECONDS = 30.0
"""A token that ends so soon is refreshed before it is sent."""
_PLACEHOLDER = "http://127.0.0.1/callback"
_BASIC = "client_secret_basic"
_Model = TypeVar("_Model", bound=BaseModel)
_Flow = AsyncGenerator[httpx2.Request, httpx2.Response]


def provider(
    name: str,
    settings: ServerSettings,
    folder: Path,
    open_browser: OpenBrowser | None = None,
) -> httpx2.Auth:
    """Return what signs the requests to a server.

    Where a person has to sign in, ``open_browser`` is given the address; without it, requests raise
    ``NeedsLogin``. Whatever is asked goes through the client of the request, which judges where
    addresses lead when they are dialled.
    """
    assert settings.url is not None
    return _Provider(name, TokenFile(folder, name, settings.url), settings, open_browser)


class _Provider(OAuthClientProvider):
    """Sign requests, refresh tokens, and send a person to sign in where nothing else helps."""

    def __init__(
        self,
        name: str,
        kept: TokenFile,
        settings: ServerSettings,
        open_browser: OpenBrowser | None,
    ) -> None:
        own = settings.oauth
        metadata = OAuthClientMetadata(
            client_name="hermes",
            redirect_uris=[AnyUrl(_PLACEHOLDER)],
            token_endpoint_auth_method="none",
        )
        url, document = str(settings.url), own.metadata_url or None
        super().__init__(url, metadata, self, self._show, self._brought, document)
        self._own = own
        self._name = name
        self._kept = kept
        self._open_browser = open_browser
        self._callback: Callback | None = None
        self._logins = asyncio.Lock()
        self._initialized = True

    async def _auth_flow(self, request: httpx2.Request) -> _Flow:
        self._recall()
        if self._has_old_token():
            async with self._kept.turn():
                if refresh := await self._refresh_request(""):
                    await self._take_refresh((yield refresh))
        used = self._sign(request)
        response = yield request
        if _is_refused(response) and self.context.can_refresh_token():
            async with self._kept.turn():
                if refresh := await self._refresh_request(used):
                    await self._take_refresh((yield refresh))
            if self._token() not in ("", used):
                used = self._sign(request)
                response = yield request
        if not self._goes_to_login(response):
            return
        async with self._logins:
            self._recall()
            if self._token() not in ("", used):  # somebody has signed in meanwhile
                self._sign(request)
                yield request
                return
            flow = self._login(request, response)
            try:
                sent = await anext(flow)
                while True:
                    sent = await flow.asend((yield sent))
            except StopAsyncIteration:
                return
            finally:
                await flow.aclose()

    async def _login(self, request: httpx2.Request, response: httpx2.Response) -> _Flow:
        """Have a person sign in by the SDK's flow, which is told of the refusal that came."""
        if _is_refused(response):
            self.context.clear_tokens()
        flow = super()._auth_flow(request)
        try:
            self._listen()
            sent = await anext(flow)
            assert sent is request
            sent = await flow.asend(response)
            while True:
                self._judge(str(sent.url))
                sent = await flow.asend((yield sent))
        except StopAsyncIteration:
            return
        except (OAuthFlowError, ValidationError) as error:
            words = harmless(str(error), limit=300).partition("\n")[0]
            raise HermesError(
                f"{self._name}: signing in failed: {words}",
                hint=f"Try again with: hermes mcp login {self._name}",
            ) from error
        finally:
            await flow.aclose()
            if self._callback is not None:
                await self._callback.close()
                self._callback = None

    async def _refresh_request(self, refused: str) -> httpx2.Request | None:
        """Return the request for another token; None where another process has got one already."""
        self._recall()
        is_good = self._token() != refused if refused else self.context.is_token_valid()
        if is_good or not self.context.can_refresh_token():
            return None
        request = await self._refresh_token()
        self._judge(str(request.url))
        return request

    async def _take_refresh(self, response: httpx2.Response) -> None:
        if response.status_code in (400, 401, 403):
            self.context.clear_tokens()
            self._kept.write(tokens=None, expires_at=None)
        elif response.status_code == httpx2.codes.OK:
            await self._handle_refresh_response(response)
        else:
            raise HermesError(
                f"{self._name}: the token could not be refreshed: its server answered HTTP "
                f"{response.status_code}",
                hint="Try again later.",
            )

    def _has_old_token(self) -> bool:
        return not self.context.is_token_valid() and self.context.can_refresh_token()

    def _goes_to_login(self, response: httpx2.Response) -> bool:
        """Say whether a person has to sign in for this answer to change."""
        wants_more = response.status_code == httpx2.codes.FORBIDDEN and (
            extract_field_from_www_auth(response, "error") == "insufficient_scope"
        )
        if not (_is_refused(response) or wants_more):
            return False
        if self._open_browser is None:
            raise NeedsLogin(self._name, "it wants somebody to sign in")
        return True

    def _token(self) -> str:
        tokens = self.context.current_tokens
        return tokens.access_token if tokens else ""

    def _sign(self, request: httpx2.Request) -> str:
        if self._token():
            self._add_auth_header(request)
        return self._token()

    def _listen(self) -> None:
        """Take the port that the client was registered with; with another, register again."""
        before = self._own.port or self._kept.read().get("port")
        self._callback = Callback.bound(before if isinstance(before, int) else 0)
        if self._own.port not in (0, self._callback.port):
            raise HermesError(
                f"{self._name}: port {before} is taken, and the browser has to come back there",
                hint=f"End what listens there, or change mcp_servers.{self._name}.oauth.port.",
            )
        self.context.client_metadata.redirect_uris = [AnyUrl(self._callback.uri)]
        if self._callback.port != before or self._own.client_id:
            self._kept.write(client=None, port=self._callback.port)
            self.context.client_info = self._registered()

    def _registered(self) -> OAuthClientInformationFull | None:
        """Return the client that was registered by hand, if there is one."""
        own, metadata = self._own, self.context.client_metadata
        if not own.client_id:
            return None
        found = self.context.oauth_metadata
        ways = (found.token_endpoint_auth_methods_supported if found else None) or [_BASIC]
        with_secret = _BASIC if _BASIC in ways else "client_secret_post"
        return OAuthClientInformationFull(
            client_id=own.client_id,
            client_secret=own.client_secret or None,
            redirect_uris=metadata.redirect_uris,
            token_endpoint_auth_method=with_secret if own.client_secret else "none",
        )

    async def _perform_authorization(self) -> httpx2.Request:
        self.context.client_info = self._registered() or self.context.client_info
        return await super()._perform_authorization()

    async def _show(self, url: str) -> None:
        assert self._callback is not None
        assert self._open_browser is not None
        self._judge(url)
        await self._callback.expect(parse_qs(urlsplit(url).query)["state"][0])
        shown = self._open_browser(url)
        if inspect.isawaitable(shown):
            await shown

    async def _brought(self) -> AuthorizationCodeResult:
        assert self._callback is not None
        found = await self._callback.answer(LOGIN_SECONDS)
        return AuthorizationCodeResult(code=found.code, state=found.state, iss=found.issuer)

    def _judge(self, url: str) -> None:
        """Refuse an address that is open to listeners, or leads a stranger's server inside."""
        parts = urlsplit(url)
        is_inside = is_private(parts.hostname or "")
        if is_inside and not is_private(urlsplit(self.context.server_url).hostname or ""):
            raise Denied(f"{self._name} leads to a private address to sign in: {parts.hostname}")
        if parts.scheme != "https" and not is_inside:
            raise Denied(f"{self._name} would sign in without encryption, at {parts.hostname}")

    def _recall(self) -> None:
        """Take what is on disk: another process may have signed in or refreshed."""
        told, context = self._kept.read(), self.context
        context.current_tokens = _model(OAuthToken, told.get("tokens"))
        context.client_info = self._registered() or _model(
            OAuthClientInformationFull, told.get("client")
        )
        ends = told.get("expires_at")
        context.token_expiry_time = (
            ends - _EARLY_SECONDS if isinstance(ends, (int, float)) else None
        )
        if context.oauth_metadata is None:
            context.oauth_metadata = _model(OAuthMetadata, told.get("metadata"))
        if context.protected_resource_metadata is None:
            context.protected_resource_metadata = _model(
                ProtectedResourceMetadata, told.get("resource")
            )
        if context.auth_server_url is None and isinstance(told.get("issuer"), str):
            context.auth_server_url = told["issuer"]

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens that are kept."""
        return self.context.current_tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep tokens, with the moment they end and who gave them."""
        context = self.context
        ends = None if tokens.expires_in is None else time.time() + tokens.expires_in
        self._kept.write(
            tokens=tokens.model_dump(mode="json", exclude_none=True, exclude={"expires_in"}),
            expires_at=ends,
            issuer=context.auth_server_url,
            metadata=_dumped(context.oauth_metadata),
            resource=_dumped(context.protected_resource_metadata),
        )

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return the client that is registered."""
        return self.context.client_info

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep the client that was registered."""
        self._kept.write(client=_dumped(client_info))


def _is_refused(response: httpx2.Response) -> bool:
    return response.status_code == httpx2.codes.UNAUTHORIZED


def _dumped(model: BaseModel | None) -> Any:
    return None if model is None else model.model_dump(mode="json", exclude_none=True)


def _model(kind: type[_Model], told: Any) -> _Model | None:
    """Return what was kept as the SDK has it; None for what is not there or damaged."""
    try:
        return None if told is None else kind.model_validate(told)
    except ValidationError:
        return None
