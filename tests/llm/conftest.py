"""Services on this machine that speak the real protocols, and models that ask them."""

import asyncio

import pytest
from tests.llm.loopback import SECONDS, Service

from hermes.llm.anthropic import Messages
from hermes.llm.asking import HttpModel
from hermes.llm.catalog import look_up
from hermes.llm.endpoint import Endpoint, Patience
from hermes.llm.gemini import Gemini
from hermes.llm.openai_chat import Chat
from hermes.llm.openai_responses import Responses

KEY = "sk-test-5f2c9a7e1b3d4860"
PATIENCE = Patience(silence_seconds=2, tries=3, first_wait_seconds=0.001)
ADAPTERS = {"chat": Chat, "anthropic": Messages, "responses": Responses, "gemini": Gemini}
NAMES = {
    "chat": "gpt-4.1",
    "anthropic": "claude-sonnet-5-5",
    "responses": "gpt-6.1-sol",
    "gemini": "gemini-3.8-flash",
}


@pytest.fixture
def serve():
    """Return a function that starts a service with its answers."""
    started = []

    def start(*answers):
        service = Service(*answers)
        started.append(service)
        return service

    yield start
    for service in started:
        service.close()


def make_model(protocol, url, *, name=None, patience=PATIENCE, **options):
    name = name or NAMES[protocol]
    facts = look_up(name)
    adapter = ADAPTERS[protocol](name, facts, **options)
    return HttpModel(f"test:{name}", facts.window, adapter, Endpoint(url, KEY), patience=patience)


@pytest.fixture
def ask():
    """Return a function that asks a model in a protocol, and gives all pieces back."""

    def run(protocol, url, request, **options):
        async def all_pieces():
            model = make_model(protocol, url, **options)
            try:
                async with asyncio.timeout(SECONDS):
                    return [piece async for piece in model.ask(request)]
            finally:
                await model.close()

        return asyncio.run(all_pieces())

    return run


@pytest.fixture
def open_test_model():
    """Return the function that makes a model for a loopback service."""
    return make_model
