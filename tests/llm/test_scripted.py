import asyncio

import pytest

from hermes.base.errors import ConfigError
from hermes.base.messages import Message, ToolCall
from hermes.llm.contract import (
    CallPiece,
    ModelError,
    ReasoningPiece,
    Reply,
    Request,
    Retry,
    TextPiece,
    Usage,
)
from hermes.llm.scripted import Expected, Scripted, Step, call

OFFER = ({"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}},)
QUESTION = Request((Message("system", "Be kind."), Message("user", "What is here?")), OFFER)


async def collect(model, request=QUESTION):
    return [piece async for piece in model.ask(request)]


def pieces(model, request=QUESTION):
    return asyncio.run(collect(model, request))


def test_steps_are_answered_in_order_and_questions_kept():
    model = Scripted(["one two", Reply("all", reasoning="hm")])
    assert pieces(model) == [TextPiece("one"), TextPiece(" two"), Reply("one two")]
    assert pieces(model) == [ReasoningPiece("hm"), TextPiece("all"), Reply("all", "hm")]
    assert model.requests == [QUESTION, QUESTION]
    assert model.left == 0


def test_calls_get_ids_and_come_in_pieces():
    model = Scripted([[call("look", at="here"), ToolCall("mine", "look", {})], call("look")])
    found = pieces(model)
    first = ToolCall("call_1", "look", {"at": "here"})
    assert found[-1] == Reply(calls=(first, ToolCall("mine", "look", {})), stop="calls")
    written = [piece for piece in found if isinstance(piece, CallPiece) and piece.number == 0]
    assert "".join(piece.arguments for piece in written) == '{"at":"here"}'
    assert pieces(model)[-1].calls == (ToolCall("call_3", "look", {}),)


def test_pieces_together_are_the_text():
    text = "  Hello,\n\n world \t!\n"
    said = [piece.text for piece in pieces(Scripted([text])) if isinstance(piece, TextPiece)]
    assert "".join(said) == text


def test_a_function_chooses_the_answer():
    async def later(request):
        return request.messages[-1].text.upper()

    model = Scripted([lambda request: f"{len(request.messages)} messages", later])
    assert pieces(model)[-1] == Reply("2 messages")
    assert pieces(model)[-1] == Reply("WHAT IS HERE?")


def test_a_function_instead_of_steps_answers_every_question():
    model = Scripted(lambda request: "yes")
    assert [pieces(model)[-1].text for _ in range(3)] == ["yes"] * 3


def test_a_script_that_runs_out_says_so():
    with pytest.raises(ModelError, match="1 steps and was asked once more") as caught:
        model = Scripted(["only"])
        pieces(model)
        pieces(model)
    assert caught.value.trouble == "refused"


def test_an_error_is_raised():
    with pytest.raises(ModelError, match="slow down") as caught:
        pieces(Scripted([ModelError("slow down", trouble="limit", wait_seconds=3)]))
    assert caught.value.wait_seconds == 3


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (Expected(tools=("fly",)), "'fly' on offer"),
        (Expected(absent=("look",)), "'look' not on offer"),
        (Expected(said=("Where",)), "'Where' in the last message"),
        (Expected(system=("cruel",)), "'cruel' in the system prompt"),
        (Expected(messages=3), "3 messages instead of 2"),
    ],
)
def test_what_a_step_expects_is_checked(expected, said):
    model = Scripted([Step("fine", expected)])
    with pytest.raises(ModelError, match=f"step 1 expected {said}"):
        pieces(model)
    assert model.left == 1


def test_what_is_as_expected_is_answered():
    expected = Expected(("look",), ("fly",), ("here",), ("kind",), 2)
    assert pieces(Scripted([Step("fine", expected)]))[-1] == Reply("fine")


def test_a_cut_answer_ends_with_an_error():
    async def broken():
        found = []
        with pytest.raises(ModelError) as caught:
            async for piece in Scripted([Step("a b c d", fault="cut")]).ask(QUESTION):
                found.append(piece)
        return found, caught.value.trouble

    assert asyncio.run(broken()) == ([TextPiece("a"), TextPiece(" b")], "cut")


