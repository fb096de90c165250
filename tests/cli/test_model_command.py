import json

import pytest
from tests.llm import wire
from tests.llm.loopback import Service, whole

from hermes.cli import main

KEY = "sk-test-5f2c9a7e1b3d4860"
CALL = ("a", "read_file", '{"path": "notes.txt"}')


@pytest.fixture
def run(capsys):
    def call(*words):
        code = main(("model", *words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def service(monkeypatch):
    started = Service(whole({"models": []}))
    monkeypatch.setenv("OLLAMA_HOST", started.url)
    monkeypatch.setenv("HERMES_MODEL_WINDOW", "8192")
    yield started
    started.close()


def test_set_writes_the_name_and_says_what_is_missing(run, hermes_home):
    code, out, err = run("set", "claude-opus-5-5", "--json")
    assert (code, json.loads(out)["value"]) == (0, "anthropic:claude-opus-5-5")
    assert "ANTHROPIC_API_KEY is not set" in err
    assert "anthropic:claude-opus-5-5" in (hermes_home / "config.yaml").read_text("utf-8")


def test_set_refuses_what_nobody_has(run, hermes_home):
    code, out, err = run("set", "antropic:x")
    assert (code, out) == (2, "")
    assert "Did you mean 'anthropic'?" in err
    assert not (hermes_home / "config.yaml").exists()


def test_list_names_the_chosen_one_and_never_a_key(run, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    run("set", "openai:gpt-6-sol")
    code, out, _ = run("list", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert code == 0
    assert rows["openai:gpt-6-sol"]["chosen"]
    assert rows["anthropic:claude-sonnet-5-5"]["source"] == "ANTHROPIC_API_KEY"
    assert rows["anthropic:claude-sonnet-5-5"]["price"] == {"input": 2, "output": 10}
    assert "hermes:builtin" in rows
    assert KEY not in out
    assert KEY not in run("list")[1]


def test_list_all_asks_the_servers(run, service):
    service.answers = [whole({"data": [{"id": "qwen3"}, {"id": "phi4"}]})]
    code, out, err = run("list", "--all", "--json")
    names = [row["name"] for row in json.loads(out)]
    assert (code, err) == (0, "")
    assert {"ollama:qwen3", "ollama:phi4"} <= set(names)


@pytest.mark.parametrize(
    ("answer", "code", "calls"),
    [(wire.chat(calls=[CALL]), 0, True), (wire.chat("I cannot."), 1, False)],
)
def test_test_asks_for_a_call(run, service, answer, code, calls):
    service.answers = [answer]
    ended, out, _ = run("test", "ollama:x", "--json")
    told = json.loads(out)
    assert (ended, told["calls_tools"], told["name"]) == (code, calls, "ollama:x")
    assert told["usage"]["input"] == 100
    assert "ollama:x" in run("test", "ollama:x")[1]


def test_the_built_in_model_passes_its_trial(run):
    code, out, _ = run("test", "hermes:builtin", "--json")
    assert (code, json.loads(out)["calls_tools"]) == (0, True)


def test_a_model_that_fails_is_told_in_words_without_the_key(run, service, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", service.url)
    service.answers = [whole({"error": {"message": f"Incorrect API key: {KEY}"}}, 401)]
    code, out, err = run("test", "openai:gpt-4.1")
    assert (code, out) == (1, "")
    assert "401" in err
    assert KEY not in err
    code, out, _ = run("test", "openai:gpt-4.1", "--json")
    assert (code, json.loads(out)["code"]) == (1, "model_error")
