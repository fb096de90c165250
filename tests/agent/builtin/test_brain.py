"""What the built-in model does with answers, doubt and missing tools."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.agent.builtin.brain import Brain
from hermes.agent.builtin.conversation import Conversation
from hermes.agent.builtin.said import Past
from hermes.agent.builtin.steps import Answer, Hands
from hermes.base.messages import Message


def test_an_answer_is_made_from_what_the_tool_found(ask):
    said = ask("list the python files here", {"files": ["a.py", "b.py"], "total": 2})
    assert said.text.startswith("2 files:\n- a.py\n- b.py")
    assert not said.calls


def test_the_first_answer_says_what_it_is_and_later_ones_do_not(ask):
    first = ask("where am i", {"exit_code": 0, "stdout": "/home/ann\n"})
    assert "offline demo brain" in first.text
    before = [Message("user", "hello"), Message("assistant", "Hello.")]
    later = ask("where am i", {"exit_code": 0, "stdout": "/home/ann\n"}, before=before)
    assert later.text == "In /home/ann."


def test_an_error_is_told_with_its_hint(ask):
    error = {"error": "curl is not allowed", "code": "denied", "hint": "Allow it."}
    said = ask("ping example.org", error)
    assert said.text.startswith("That was not allowed: curl is not allowed. Allow it.")


def test_tests_are_run_with_the_runner_of_the_project(ask):
    seen = {"tree": "Cargo.toml  20 B\nsrc/", "files": 1, "folders": 1}
    assert ask("run the tests", seen).calls[0].arguments["command"] == "cargo test"
    seen = {"tree": "package.json  20 B", "files": 1, "folders": 0}
    assert ask("run the tests", seen).calls[0].arguments["command"] == "npm test"


def test_a_project_of_no_known_kind_is_said_so(ask):
    seen = {"tree": "photo.png  20 B", "files": 1, "folders": 0}
    said = ask("run the tests", seen)
    assert not said.calls
    assert "I do not see how" in said.text


def test_headings_are_taken_out_of_a_fetched_page(ask):
    page = "<html><h1>Top</h1><p>words</p><h2>Below <b>it</b></h2><script>h1</script></html>"
    answer = {"exit_code": 0, "stdout": page}
    said = ask("fetch https://example.com and give me the headings", answer)
    assert "- Top\n- Below it" in said.text


def test_a_file_that_is_not_there_is_looked_for(ask):
    gone = {"error": "no such file", "code": "not_found"}
    found = {"files": ["docs/guide.md"], "total": 1}
    said = ask("read guide.md", gone, found)
    assert said.calls[0].arguments["path"] == "docs/guide.md"


def test_a_bare_name_that_lies_elsewhere_is_used_from_there(ask):
    gone = {"exit_code": 1, "stdout": "", "stderr": "wc: cart.py: No such file or directory"}
    found = {"files": ["src/shop/cart.py"], "total": 1}
    said = ask("how many lines does cart.py have?", gone, found)
    assert said.calls[0].arguments == {"command": "wc -l src/shop/cart.py"}
    several = {"files": ["a/cart.py", "b/cart.py"], "total": 2}
    assert not ask("how many lines does cart.py have?", gone, several).calls


def test_a_bare_name_that_lies_elsewhere_is_not_deleted_there(ask):
    gone = {"exit_code": 1, "stdout": "", "stderr": "rm: cart.py: No such file or directory"}
    said = ask("delete cart.py", gone)
    assert not said.calls
    assert "No such file" in said.text


def test_pages_that_cannot_be_read_are_said_so(ask):
    page = {"url": "https://example.com", "error": "it cannot be reached", "hint": "Check it."}
    said = ask("fetch https://example.com", {"pages": [page], "failed": 1})
    assert said.text.startswith("it cannot be reached. Check it.")


def test_what_is_missing_is_asked_and_the_answer_used(ask):
    asked = ask("who changed this file last")
    assert asked.calls[0].name == "clarify"
    after = ask("who changed this file last", {"answer": "src/a.py"})
    assert after.calls[0].arguments["command"].endswith("-- src/a.py")


def test_nobody_to_ask_means_nothing_is_done(ask):
    said = ask("delete everything", {"error": "nobody is there to ask"})
    assert not said.calls
    assert "did nothing" in said.text


def test_without_clarify_the_question_is_the_answer(ask):
    said = ask("who changed this file last", offered=["terminal"])
    assert said.text.startswith("Which file do you mean?")


def test_a_missing_tool_is_replaced_by_a_command_or_said_plainly(ask):
    said = ask("read README.md", offered=["terminal"])
    assert said.calls[0].arguments["command"] == "cat README.md"
    said = ask("remember that I prefer tabs", offered=["terminal"])
    assert "`memory`, which is not on offer" in said.text


def test_steps_joined_by_then_are_done_in_order(ask):
    text = "create a file x.txt with hi and then read it"
    first = ask(text).calls[0]
    assert (first.name, first.arguments["content"]) == ("write_file", "hi\n")
    second = ask(text, {"path": "x.txt", "bytes": 3, "created": True}).calls[0]
    assert (second.name, second.arguments) == ("read_file", {"path": "x.txt"})


def test_a_step_that_fails_ends_the_rest(ask):
    text = "create a file x.txt with hi and then read it"
    assert not ask(text, {"error": "no", "code": "denied"}).calls


def test_values_are_quoted_for_the_shell(ask):
    said = ask("delete '; rm -rf ~'")
    assert said.calls[0].arguments["command"] == "rm '; rm -rf ~'"
    said = ask("create a branch called $(reboot)", offered=["terminal", "clarify"])
    assert all("$(reboot)" not in c.arguments.get("command", "") for c in said.calls)


@pytest.mark.proves("builtin-careful")
@pytest.mark.parametrize(
    "text", ["delete everything", "clean up", "wipe it", "get rid of the files"]
)
def test_vague_destruction_is_asked_about(ask, text):
    calls = ask(text).calls
    assert [call.name for call in calls] in ([], ["clarify"])


@pytest.mark.proves("builtin-careful")
def test_a_bare_word_is_deleted_only_if_it_is_there(ask):
    assert ask("remove the junk").calls[0].name == "directory_list"
    here = {"tree": "junk/\nREADME.md  3 B", "files": 1, "folders": 1}
    assert ask("remove the junk", here).calls[0].arguments["command"] == "rm -r junk/"
    assert ask("remove the rest", here).calls[0].name == "clarify"


def test_any_tool_is_chosen_by_its_words_and_filled_by_types(ask):
    weather = {
        "name": "get_weather",
        "description": "Return the weather forecast of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    }
    hands = Hands(({"type": "function", "function": weather},))
    talk = Conversation("forecast for Lima", (), Past(), is_first=False)
    call = Brain().decide(talk, hands).call
    assert call == ("get_weather", {"city": "Lima"})


ANSWERS = st.dictionaries(
    st.sampled_from(["error", "files", "total", "stdout", "matches", "todos", "content", "answer"]),
    st.one_of(st.none(), st.integers(), st.text(max_size=9), st.lists(st.text(max_size=5))),
)
BRAIN = Brain()


@pytest.mark.proves("builtin-ends")
@given(
    st.one_of(
        st.text(max_size=60),
        st.sampled_from(["run the tests", "read a.md", "mark x as done", "find a.b and show it"]),
    ),
    st.lists(ANSWERS, min_size=8, max_size=8),
)
def test_every_turn_ends_whatever_is_said_and_answered(text, answers):
    names = ("terminal", "search_files", "read_file", "directory_list", "todo", "clarify")
    hands = Hands(tuple({"name": name, "parameters": {}} for name in names))
    given_back = tuple(Answer("tool", value) for value in answers)
    decision = BRAIN.decide(Conversation(text, given_back, Past(), is_first=True), hands)
    assert decision.call is None
    assert decision.text


def test_the_arguments_of_a_call_are_json(ask):
    call = ask("make a todo list: buy milk, call mom").calls[0]
    assert json.loads(json.dumps(call.arguments))["todos"][1]["content"] == "call mom"


@pytest.mark.timeout(5)
@pytest.mark.parametrize("part", ["x. then y; ", "a with ", "a ", "1 2 ", "the the to ", "'", "a/"])
def test_a_long_request_is_answered_soon(ask, part):
    assert ask(f"find {part * 400}")
