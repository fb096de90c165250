"""Signing in to servers, against an authorisation server on this machine."""

import asyncio
import json
import socket
import time
from contextlib import asynccontextmanager

import httpx2
import pytest
from tests.mcp.authority import Browser, protecting

from hermes.base.errors import Denied, HermesError
from hermes.config.servers import server_of
from hermes.mcp import oauth
from hermes.mcp.tokens import NeedsLogin, TokenFile


class Scene:
    """An authority, a server it protects, and people who sign in to it."""

    def __init__(self, folder, authority, protected):
        self.folder, self.authority, self.protected = folder, authority, protected
        self.url = authority.resource
        self.file = folder / "docs.json"

    async def get(self, open_browser=None, *, url=None, times=1):
        """Ask the server in a new process's stead: with nothing but what is on disk."""
        async with self.client(open_browser, url=url) as client:
            return await asyncio.gather(*(client.get(url or self.url) for _ in range(times)))

    @asynccontextmanager
    async def client(self, open_browser=None, *, url=None, **own):
        settings = server_of("docs", {"url": url or self.url, "auth": "oauth", "oauth": own})
        auth = oauth.provider("docs", settings, self.folder, open_browser)
        async with httpx2.AsyncClient(auth=auth, trust_env=False, timeout=10) as client:
            yield client

    async def signed_in(self):
        (response,) = await self.get(Browser())
        assert response.text == "hello"

    def kept(self, **changed):
        told = {**json.loads(self.file.read_text()), **changed}
        self.file.write_text(json.dumps(told))
        return told


@pytest.fixture
def scene(tmp_path):
    """Return what runs a test within a scene."""

    def run(play):
        async def within():
            async with protecting() as (authority, protected), asyncio.timeout(30):
                await play(Scene(tmp_path / "tokens", authority, protected))

        asyncio.run(within())

    return run


@pytest.mark.proves("mcp-oauth")
def test_a_person_signs_in_once_and_the_token_outlives_the_process(scene):
    async def play(scene):
        browser = Browser()
        (response,) = await scene.get(browser)
        assert response.text == "hello"
        assert "You are signed in" in browser.pages[0][1]
        (form,) = scene.authority.asked
        assert form["resource"] == scene.url
        assert len(form["code_verifier"]) >= 43
        (again,) = await scene.get()
        assert again.text == "hello"
        assert scene.authority.logins == 1

    scene(play)


def test_the_file_is_the_owners_alone_and_tells_the_end_and_the_issuer(scene):
    async def play(scene):
        await scene.signed_in()
        assert scene.file.stat().st_mode & 0o777 == 0o600
        assert scene.folder.stat().st_mode & 0o777 == 0o700
        told = scene.kept()
        assert told["issuer"].rstrip("/") == scene.authority.issuer
        assert told["client"]["issuer"].rstrip("/") == scene.authority.issuer
        assert abs(told["expires_at"] - time.time() - 3600) < 60
        assert told["url"] == scene.url

    scene(play)


def test_without_a_browser_the_way_to_sign_in_is_told(scene):
    async def play(scene):
        with pytest.raises(NeedsLogin) as caught:
            await scene.get()
        assert caught.value.hint == "Sign in with: hermes mcp login docs"
        assert scene.authority.clients == {}

    scene(play)


def test_a_token_that_ended_is_refreshed_before_it_is_sent(scene):
    async def play(scene):
        await scene.signed_in()
        old = scene.kept(expires_at=time.time() - 1)["tokens"]
        scene.protected.seen.clear()
        (response,) = await scene.get()
        assert response.text == "hello"
        assert old["access_token"] not in scene.protected.seen
        assert scene.kept()["tokens"]["refresh_token"] != old["refresh_token"]
        assert scene.authority.logins == 1
        assert scene.authority.asked[-1]["resource"] == scene.url

    scene(play)


