import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.llm.dialects.deepseek import BAR, token
from hermes.llm.dialects.forms import UNREADABLE, Written
from hermes.llm.dialects.scanner import Said, Scanner, Thought

NAMES = {"look", "write", "wait"}
BEGIN, END = token("tool calls begin"), token("tool calls end")
CALL, SEP, STOP = token("tool call begin"), token("tool sep"), token("tool call end")
D = f"{BAR}DSML{BAR}"
LOOK = ("look", {"at": "here"})
LOOK_JSON = '{"name": "look", "arguments": {"at": "here"}}'


def read(text, cuts=()):
    """Return what is said, thought and called when a text comes in pieces."""
    scanner = Scanner(NAMES)
    places = [0, *sorted(cuts), len(text)]
    events = []
    for start, end in pairwise(places):
        events += scanner.feed(text[start:end])
    events += scanner.close()
    said = "".join(event.text for event in events if isinstance(event, Said))
    thought = "".join(event.text for event in events if isinstance(event, Thought))
    return said, thought, [tuple(event) for event in events if isinstance(event, Written)]


CALLS = {
    "hermes": (f"Hi.\n<tool_call>\n{LOOK_JSON}\n</tool_call>", "Hi.", [LOOK]),
    "two": (
        f"<tool_call>{LOOK_JSON}</tool_call>\n<tool_call>{LOOK_JSON}</tool_call>",
        "",
        [LOOK] * 2,
    ),
    "two in one": (f"<tool_call>{LOOK_JSON}\n{LOOK_JSON}</tool_call>", "", [LOOK] * 2),
    "list": (f"<tool_call>[{LOOK_JSON}, {LOOK_JSON}]</tool_call>", "", [LOOK] * 2),
    "text between": (
        f"One.\n<tool_call>{LOOK_JSON}</tool_call>\nTwo.\n<tool_call>{LOOK_JSON}</tool_call>\nThree.",
        "One.\n\nTwo.\n\nThree.",
        [LOOK] * 2,
    ),
    "never closed": (f"<tool_call>\n{LOOK_JSON}", "", [LOOK]),
    "closed by the next": (
        f"<tool_call>{LOOK_JSON}\n<tool_call>{LOOK_JSON}</tool_call>",
        "",
        [LOOK] * 2,
    ),
    "a brace too many": (f"<tool_call>{LOOK_JSON}}}\n</tool_call>", "", [LOOK]),
    "fence inside": (f"<tool_call>\n```json\n{LOOK_JSON}\n```\n</tool_call>", "", [LOOK]),
    "mark in a string": (
        '<tool_call>{"name": "look", "arguments": {"at": "</tool_call>"}}</tool_call>',
        "",
        [("look", {"at": "</tool_call>"})],
    ),
    "line breaks in a string": (
        '<tool_call>{"name": "look", "arguments": {"at": "a\nb"}}</tool_call>',
        "",
        [("look", {"at": "a\nb"})],
    ),
    "OpenAI's form": (
        '<tool_call>{"type": "function", "function": {"name": "look", "arguments": "{}"}}'
        "</tool_call>",
        "",
        [("look", "{}")],
    ),
    "Python's quotes": (
        "<tool_call>{'name': 'look', 'arguments': {'at': 'here'}}</tool_call>",
        "",
        [("look", "{'at': 'here'}")],
    ),
    "unescaped quotes": (
        '<tool_call>{"name": "look", "arguments": {"at": "the "inn" there"}}</tool_call>.',
        ".",
        [("look", '{"at": "the "inn" there"}')],
    ),
    "cut": ('<tool_call>{"name": "look", "arguments": {"at": "he', "", [("look", '{"at": "he')]),
    "no name": ('<tool_call>{"at": "here"}</tool_call>', "", [(UNREADABLE, '{"at": "here"}')]),
    "arguments beside the name": (
        '<tool_call>{"name": "look", "at": "here"}</tool_call>',
        "",
        [LOOK],
    ),
    "unknown tool": ('<tool_call>{"name": "fly"}</tool_call>', "", [("fly", {})]),
    "coder": (
        "<tool_call>\n<function=look>\n<parameter=at>\nhere\n</parameter>\n</function>\n</tool_call>",
        "",
        [LOOK],
    ),
    "coder, mark in a value": (
        "<tool_call>\n<function=look>\n<parameter=at>\na</parameter>\nb\n</parameter>\n"
        "<parameter=deep>\n2\n</parameter>\n</function>\n</tool_call>ok",
        "ok",
        [("look", {"at": "a</parameter>\nb", "deep": "2"})],
    ),
    "coder without a tag": (
        "Go.\n<function=look>\n<parameter=at>\nhere\n</parameter>\n</function>\n</tool_call>",
        "Go.",
        [LOOK],
    ),
    "coder, cut": (
        "<tool_call>\n<function=look>\n<parameter=at>\nhe",
        "",
        [("look", "<parameter=at>\nhe")],
    ),
    "llama's function": ('<function=look>{"at": "here"}</function>', "", [LOOK]),
    "invoke": (
        '<function_calls><invoke name="look"><parameter name="at">here</parameter></invoke>'
        "</function_calls>",
        "",
        [LOOK],
    ),
    "deepseek 3.2": (
        f'<{D}function_calls>\n<{D}invoke name="look">\n<{D}parameter name="at" string="true">here'
        f"</{D}parameter>\n</{D}invoke>\n</{D}function_calls>",
        "",
        [LOOK],
    ),
    "glm": (
        "So:\n<tool_call>look\n<arg_key>at</arg_key>\n<arg_value>here</arg_value>\n</tool_call>",
        "So:",
        [LOOK],
    ),
    "glm without arguments": ("<tool_call>look\n</tool_call>", "", [("look", {})]),
    "glm, cut": (
        "<tool_call>look\n<arg_key>at</arg_key>\n<arg_value>he",
        "",
        [("look", "<arg_key>at</arg_key>\n<arg_value>he")],
    ),
    "llama": (
        '<|python_tag|>{"name": "look", "parameters": {"at": "here"}}; '
        '{"name": "wait", "parameters": {}}<|eom_id|>',
        "",
        [LOOK, ("wait", {})],
    ),
    "llama, bare": ('{"name": "look", "parameters": {"at": "here"}}', "", [LOOK]),
    "llama, two bare": (f"{LOOK_JSON}; {LOOK_JSON}", "", [LOOK] * 2),
    "llama, bare after text": (f"I look.\n{LOOK_JSON}\nThen.", "I look.\n\nThen.", [LOOK]),
    "llama, python": ('<|python_tag|>look.call(at="here")<|eom_id|>', "", [LOOK]),
    "llama, code": ("<|python_tag|>import os", "", [(UNREADABLE, "import os")]),
    "pythonic": (
        '[look(at="here"), wait(seconds=-2, why=[None, True, {"a": 1.5}])]',
        "",
        [LOOK, ("wait", {"seconds": -2, "why": [None, True, {"a": 1.5}]})],
    ),
    "pythonic, marked": ('<|python_start|>[look(at="here")]<|python_end|>', "", [LOOK]),
    "pythonic, by position": ('[look("here")]', "", [("look", "'here'")]),
    "mistral": (f"[TOOL_CALLS] [{LOOK_JSON}]</s>", "", [LOOK]),
    "mistral, newer": (
        'Yes.[TOOL_CALLS]look[ARGS]{"at": "here"}[TOOL_CALLS]wait[CALL_ID]a1[ARGS]{}',
        "Yes.",
        [LOOK, ("wait", {})],
    ),
    "mistral, cut": ('[TOOL_CALLS]look[ARGS]{"at": "he', "", [("look", '{"at": "he')]),
    "deepseek": (
        f'{BEGIN}{CALL}function{SEP}look\n```json\n{{"at": "here"}}\n```{STOP}\n'
        f"{CALL}function{SEP}wait\n```json\n{{}}\n```{STOP}{END}",
        "",
        [LOOK, ("wait", {})],
    ),
    "deepseek 3.1": (f'Ok.{BEGIN}{CALL}look{SEP}{{"at": "here"}}{STOP}{END}', "Ok.", [LOOK]),
    "deepseek, cut": (f'{BEGIN}{CALL}look{SEP}{{"at": "he', "", [("look", '{"at": "he')]),
    "kimi": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>"
        '{"at": "here"}<|tool_call_end|><|tool_calls_section_end|>',
        "",
        [LOOK],
    ),
    "harmony": (
        "<|channel|>commentary to=functions.look <|constrain|>json<|message|>"
        '{"at": "here"}<|call|>',
        "",
        [LOOK],
    ),
    "harmony, answer": ("<|channel|>final<|message|>Hello.<|return|>", "Hello.", []),
    "fence": (f"Let me:\n```json\n{LOOK_JSON}\n```", "Let me:", [LOOK]),
    "two fences": (f"```json\n{LOOK_JSON}\n```\n\n```\n{LOOK_JSON}\n```\n", "", [LOOK] * 2),
    "labelled fence": (f"```tool_call\n{LOOK_JSON}\n```\nThen.", "Then.", [LOOK]),
    "fence of Python": ('```tool_code\nprint(look(at="here"))\n```', "", [LOOK]),
}

