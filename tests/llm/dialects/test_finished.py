import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.messages import ToolCall
from hermes.llm.contract import Reply
from hermes.llm.dialects.deepseek import token
from hermes.llm.dialects.finished import calls_in, with_text_calls

NAMES = ["look", "write"]
LOOK = '{"name": "look", "arguments": {"at": "here"}}'


def found(text, names=NAMES):
    rest, calls = calls_in(text, names)
    return rest, [(call.name, call.arguments) for call in calls]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (f"Sure.\n<tool_call>{LOOK}</tool_call>", "Sure."),
        (
            f"<think>Hm <tool_call></think><tool_call>{LOOK}</tool_call>",
            "<think>Hm <tool_call></think>",
        ),
        (f"```json\n{LOOK}\n```", ""),
        (LOOK, ""),
        ('[look(at="here")]', ""),
        (f"[TOOL_CALLS][{LOOK}]", ""),
        (
            f"A{token('tool calls begin')}{token('tool call begin')}look{token('tool sep')}"
            f'{{"at": "here"}}{token("tool call end")}{token("tool calls end")}',
            "A",
        ),
    ],
)
def test_unmistakable_calls_are_taken_out(text, rest):
    assert found(text) == (rest, [("look", {"at": "here"})])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nothing here.",
        f"For example:\n```json\n{LOOK}\n```",
        f"For example: {LOOK}",
        f"Like this:\n{LOOK}\n",
        '<tool_call>{"name": "fly", "arguments": {}}</tool_call>',
        '<tool_call>{"at": "here"}</tool_call>',
        f"`<tool_call>{LOOK}</tool_call>`",
        f"<think><tool_call>{LOOK}</tool_call></think> no",
        "The <|end|> token, <|tool_call_end|> and [TOOL_CALLS] are marks. ",
        "<|channel|>analysis<|message|>x<|end|>",
    ],
)
def test_anything_else_stays_as_it_is(text):
    assert calls_in(text, NAMES) == (text, ())


def test_a_reply_with_calls_of_its_own_is_left_alone():
    reply = Reply(
        f"<tool_call>{LOOK}</tool_call>", calls=(ToolCall("a", "look", {}),), stop="calls"
    )
    assert with_text_calls(reply, NAMES) is reply


def test_a_reply_with_text_calls_gets_them():
    reply = with_text_calls(Reply(f"So. <tool_call>{LOOK}</tool_call>", reasoning="hm"), NAMES)
    assert (reply.text, reply.reasoning, reply.stop) == ("So.", "hm", "calls")
    assert [(one.name, one.arguments) for one in reply.calls] == [("look", {"at": "here"})]


def test_every_call_has_an_id_of_its_own():
    _, calls = calls_in(f"<tool_call>{LOOK}</tool_call>" * 3, NAMES)
    assert len({call.id for call in calls}) == 3


@given(st.text())
def test_without_tools_on_offer_every_text_stays(text):
    assert calls_in(text, ()) == (text, ())