def test_a_token_that_is_refused_is_refreshed_whatever_its_end(scene):
    async def play(scene):
        await scene.signed_in()
        scene.authority.access_tokens.clear()
        (response,) = await scene.get()
        assert response.text == "hello"
        assert scene.authority.logins == 1

    scene(play)


def test_many_requests_at_once_refresh_once(scene):
    async def play(scene):
        await scene.signed_in()
        scene.authority.access_tokens.clear()
        answers = await asyncio.gather(*(scene.get(times=3) for _ in range(3)))
        assert {one.text for many in answers for one in many} == {"hello"}
        grants = [form["grant_type"] for form in scene.authority.asked]
        assert grants.count("refresh_token") == 1

    scene(play)


def test_requests_with_a_good_token_wait_for_nobody(scene):
    async def play(scene):
        await scene.signed_in()
        together = asyncio.Barrier(4)
        scene.protected.is_slow = together.wait
        answers = await scene.get(times=4)
        assert [answer.text for answer in answers] == ["hello"] * 4

    scene(play)


def test_a_refresh_token_that_is_void_leads_to_a_new_login(scene):
    async def play(scene):
        await scene.signed_in()
        scene.authority.refresh_tokens.clear()
        scene.authority.access_tokens.clear()
        with pytest.raises(NeedsLogin):
            await scene.get()
        assert "tokens" not in scene.kept()
        await scene.signed_in()
        assert scene.authority.logins == 2
        assert len(scene.authority.clients) == 1

    scene(play)


def test_an_authority_that_is_down_costs_no_token(scene):
    async def play(scene):
        await scene.signed_in()
        scene.kept(expires_at=1)
        scene.authority.refresh_status = 503
        with pytest.raises(HermesError, match="HTTP 503"):
            await scene.get()
        scene.authority.refresh_status = 200
        (response,) = await scene.get()
        assert response.text == "hello"

    scene(play)


def test_tokens_go_to_no_other_address(scene):
    async def play(scene):
        await scene.signed_in()
        scene.protected.seen.clear()
        with pytest.raises(NeedsLogin):
            await scene.get(url=f"{scene.url}?other")
        assert scene.protected.seen == [""]

    scene(play)


def test_a_wrong_state_is_turned_away_and_the_right_one_still_counts(scene):
    async def play(scene):
        browser = Browser()

        async def attacked(url):
            redirect = httpx2.URL(url).params["redirect_uri"]
            await browser(f"{redirect}?code=stolen&state=guessed")
            await browser(f"{redirect}?code=stolen")
            await browser(url)

        (response,) = await scene.get(attacked)
        assert response.text == "hello"
        assert [status for status, _ in browser.pages] == [400, 400, 200]

    scene(play)


def test_a_wrong_state_from_the_authority_itself_signs_nobody_in(scene, monkeypatch):
    monkeypatch.setattr(oauth, "LOGIN_SECONDS", 0.2)

    async def play(scene):
        scene.authority.bend = lambda answer: {**answer, "state": "other"}
        with pytest.raises(HermesError, match="nobody signed in"):
            await scene.get(Browser())
        assert scene.authority.asked == []

    scene(play)


@pytest.mark.parametrize("issuer", ["https://evil.example", None])
def test_a_wrong_or_missing_issuer_is_refused(scene, issuer):
    async def play(scene):
        scene.authority.bend = lambda answer: {**answer, "iss": issuer}
        with pytest.raises(HermesError, match="iss"):
            await scene.get(Browser())
        assert scene.authority.asked == []

    scene(play)


def test_metadata_of_another_issuer_is_refused(scene):
    async def play(scene):
        scene.authority.metadata_changes = {"issuer": "https://evil.example"}
        with pytest.raises(HermesError, match="issuer mismatch"):
            await scene.get(Browser())
        assert scene.authority.clients == {}

    scene(play)


def test_a_refusal_of_the_person_is_told(scene):
    async def play(scene):
        scene.authority.bend = lambda answer: {
            "state": answer["state"],
            "error": "access_denied",
            "error_description": "<b>no</b>",
        }
        browser = Browser()
        with pytest.raises(HermesError, match="access_denied"):
            await scene.get(browser)
        assert "&lt;b&gt;" in browser.pages[0][1]

    scene(play)


