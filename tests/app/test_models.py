import asyncio
import socket
import subprocess
import sys

import pytest
from tests.llm import wire
from tests.llm.loopback import Answer, Service, sse, whole

from hermes.app.model_trials import offered, try_model
from hermes.app.models import Found, find_models, nothing_found, open_model, provider_of
from hermes.base.errors import ConfigError
from hermes.base.messages import Message
from hermes.config.load import load
from hermes.llm.contract import ModelError, Request
from hermes.llm.providers import PROVIDERS

KEY = "sk-test-5f2c9a7e1b3d4860"
LISTED = whole({"object": "list", "data": [{"id": "qwen3", "max_model_len": 4096}]})


@pytest.fixture
def serve():
    started = []

    def start(*answers):
        started.append(Service(*answers))
        return started[-1]

    yield start
    for service in started:
        service.close()


@pytest.fixture(autouse=True)
def no_servers(monkeypatch):
    """Move the usual ports to one where nobody listens: this machine may have servers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        moved = tuple(
            one._replace(url=f"http://127.0.0.1:{port}/v1") if one.is_local else one
            for one in PROVIDERS
        )
        monkeypatch.setattr("hermes.app.models.PROVIDERS", moved)
        monkeypatch.setattr("hermes.llm.providers.PROVIDERS", moved)
        yield


def settings(**values):
    return load(overrides={f"model.{name}": value for name, value in values.items()}, environ={})


def ask(model, text="Hello?"):
    async def run():
        pieces = [piece async for piece in model.ask(Request((Message("user", text),)))]
        await model.close()
        return pieces[-1]

    return asyncio.run(run())


def test_keys_come_first_in_the_order_of_the_table_and_empty_ones_do_not_count():
    environment = {"GEMINI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": "  "}
    found = find_models(settings(), environment)
    assert [(one.provider, one.source) for one in found] == [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
    ]
    assert KEY not in repr(found)


def test_servers_on_this_machine_come_after_keys(serve):
    service = serve(LISTED)
    environment = {"OLLAMA_HOST": f"127.0.0.1:{service.port}", "GROQ_API_KEY": KEY}
    found = find_models(settings(), environment)
    assert [one.name for one in found] == ["groq:openai/gpt-oss-120b", "ollama:qwen3"]
    assert found[1].source == f"127.0.0.1:{service.port}"


def test_a_token_that_most_have_for_other_reasons_is_not_taken_as_a_choice():
    assert find_models(settings(), {"HF_TOKEN": KEY}) == []
    assert open_model("huggingface:x", settings(), {"HF_TOKEN": KEY}).name == "huggingface:x"


@pytest.mark.proves("model-found")
def test_without_a_name_the_first_that_is_found_is_asked(serve):
    service = serve(LISTED, wire.chat("Hi"))
    model = open_model(None, settings(), {"OLLAMA_HOST": service.url})
    assert model.name == "ollama:qwen3"
    assert ask(model).text == "Hi"


@pytest.mark.proves("model-found")
def test_the_model_of_the_settings_comes_before_what_is_found():
    chosen = settings(name="openai:gpt-6-sol")
    model = open_model(None, chosen, {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY})
    assert (model.name, model.window) == ("openai:gpt-6-sol", 1_050_000)


@pytest.mark.proves("model-found")
def test_with_nothing_found_three_lines_say_what_to_do():
    with pytest.raises(ConfigError) as caught:
        open_model(None, settings(), {})
    assert str(caught.value) == str(nothing_found())
    lines = f"{caught.value.message}\n{caught.value.hint}".splitlines()
    assert len(lines) == 3
    assert "hermes:builtin" in lines[2]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("antropic:x", "no provider for the model 'antropic:x'"),
        ("llama3", "no provider for the model 'llama3'"),
        ("anthropic:claude-opus-5", "ANTHROPIC_API_KEY is not set"),
        ("custom:x", "needs the address"),
        ("ollama", "does not answer"),
        ("hermes:other", "no provider"),
    ],
)
def test_a_name_that_cannot_be_opened_is_told_with_a_way_on(name, said):
    with pytest.raises(ConfigError) as caught:
        open_model(name, settings(), {})
    assert said in caught.value.message
    assert caught.value.hint


def test_families_need_no_provider():
    assert provider_of("claude-opus-5-5") == "anthropic:claude-opus-5-5"
    assert provider_of("gpt-6-sol") == "openai:gpt-6-sol"
    assert provider_of("ollama:qwen3:8b") == "ollama:qwen3:8b"


@pytest.mark.parametrize(
    ("name", "environment", "path", "header"),
    [
        ("anthropic:claude-opus-5", "ANTHROPIC", "/v1/messages", "x-api-key"),
        ("openai:gpt-4.1", "OPENAI", "/chat/completions", "authorization"),
    ],
)
def test_a_provider_is_asked_where_its_own_tools_would_ask(serve, name, environment, path, header):
    answer = wire.messages("Hi") if environment == "ANTHROPIC" else wire.chat("Hi")
    service = serve(answer)
    told = {f"{environment}_BASE_URL": service.url, f"{environment}_API_KEY": f" {KEY}\n"}
    assert ask(open_model(name, settings(), told)).text == "Hi"
    asked, headers, _ = service.requests[0]
    assert asked == path
    assert {k.lower(): v for k, v in headers.items()}[header].endswith(KEY)


def test_a_service_of_ones_own_is_asked_with_its_key_and_listed_first(serve):
    service = serve(LISTED, LISTED, wire.chat("Hi"))
    chosen = settings(base_url=f"{service.url}/api", key_variable="MY_KEY")
    environment = {"MY_KEY": KEY, "OPENAI_API_KEY": KEY}
    assert find_models(chosen, environment)[0].name == "custom:qwen3"
    model = open_model("custom:qwen3", chosen, environment)
    assert ask(model).text == "Hi"
    paths = [path for path, _, _ in service.requests]
    assert paths[0] == "/api/models"
    assert paths[-1] == "/api/chat/completions"
    assert model.window == 4096


def test_ollama_tells_what_it_loaded_the_model_with(serve):
    unloaded, loaded = {"models": []}, {"models": [{"name": "qwen3:latest", "context_length": 9}]}
    shown = {"parameters": "stop  x\nnum_ctx 8192"}
    service = serve(whole(unloaded), whole(shown), wire.chat("Hi"), whole(loaded))
    model = open_model("ollama:qwen3", settings(), {"OLLAMA_HOST": service.url})
    reply = ask(model)
    assert model.window == 9
    assert reply.usage.dollars == 0
    assert [path for path, _, _ in service.requests] == [
        "/api/ps",
        "/api/show",
        "/v1/chat/completions",
        "/api/ps",
    ]


def test_a_window_of_the_settings_is_not_asked_for(serve):
    service = serve(wire.chat("Hi"))
    model = open_model("ollama:x", settings(window=5000), {"OLLAMA_HOST": service.url})
    ask(model)
    assert model.window == 5000
    assert len(service.requests) == 1


def test_definitions_are_bent_for_gemini(monkeypatch):
    environment = {"GEMINI_API_KEY": KEY}
    model = open_model("gemini:gemini-3.8-flash", settings(), environment)
    schema = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}
    definition = {
        "type": "function",
        "function": {"name": "f", "description": "d", "parameters": schema},
    }
    request = Request((Message("user", "a"),), (definition,))
    sent = model._adapter.body(request, frozenset())["tools"][0]["functionDeclarations"][0]
    assert sent["parameters"]["properties"]["a"]["nullable"] is True


def test_effort_and_patience_come_from_the_settings():
    chosen = settings(effort="low", tries=7, timeout_seconds=3)
    model = open_model("openai:gpt-6-sol", chosen, {"OPENAI_API_KEY": KEY})
    body = model._adapter.body(Request((Message("user", "a"),)), frozenset())
    assert body["reasoning"]["effort"] == "low"
    assert (model._patience.tries, model._patience.silence_seconds) == (7, 3)


def test_trying_a_model_tells_whether_it_calls_tools(serve):
    call = ("a", "read_file", '{"path": "notes.txt"}')
    service = serve(wire.chat(calls=[call]), wire.chat("I cannot."))
    environment = {"OLLAMA_HOST": service.url}
    chosen = settings(window=1)
    good = asyncio.run(try_model("ollama:x", chosen, environment))
    assert (good.name, good.calls_tools, good.usage.input) == ("ollama:x", True, 100)
    bad = asyncio.run(try_model("ollama:x", chosen, environment))
    assert (bad.calls_tools, bad.said) == (False, "I cannot.")


NOTE = {
    "type": "function",
    "function": {
        "name": "note",
        "description": "Write down.",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
    },
}
IN_WORDS = '<tool_call>{"name": "note", "arguments": {"text": "a"}}</tool_call>'


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "registry.ollama.ai/library/gemma:2b does not support tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice'),
        (500, "tools param requires --jinja flag"),
        (404, "No endpoints found that support tool use."),
    ],
)
def test_a_model_without_tools_is_told_of_them_in_words_from_then_on(serve, status, said):
    service = serve(whole({"error": {"message": said}}, status), wire.chat(IN_WORDS))
    model = open_model("ollama:gemma", settings(window=9000), {"OLLAMA_HOST": service.url})
    request = Request((Message("user", "Note it."),), (NOTE,))

    async def run():
        replies = [[piece async for piece in model.ask(request)][-1] for _ in range(2)]
        await model.close()
        return replies

    for reply in asyncio.run(run()):
        assert [(call.name, reply.stop) for call in reply.calls] == [("note", "calls")]
    assert ["tools" in body for body in service.bodies] == [True, False, False]
    assert model.window == 9000


def test_a_server_that_would_drop_tools_silently_is_found_out(serve):
    listed = whole({"data": [{"id": "smol", "owned_by": "llamacpp", "meta": {"n_ctx": 1}}]})
    caps = {"supports_tools": False}
    props = {"default_generation_settings": {"n_ctx": 2048}, "chat_template_caps": caps}
    service = serve(listed, whole(props), wire.chat(IN_WORDS))
    chosen = settings(base_url=f"{service.url}/v1")
    model = open_model("custom:smol", chosen, {})

    async def run():
        request = Request((Message("user", "Note it."),), (NOTE,))
        reply = [piece async for piece in model.ask(request)][-1]
        await model.close()
        return reply

    assert [call.name for call in asyncio.run(run()).calls] == ["note"]
    assert model.window == 2048
    assert [path for path, _, _ in service.requests] == [
        "/v1/models",
        "/props",
        "/v1/chat/completions",
    ]
    assert "tools" not in service.bodies[2]


def test_calls_that_a_model_writes_all_the_same_are_calls(serve):
    service = serve(wire.chat(IN_WORDS))
    model = open_model("ollama:x", settings(window=1), {"OLLAMA_HOST": service.url})

    async def run():
        request = Request((Message("user", "Note it."),), (NOTE,))
        reply = [piece async for piece in model.ask(request)][-1]
        await model.close()
        return reply

    assert [call.name for call in asyncio.run(run()).calls] == ["note"]


@pytest.mark.parametrize(("way", "has_tools"), [("native", True), ("text", False), ("glm", False)])
def test_the_settings_decide_how_tools_are_called(serve, way, has_tools):
    service = serve(wire.chat("Hi"))
    chosen = settings(window=1, tool_calls=way)
    model = open_model("ollama:x", chosen, {"OLLAMA_HOST": service.url})

    async def run():
        request = Request((Message("user", "a"),), (NOTE,))
        async for _ in model.ask(request):
            pass
        await model.close()

    asyncio.run(run())
    assert ("tools" in service.bodies[0]) is has_tools


def test_services_are_asked_for_all_their_models_and_a_failure_stops_no_other(serve):
    listed = serve(whole({"data": [{"id": "claude-a"}, {"id": "claude-b"}], "has_more": False}))
    broken = serve(Answer(sse({"error": {"message": f"bad key {KEY}"}}), 401))
    environment = {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": listed.url,
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": broken.url,
    }
    found = find_models(settings(), environment)
    first, second = asyncio.run(offered(found, settings(), environment))
    assert isinstance(first, Found)
    assert first.models == ("claude-a", "claude-b")
    assert listed.requests[0][0] == "/v1/models?limit=1000"
    assert isinstance(second, ModelError)
    assert KEY not in second.message


def test_opening_a_model_does_not_wait_for_the_library_that_asks(tmp_path):
    script = (
        "import sys; from hermes.app.models import open_model; "
        "from hermes.config.load import load; "
        "open_model('anthropic:claude-opus-5', load(environ={}), {'ANTHROPIC_API_KEY': 'x'}); "
        "sys.exit('httpx2' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=30, check=False).returncode == 0


def test_models_without_a_service_are_opened_by_their_own_names(tmp_path):
    file = tmp_path / "script.yaml"
    file.write_text("steps: [Hi]", encoding="utf-8")
    assert ask(open_model(f"scripted:{file}", settings(), {})).text == "Hi"
    assert open_model("hermes:builtin", settings(), {}).name == "hermes:builtin"
