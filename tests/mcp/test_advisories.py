"""Packages are asked of OSV, a server on this machine that speaks its API."""

import asyncio
import json

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from tests.mcp.loopback import serving

from hermes.mcp.advisories import check
from hermes.mcp.fetching import poster


def malware(id, name, ecosystem="npm", **affected):
    span = {"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}]}
    about = {"package": {"name": name, "ecosystem": ecosystem}, **(affected or span)}
    return {"id": id, "summary": f"Malicious code in {name}", "affected": [about]}


ADVISORIES = [
    malware("MAL-2024-1", "evil"),
    malware("MAL-2024-2", "snake", "PyPI"),
    malware("MAL-2025-3", "chalk", versions=["5.6.1"]),
    {"id": "GHSA-1", "affected": [{"package": {"name": "leaky", "ecosystem": "npm"}}]},
    {**malware("MAL-2023-4", "pardoned"), "withdrawn": "2024-01-01T00:00:00Z"},
    {**malware("GHSA-2", "aliased"), "aliases": ["MAL-2024-9"]},
]


class Osv:
    """Answer queries by the advisories above, two a page."""

    def __init__(self):
        self.asked = []
        self.broken = False

    async def query(self, request):
        body = await request.json()
        self.asked.append(body)
        if self.broken:
            return PlainTextResponse("down", 503)
        found = [one for one in ADVISORIES if self.fits(one["affected"][0], body)]
        start = int(body.get("page_token", 0))
        answer = {"vulns": found[start : start + 1]} if found else {}
        if len(found) > start + 1:
            answer["next_page_token"] = str(start + 1)
        return JSONResponse(answer)

    def fits(self, affected, body):
        versions = affected.get("versions")
        is_version = "version" not in body or not versions or body["version"] in versions
        return affected["package"] == body["package"] and is_version


class Asking:
    """Check command lines against a loopback OSV."""

    def __init__(self, folder):
        self.folder = folder
        self.osv = Osv()
        self.now = 1_000_000.0

    def __call__(self, *lines, policy="warn", broken=False):
        self.osv.broken = broken

        async def run():
            app = Starlette(routes=[Route("/v1/query", self.osv.query, methods=["POST"])])
            async with serving(app) as address:
                return [await self.one(line, policy, f"{address}/v1/query") for line in lines]

        found = asyncio.run(run())
        return found[0] if len(found) == 1 else found

    async def one(self, line, policy, url):
        command, *args = line.split()
        fetch = poster(lambda: httpx2.AsyncClient(timeout=5, trust_env=False))
        return await check(
            command,
            args,
            folder=self.folder,
            policy=policy,
            fetch=fetch,
            url=url,
            clock=lambda: self.now,
        )


@pytest.fixture
def asking(tmp_path):
    return Asking(tmp_path / "mcp")


@pytest.mark.proves("mcp-malware")
@pytest.mark.parametrize("policy", ["warn", "ask", "refuse"])
def test_malware_is_never_started(asking, policy):
    for advice in asking(
        "npx -y evil", "npx evil@1.0.0", "uvx snake", "npx aliased", policy=policy
    ):
        assert not advice.ok
        assert "malware" in advice.reason
        assert advice.question == ""


def test_the_name_is_asked_with_its_ecosystem_and_version(asking):
    asking("uvx snake@2.0")
    assert asking.osv.asked == [
        {"package": {"name": "snake", "ecosystem": "PyPI"}, "version": "2.0"}
    ]


def test_other_advisories_and_withdrawn_ones_are_no_malware(asking):
    for advice in asking(
        "npx leaky@1.0.0", "npx pardoned@1.0.0", "npx fine@1.0.0", policy="refuse"
    ):
        assert advice == (True, (), "", "")


def test_a_package_with_some_bad_versions_is_told_and_a_good_version_passes(asking):
    newest, good, bad = asking("npx chalk", "npx chalk@5.6.2", "npx chalk@5.6.1")
    assert newest.ok
    assert "had versions that are malware (MAL-2025-3)" in newest.warnings[0]
    assert good == (True, (), "", "")
    assert not bad.ok


def test_a_package_without_a_version_is_told_and_asked_about(asking):
    warned = asking("npx fine")
    assert (warned.ok, warned.warnings) == (
        True,
        ("fine has no version: whatever is newest is run",),
    )
    asked = asking("npx fine", policy="ask")
    assert not asked.ok
    assert "whatever is newest" in asked.question
    assert asking("npx fine", policy="refuse").ok


def test_answers_are_remembered_for_a_day(asking):
    asking("npx fine@1.0.0")
    asking("npx fine@1.0.0")
    assert len(asking.osv.asked) == 1
    asking.now += 90_000
    asking("npx fine@1.0.0")
    assert len(asking.osv.asked) == 2


def test_when_osv_is_down_the_policy_decides(asking):
    advice = asking("npx fine@1.0.0", broken=True)
    assert advice.ok
    assert "could not be checked" in advice.warnings[0]
    asked = asking("npx fine@1.0.0", policy="ask", broken=True)
    assert not asked.ok
    assert asked.question
    refused = asking("npx fine@1.0.0", policy="refuse", broken=True)
    assert not refused.ok
    assert not refused.question
    assert asking("npx fine@1.0.0", policy="off", broken=True) == (True, (), "", "")


def test_an_older_answer_stands_in_for_a_while_and_malware_for_good(asking):
    asking("npx fine@1.0.0", "npx evil")
    asking.now += 3 * 86_400
    assert asking("npx fine@1.0.0", broken=True).warnings == ()
    asking.now += 30 * 86_400
    assert asking("npx fine@1.0.0", broken=True).warnings
    assert not asking("npx evil", broken=True).ok


def test_nobody_there_is_an_outage_and_no_error(tmp_path):
    async def run():
        fetch = poster(lambda: httpx2.AsyncClient(timeout=5, trust_env=False))
        url = "http://127.0.0.1:9/v1/query"
        return await check("npx", ["x"], folder=tmp_path, policy="warn", fetch=fetch, url=url)

    assert "could not be checked" in asyncio.run(run()).warnings[0]


@pytest.mark.parametrize("body", [b"", b"[]", b"nonsense", b'{"vulns": 3}', b'{"vulns": [1, {}]}'])
def test_a_garbled_answer_is_no_crash(tmp_path, body):
    async def garbled(_request):
        return PlainTextResponse(body)

    async def run():
        async with serving(Starlette(routes=[Route("/", garbled, methods=["POST"])])) as address:
            fetch = poster(lambda: httpx2.AsyncClient(timeout=5, trust_env=False))
            return await check(
                "npx", ["x"], folder=tmp_path, policy="warn", fetch=fetch, url=address
            )

    assert asyncio.run(run()).ok


@pytest.mark.parametrize("content", ["", "[]", '{"npm:fine@1.0.0": 3}', "\x00"])
def test_a_damaged_memory_is_asked_anew(asking, content):
    asking.folder.mkdir()
    (asking.folder / "advisories.json").write_text(content)
    assert asking("npx fine@1.0.0").ok
    assert json.loads((asking.folder / "advisories.json").read_text())["npm:fine@1.0.0"]


def test_what_runs_no_package_is_not_asked_about(asking):
    assert asking("python -m server", policy="refuse") == (True, (), "", "")
    assert asking.osv.asked == []