def test_an_answer_counts_once(scene):
    async def play(scene):
        browser = Browser()

        async def twice(url):
            async with httpx2.AsyncClient(trust_env=False) as client:
                response = await client.get(url)
                back = response.headers["location"]
            await asyncio.gather(browser(back), browser(back))

        (response,) = await scene.get(twice)
        assert response.text == "hello"
        assert sorted(status for status, _ in browser.pages) == [200, 410]
        with pytest.raises(httpx2.ConnectError):
            await browser(f"http://127.0.0.1:{scene.kept()['port']}/callback")

    scene(play)


def test_the_client_keeps_its_port_or_registers_again(scene):
    async def play(scene):
        await scene.signed_in()
        port = scene.kept()["port"]
        scene.kept(tokens=None)
        taken = await asyncio.start_server(lambda *_: None, "127.0.0.1", port)
        async with taken:
            await scene.signed_in()
        assert scene.kept()["port"] != port
        assert len(scene.authority.clients) == 2

    scene(play)


def test_more_scope_is_asked_of_the_person(scene):
    async def play(scene):
        await scene.signed_in()
        scene.authority.wanted_scope = "write"
        await scene.signed_in()
        assert scene.authority.logins == 2
        assert scene.kept()["tokens"]["scope"] == "write"

    scene(play)


@pytest.mark.parametrize(
    "endpoint", ["http://evil.example/token", "http://evil.example:8080/authorize"]
)
def test_signing_in_without_encryption_is_refused(scene, endpoint):
    async def play(scene):
        kind = "token_endpoint" if "token" in endpoint else "authorization_endpoint"
        scene.authority.metadata_changes = {kind: endpoint}
        browser = Browser()
        with pytest.raises(Denied, match="without encryption"):
            await scene.get(browser)

    scene(play)


def test_a_public_server_leads_nobody_inside(tmp_path):
    settings = server_of("docs", {"url": "https://docs.example/mcp", "auth": "oauth"})

    async def run():
        auth = oauth.provider("docs", settings, tmp_path, Browser())
        request = httpx2.Request("GET", "https://docs.example/mcp")
        flow = auth.async_auth_flow(request)
        await anext(flow)
        inside = 'Bearer resource_metadata="http://127.0.0.1:8500/secrets"'
        refused = httpx2.Response(401, headers={"WWW-Authenticate": inside}, request=request)
        with pytest.raises(Denied, match="private address"):
            await flow.asend(refused)

    asyncio.run(run())


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 1, "url": 3}', "\x00"])
def test_a_damaged_file_means_signing_in_again(tmp_path, content):
    file = TokenFile(tmp_path, "docs", "https://docs.example")
    file.write(tokens={"access_token": "a"})
    assert file.read()["tokens"] == {"access_token": "a"}
    file.file.write_text(content)
    assert file.read() == {}


def test_what_is_forgotten_is_gone(tmp_path):
    file = TokenFile(tmp_path, "docs", "https://docs.example")
    file.write(tokens={"access_token": "a"})
    assert file.forget()
    assert not file.forget()


def test_a_client_that_was_registered_by_hand_is_not_registered_again(scene):
    async def play(scene):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        scene.authority.clients["by-hand"] = [f"http://127.0.0.1:{port}/callback"]
        async with scene.client(Browser(), client_id="by-hand", port=port) as client:
            assert (await client.get(scene.url)).text == "hello"
        assert list(scene.authority.clients) == ["by-hand"]
        assert scene.authority.asked[-1]["client_id"] == "by-hand"

    scene(play)


def test_a_port_that_is_taken_is_told_where_the_browser_must_come_back_to_it(scene):
    async def play(scene):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            async with scene.client(Browser(), client_id="me", port=port) as client:
                with pytest.raises(HermesError, match=f"port {port} is taken"):
                    await client.get(scene.url)

    scene(play)
