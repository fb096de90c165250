import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.messages import Media, Message, ToolCall
from hermes.llm.counting import tokens_of

PROSE = (
    "Sure! I looked at the folder and found three files that mention the function. The first one is"
    " the most interesting, because it explains why the tests fail on slower machines. Would you"
    " like me to fix it now, or should I first write a test that shows the problem?"
)
CODE = """async def prepare(self, call, context):
    entry = self.registry.find(call.name)
    if entry is None:
        raise UnknownTool(f"no tool {call.name!r}", hint=did_you_mean(call.name, self.names))
    return await self.gate.admit(entry, bind(entry, call), context)
"""
JSON = (
    '{"files":[{"path":"src/app/main.py","size":10482,"kind":"file"},{"path":"src/app/routes.py",'
    '"size":2291,"kind":"file"},{"path":"tests/test_main.py","size":731,"kind":"file"}],'
    '"truncated":false}'
)
CHINESE = (
    "我看了一下这个文件夹\uff0c发现有三个文件提到了这个函数。第一个最有意思\uff0c因为它解释了为什么测试在较慢的"
    "机器上会失败。你想让我现在修复它\uff0c还是先写一个测试来说明问题\uff1f"
)


@pytest.mark.parametrize(
    ("text", "counted"),  # by the tokenizers of OpenAI (o200k), Llama 3 and DeepSeek V3
    [(PROSE, [56, 56, 56]), (CODE, [66, 66, 73]), (JSON, [57, 56, 61]), (CHINESE, [54, 56])],
)
def test_an_estimate_is_near_what_tokenizers_count(text, counted):
    for number in counted:
        assert abs(tokens_of(text) - number) <= 0.15 * number


def test_messages_cost_more_than_their_words():
    bare = Message("assistant", PROSE)
    called = bare._replace(calls=(ToolCall("a", "read_file", {"path": "main.py"}),))
    seen = called._replace(media=(Media("image", "image/png", "aaaa"),))
    heard = called._replace(media=(Media("audio", "audio/wav", "a" * 400_000),))
    assert tokens_of(PROSE) < tokens_of(bare) < tokens_of(called) < tokens_of(heard)
    assert tokens_of(seen) - tokens_of(called) > 500
    assert tokens_of((bare, called)) == tokens_of(bare) + tokens_of(called)


def test_definitions_are_counted_as_json():
    definition = {"type": "function", "function": {"name": "look", "parameters": {}}}
    assert tokens_of([definition, definition]) == 2 * tokens_of(definition) > 20


@given(st.text())
def test_any_text_has_a_count(text):
    count = tokens_of(text)
    assert (count == 0) == (not text)
    assert count <= 2 * len(text)
