"""What a scenario of the conformance suite asks of a client, done through hermes's own client.

Signing in is done by a browser that says yes to everything.
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

import httpx2

from hermes import Runtime
from hermes.app import servers
from hermes.mcp import oauth

SERVER = "suite"
PREFIX = f"mcp__{SERVER}__"
EXTRAS = {"list_resources", "read_resource", "list_prompts", "get_prompt"}
DOCUMENT = "https://conformance-test.local/client-metadata.json"
SAMPLES = {"number": 5, "integer": 5, "string": "x", "boolean": True, "object": {}, "array": []}


async def say_yes(request):
    del request
    return "once"


async def browse(url):
    """Visit the address where one signs in, and follow it back."""
    async with httpx2.AsyncClient(follow_redirects=False, timeout=10) as browser:
        back = (await browser.get(url)).headers["location"]
        await browser.get(back)


def settings(url, scenario, context):
    found = {"url": url, "sampling": {"enabled": True}}
    if not scenario.startswith("auth/"):
        return found
    own = {key: context[key] for key in ("client_id", "client_secret") if key in context}
    return {**found, "auth": "oauth", "oauth": {"metadata_url": DOCUMENT, **own}}


def sign_in(runtime, name, given):
    return oauth.provider(name, given, runtime.settings.home / "mcp" / "tokens", browse)


def arguments(definition, every):
    """Return arguments that a tool takes."""
    schema = definition["inputSchema"]
    if "json_schema_echo" in definition["name"]:  # wants to see what became of another's schema
        return {"schema": next(one["inputSchema"] for one in every if one is not definition)}
    wanted = schema.get("properties", {})
    return {name: SAMPLES.get(wanted[name].get("type"), "x") for name in schema.get("required", [])}


async def use_everything(runtime, calls):
    """Call every tool, read every resource and fetch every prompt."""

    async def call(name, given=None):
        said = await runtime.call(name, given or {})
        print(name, given, said, file=sys.stderr)
        return json.loads(said)

    offered = [one for one in runtime.definitions(format="mcp") if one["name"].startswith(PREFIX)]
    extras = {one["name"].removeprefix(PREFIX) for one in offered} & EXTRAS
    tools = [one for one in offered if one["name"].removeprefix(PREFIX) not in EXTRAS]
    asked = [(PREFIX + one["name"], one["arguments"]) for one in calls]
    for name, given in asked or [(one["name"], arguments(one, tools)) for one in tools]:
        await call(name, given)
    if "list_resources" in extras:
        for resource in (await call(f"{PREFIX}list_resources"))["resources"]:
            await call(f"{PREFIX}read_resource", {"uri": resource["uri"]})
    if "list_prompts" in extras:
        for prompt in (await call(f"{PREFIX}list_prompts"))["prompts"]:
            await call(f"{PREFIX}get_prompt", {"name": prompt["name"]})


async def main(server, context, home):
    servers._signed_in = sign_in
    config = {"mcp_servers": {SERVER: server}, "urls": {"allow_private": True}}
    async with Runtime("trusted", cwd=home, approver=say_yes, config=config) as runtime:
        await servers.of(runtime).connect(SERVER)
        await use_everything(runtime, context.get("toolCalls", []))


def run(url, scenario, context):
    """Do all of it in a home of its own; the context is what the suite tells of the scenario."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HERMES_HOME"] = folder
        asyncio.run(main(settings(url, scenario, context), context, Path(folder)))