TALK = {
    "words": "Wrap it in <tool_call> tags, please, and close with </tool_call>.",
    "backticks": f"Write `<tool_call>{LOOK_JSON}</tool_call>` to look.",
    "a fence": f"So:\n```xml\n<tool_call>{LOOK_JSON}</tool_call>\n```\nIs that clear?",
    "a last fence": f"So:\n```xml\n<tool_call>{LOOK_JSON}</tool_call>\n```",
    "an open fence": f"So:\n~~~\n<tool_call>{LOOK_JSON}</tool_call>\n",
    "fenced JSON with more to say": f"Such as:\n```json\n{LOOK_JSON}\n```\nis a call.",
    "fenced JSON of no tool": '```json\n{"name": "Ann", "arguments": {"age": 3}}\n```',
    "JSON": '{"name": "Ann", "age": 3}',
    "JSON about a tool": '{"name": "look", "version": 3}',
    "fenced JSON about a tool": '```json\n{"name": "look", "version": 3}\n```',
    "an empty tag": "<tool_call></tool_call> is empty",
    "a list": "[1, 2, 3] is a list, [look] too",
    "code": "if (a < b) { c[0] = d<e>; } // `x",
    "a link": "[look(up)](https://example.com)",
    "a special token": "The <|python_tag|> token comes first.",
    "blank": "  \n ",
    "spaces": "a\n\n  b  \n",
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_every_form_are_read(name):
    text, said, calls = CALLS[name]
    assert read(text) == (said, "", calls)


@pytest.mark.proves("text-call-talk")
@pytest.mark.parametrize("name", TALK)
def test_talk_about_calls_is_not_called(name):
    assert read(TALK[name]) == (TALK[name], "", [])


def test_thoughts_are_apart_and_call_nothing():
    text = f"<think>maybe <tool_call>{LOOK_JSON}</tool_call></think>\n\nNo."
    assert read(text) == ("No.", f"maybe <tool_call>{LOOK_JSON}</tool_call>", [])
    harmony = (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>A"
    )
    assert read(harmony) == ("A", "Hm.", [])


@pytest.mark.parametrize("name", [*CALLS, *TALK])
@given(data=st.data())
def test_any_cut_of_a_stream_reads_the_same(name, data):
    text = CALLS[name][0] if name in CALLS else TALK[name]
    cuts = data.draw(st.lists(st.integers(0, len(text))))
    assert read(text, cuts) == read(text)
    assert read(text, range(len(text))) == read(text)


def test_text_before_a_call_is_said_at_once_and_no_mark_is_shown():
    scanner = Scanner(NAMES)
    assert scanner.feed("Let me look. <tool") == [Said("Let me look.")]
    assert scanner.feed("_call>\n{") == []
    assert scanner.feed('"name": "look", "arguments": {}}') == []
    assert scanner.feed("</tool_call>") == [Written("look", {})]
    assert scanner.feed("\n") == []
    assert scanner.feed("So: a <b") == [Said(" \nSo: a <b")]
    assert scanner.close() == []


def test_words_that_turn_out_to_be_no_call_are_said_as_soon_as_that_is_clear():
    scanner = Scanner(NAMES)
    assert scanner.feed("The <tool_call>") == [Said("The")]
    assert scanner.feed(" tags are") == [Said(" <tool_call> tags are")]


MARKS = [
    "<tool_call>",
    "</tool_call>",
    "<function=look>",
    "<parameter=a>",
    "</parameter>",
    "</function>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "<|python_tag|>",
    "<|eom_id|>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "[CALL_ID]",
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
    "functions.look:0",
    "<|channel|>",
    "<|message|>",
    "<|start|>",
    "<|end|>",
    "<|call|>",
    "<think>",
    "</think>",
    "```",
    "`",
    "~~~",
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    "\\",
    '"arguments":',
    "look",
    "[look(",
    ")",
    "=",
    ",",
    ";",
    "<",
    "|",
    ">",
    "</invoke>",
]
MARKS += [BEGIN, CALL, SEP, STOP, END, "```json\n", "```tool_call\n", "\n", "\n", " ", LOOK_JSON]
MARKS += ['{"name": "look", "arguments": {', '<invoke name="look">', f'<{D}invoke name="look">']
WORDS = [f"w{number}x" for number in range(6)]
SOUP = st.lists(st.sampled_from([*MARKS, *WORDS, *WORDS]), max_size=24).map("".join)


@pytest.mark.proves("text-call-any-cut")
@given(SOUP, st.data())
def test_any_soup_of_marks_reads_the_same_however_it_is_cut(text, data):
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=8))
    whole = read(text)
    assert read(text, cuts) == whole
    assert read(text, range(len(text))) == whole