def test_a_stream_can_end_without_a_reply():
    assert pieces(Scripted([Step("a b c d", fault="ended")])) == [TextPiece("a"), TextPiece(" b")]


def test_an_answer_can_be_retried():
    found = pieces(Scripted([Step("a b", fault="retried")]))
    assert isinstance(found[1], Retry)
    assert found[2:] == [TextPiece("a"), TextPiece(" b"), Reply("a b")]


def test_arguments_can_be_malformed():
    found = pieces(Scripted([Step(call("look", at="here"), fault="malformed")]))
    assert found[-1].calls == (ToolCall("call_1", "look", '{"at":"here'),)


def test_a_function_may_choose_a_step_with_a_fault():
    found = pieces(Scripted(lambda request: Step("a b", fault="ended")))
    assert found == [TextPiece("a")]


def test_a_slow_answer_waits_before_and_after():
    waited = []

    async def sleep(seconds):
        waited.append(seconds)

    pieces(Scripted([Step("late", slow_seconds=9)], sleep=sleep))
    assert waited == [9, 9]


WRITTEN = """
name: scripted:demo
window: 4096
steps:
  - Hello.
  - reasoning: I must look.
    calls:
      - {name: look, arguments: {at: here}}
    usage: {input: 5, output: 2}
    expects: {tools: look, said: [What]}
  - error: {trouble: limit, message: too fast, wait_seconds: 2}
  - text: bye
    fault: ended
"""


def test_a_written_script_is_read(tmp_path):
    file = tmp_path / "demo.yaml"
    file.write_text(WRITTEN, encoding="utf-8")
    model = Scripted.from_file(file)
    assert (model.name, model.window, model.left) == ("scripted:demo", 4096, 4)
    assert pieces(model)[-1] == Reply("Hello.")
    asked = ToolCall("call_1", "look", {"at": "here"})
    assert pieces(model)[-1] == Reply("", "I must look.", (asked,), "calls", Usage(5, 2))
    with pytest.raises(ModelError, match="too fast") as caught:
        pieces(model)
    assert (caught.value.trouble, caught.value.wait_seconds) == ("limit", 2)
    assert pieces(model) == [TextPiece("bye")]


@pytest.mark.parametrize("kind", ["json", "jsonl"])
def test_a_recorded_conversation_is_replayed(tmp_path, kind):
    messages = [
        '{"role": "user", "content": "go"}',
        '{"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",'
        ' "function": {"name": "look", "arguments": "{}"}}]}',
        '{"role": "tool", "tool_call_id": "a", "content": "{}"}',
        '{"role": "assistant", "content": [{"type": "text", "text": "done"}]}',
    ]
    file = tmp_path / f"recorded.{kind}"
    file.write_text("\n".join(messages) if kind == "jsonl" else f"[{','.join(messages)}]")
    model = Scripted.from_file(file)
    assert model.name == f"scripted:recorded.{kind}"
    assert pieces(model)[-1] == Reply(calls=(ToolCall("a", "look", "{}"),), stop="calls")
    assert pieces(model)[-1] == Reply("done")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("steps: 3", "not a script"),
        ("steps: [7]", "step 1 is neither"),
        ("steps: [{txt: a}]", "step 1 has an unknown 'txt'"),
        ("steps: [{text: a, fault: lost}]", "step 1: 'lost' is none of cut"),
        ("steps: [{expects: {tool: a}}]", "step 1 expects an unknown 'tool'"),
        ("other: 1", "'messages' is missing"),
        ("", "neither steps nor messages"),
        ("a: [", "is not YAML"),
    ],
)
def test_a_file_that_is_no_script_is_refused(tmp_path, text, said):
    file = tmp_path / "bad.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        Scripted.from_file(file)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        Scripted.from_file(tmp_path / "none.json")