@pytest.mark.proves("text-call-no-loss")
@given(SOUP)
def test_no_word_is_lost(text):
    said, thought, calls = read(text)
    shown = said + thought + json.dumps(calls)
    for word in WORDS:
        assert shown.count(word) >= text.count(word), word


@given(st.text())
def test_text_without_marks_is_said_as_it_is(text):
    if not any(char in text for char in "<[{`~"):
        assert read(text) == (text, "", [])


@pytest.mark.parametrize(
    "part",
    [
        "[",
        '{"name":',
        '{"function":',
        "<tool_call>{",
        "<parameter=a>x</parameter>y",
        "<arg_key>a</arg_key><arg_value>",
        "</tool_call>",
        "[look(",
        f"```json\n{LOOK_JSON}\n```\n",
    ],
)
@pytest.mark.parametrize(
    "start", ["", "<tool_call>", '<tool_call>{"a": "', "<tool_call><function=f>"]
)
def test_a_thousand_of_anything_is_read(start, part):
    text = start + part * 1_000
    assert read(text, range(0, len(text), 50)) == read(text)


def test_values_that_are_nested_deeply_are_no_calls():
    text = f"<tool_call>{'[' * 400}{LOOK_JSON}{']' * 400}</tool_call>"
    assert read(text)[2][0][0] == UNREADABLE
