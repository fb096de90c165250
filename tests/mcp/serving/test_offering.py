import logging

import pytest
from tests.mcp.conftest import plain
from tests.mcp.serving.talk import LEVEL

from hermes.base.messages import Message
from hermes.mcp.serving.talking import McpClient
from hermes.mcp.serving.wire import INVALID_PARAMS, RESOURCE_NOT_FOUND
from hermes.runtime.context import ToolContext
from hermes.services.sessions import Sessions

ANSWER = {
    "type": "object",
    "properties": {"sum": {"type": "integer"}},
    "required": ["sum"],
}


def test_tools_have_titles_hints_and_the_schema_of_their_answers(talk, declare):
    @declare(effects="read", output_schema=ANSWER)
    async def add_up(left: int, right: int) -> dict:
        """Add two numbers."""
        return {"sum": left + right}

    @declare(title="Burn it", effects=("write", "network"), destructive=True, idempotent=True)
    async def burn() -> None:
        """Burn something."""

    client = talk()
    client.greet()
    add, burn_ = client.result("tools/list")["tools"]
    assert add["title"] == "Add up"
    assert add["outputSchema"] == ANSWER
    assert add["annotations"] == {"readOnlyHint": True, "openWorldHint": False}
    assert burn_["title"] == "Burn it"
    assert burn_["annotations"] == {
        "readOnlyHint": False,
        "openWorldHint": True,
        "destructiveHint": True,
        "idempotentHint": True,
    }
    found = client.result("tools/call", {"name": "add_up", "arguments": {"left": 1, "right": 2}})
    assert found["structuredContent"] == {"sum": 3}
    assert found["content"] == [{"type": "text", "text": '{"sum":3}'}]


def test_lists_come_in_pages(talk, declare):
    for number in range(5):
        declare(name=f"tool_{number}")(lambda: None)
    client = talk(page=2)
    client.greet()
    names, cursor = [], {}
    while True:
        found = client.result("tools/list", cursor)
        names += [tool["name"] for tool in found["tools"]]
        if "nextCursor" not in found:
            break
        cursor = {"cursor": found["nextCursor"]}
    assert names == [f"tool_{number}" for number in range(5)]


@pytest.mark.parametrize("cursor", ["nonsense", "", "LTE=", "OTk5OTk=", 3])
def test_a_cursor_that_is_none_of_ours_is_refused(talk, declare, cursor):
    declare(name="one")(lambda: None)
    client = talk()
    client.greet()
    assert client.error("tools/list", {"cursor": cursor})["code"] == INVALID_PARAMS


def test_a_tool_that_comes_while_a_client_is_there_is_told(talk, declare):
    client = talk()
    client.greet()
    assert client.result("tools/list")["tools"] == []
    declare(name="late")(lambda: "here")
    client.until("notifications/tools/list_changed")
    assert [tool["name"] for tool in client.result("tools/list")["tools"]] == ["late"]


def test_a_tool_file_that_is_dropped_in_is_told(talk, hermes_home):
    client = talk(registry=None, toolsets=["all"])
    client.greet()
    names = {tool["name"] for tool in client.result("tools/list")["tools"]}
    assert "say_hello" not in names
    (hermes_home / "tools").mkdir()
    (hermes_home / "tools" / "hello.yaml").write_text(
        "name: say_hello\ntype: command\ndescription: Say hello.\nargv: [echo, hello]\n"
    )
    client.until("notifications/tools/list_changed")
    names = {tool["name"] for tool in client.result("tools/list")["tools"]}
    assert "say_hello" in names


def test_a_modern_client_hears_of_what_it_listens_to_and_nothing_else(talk, declare):
    client = talk().be_modern()
    id = client.begin("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    first = client.hear()
    assert first["method"] == "notifications/subscriptions/acknowledged"
    meta = {"io.modelcontextprotocol/subscriptionId": id}
    assert first["params"] == {"notifications": {"toolsListChanged": True}, "_meta": meta}
    declare(name="late")(lambda: "here")
    assert client.until("notifications/tools/list_changed")["params"] == {"_meta": meta}
    client.tell("notifications/cancelled", {"requestId": id})
    declare(name="later")(lambda: "here")
    assert client.result("server/discover")["resultType"] == "complete"
    assert client.others == []


def test_listening_to_nothing_that_can_be_read_is_refused(talk):
    client = talk().be_modern()
    assert client.error("subscriptions/listen", {})["code"] == INVALID_PARAMS


@pytest.fixture
def session(hermes_home):
    sessions = Sessions(hermes_home / "state.db")
    begun = sessions.start(title="Paint the fence")
    begun.add(Message("user", "Which colour?"))
    sessions.close()
    return begun.id


@pytest.fixture
def library(talk, session):
    client = talk(registry=None, toolsets=["session_search"])
    client.greet()
    return client


def test_conversations_can_be_listed_and_read(library, session):
    (found,) = library.result("resources/list")["resources"]
    assert found["uri"] == f"hermes://sessions/{session}"
    assert found["title"] == "Paint the fence"
    (held,) = library.result("resources/read", {"uri": found["uri"]})["contents"]
    assert held["mimeType"] == "text/markdown"
    assert "Which colour?" in held["text"]
    (template,) = library.result("resources/templates/list")["resourceTemplates"]
    assert template["uriTemplate"] == "hermes://sessions/{session}"


def test_conversations_are_not_served_without_their_tool(talk, session, declare):
    client = talk()
    found = client.greet()
    assert "prompts" not in found["capabilities"]
    assert client.result("resources/list")["resources"] == []
    read = {"uri": f"hermes://sessions/{session}"}
    assert client.error("resources/read", read)["code"] == RESOURCE_NOT_FOUND


def test_an_unknown_resource_is_told_in_the_words_of_the_era(talk):
    params = {"uri": "hermes://results/none"}
    modern = talk().be_modern()
    assert modern.error("resources/read", params) == {
        "code": INVALID_PARAMS,
        "message": "Resource not found: hermes://results/none",
        "data": {"uri": "hermes://results/none"},
    }


def test_a_conversation_is_a_prompt_to_go_on_with(library, session):
    (prompt,) = library.result("prompts/list")["prompts"]
    assert prompt["name"] == "resume"
    found = library.result("prompts/get", {"name": "resume", "arguments": {"session": session}})
    assert "Which colour?" in found["messages"][0]["content"]["resource"]["text"]
    for wrong in (
        {"name": "resume"},
        {"name": "resume", "arguments": {"session": "no such"}},
        {"name": "none"},
        {"name": "resume", "arguments": {"session": 3}},
    ):
        assert library.error("prompts/get", wrong)["code"] == INVALID_PARAMS


@pytest.mark.parametrize(
    "ref",
    [
        {"type": "ref/prompt", "name": "resume"},
        {"type": "ref/resource", "uri": "hermes://sessions/{session}"},
    ],
)
def test_ids_of_conversations_are_completed(library, session, ref):
    argument = {"name": "session", "value": session[:2]}
    found = library.result("completion/complete", {"ref": ref, "argument": argument})
    assert found == {"completion": {"values": [session], "total": 1, "hasMore": False}}


def test_a_completion_of_nothing_is_refused(library):
    wrong = {"ref": {"type": "ref/else"}, "argument": {"name": "a", "value": ""}}
    assert library.error("completion/complete", wrong)["code"] == INVALID_PARAMS


def test_a_subscribed_conversation_that_goes_on_is_told(library, session, hermes_home):
    uri = f"hermes://sessions/{session}"
    assert library.result("resources/subscribe", {"uri": uri}) == {}
    sessions = Sessions(hermes_home / "state.db")
    sessions.resume(session).add(Message("assistant", "Red."))
    sessions.close()
    assert library.until("notifications/resources/updated")["params"] == {"uri": uri}
    assert library.result("resources/unsubscribe", {"uri": uri}) == {}


def test_no_client_subscribes_to_more_than_can_be_looked_at(talk):
    client = talk()
    client.greet()
    for number in range(200):
        client.result("resources/subscribe", {"uri": f"a://{number}"})
    assert client.error("resources/subscribe", {"uri": "a://more"})["code"] == INVALID_PARAMS
    modern = talk().be_modern()
    uris = [f"a://{number}" for number in range(201)]
    wanted = {"notifications": {"resourceSubscriptions": uris}}
    assert modern.error("subscriptions/listen", wanted)["code"] == INVALID_PARAMS


def test_progress_in_numbers_only_ever_grows(talk, declare):
    @declare
    async def steps(ctx: ToolContext) -> str:
        """Tell of steps, some of them back."""
        for done in (0, 2, 1, 2, 3):
            ctx.use(McpClient).progress(ctx, done, 3)
        ctx.progress("more")
        return "done"

    client = talk()
    client.greet()
    client.result("tools/call", {"name": "steps", "_meta": {"progressToken": 7}})
    assert [one["params"]["progress"] for one in client.others] == [0, 2, 3, 4]


def test_a_long_answer_is_cut_and_can_be_read_as_a_whole(talk, declare):
    @declare(max_result_size_chars=2_000)
    async def much() -> str:
        """Say much."""
        return "\n".join(f"line {number}" for number in range(2_000))

    client = talk()
    client.greet()
    found = client.result("tools/call", {"name": "much"})
    link = found["content"][-1]
    assert link["type"] == "resource_link"
    (held,) = client.result("resources/read", {"uri": link["uri"]})["contents"]
    assert held["text"].endswith("line 1999")
    listed = client.result("resources/list")["resources"]
    assert [one["uri"] for one in listed] == [link["uri"]]


def test_results_of_others_and_other_files_cannot_be_read(talk, hermes_home):
    (hermes_home / "results").mkdir()
    (hermes_home / "results" / "other-1.txt").write_text("theirs")
    (hermes_home / "secret.txt").write_text("secret")
    client = talk()
    client.greet()
    for name in ("other-1.txt", "../secret.txt", "..%2Fsecret.txt", ""):
        uri = f"hermes://results/{name}"
        assert client.error("resources/read", {"uri": uri})["code"] == RESOURCE_NOT_FOUND


def test_skills_are_resources_and_prompts(talk, hermes_home):
    folder = hermes_home / "skills" / "paint"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: paint\ndescription: How to paint.\n---\nSlowly.")
    client = talk()
    client.greet()
    (skill,) = client.result("resources/list")["resources"]
    assert skill["description"] == "How to paint."
    (held,) = client.result("resources/read", {"uri": skill["uri"]})["contents"]
    assert held["text"].endswith("Slowly.")
    (prompt,) = client.result("prompts/list")["prompts"]
    assert prompt["name"] == "paint"
    got = client.result("prompts/get", {"name": "paint", "arguments": {"task": "The fence."}})
    assert got["messages"][0]["content"]["text"].endswith("Slowly.\n\nThe fence.")


@pytest.fixture
def noisy(declare):
    @declare
    async def noisy(ctx: ToolContext) -> str:
        """Log something."""
        logging.getLogger("hermes.test").warning("the lamp flickers")
        ctx.use(McpClient).log(ctx, "debug", {"volts": 3}, logger="lamp")
        return "done"


def logged(client):
    return [m["params"] for m in client.others if m["method"] == "notifications/message"]


def test_a_client_hears_what_is_logged_from_the_level_that_it_wants(talk, noisy):
    client = talk()
    client.greet()
    assert client.result("logging/setLevel", {"level": "debug"}) == {}
    client.result("tools/call", {"name": "noisy"})
    assert logged(client) == [
        {"level": "warning", "data": "the lamp flickers", "logger": "hermes.test"},
        {"level": "debug", "data": {"volts": 3}, "logger": "lamp"},
    ]
    client.others.clear()
    client.result("logging/setLevel", {"level": "error"})
    client.result("tools/call", {"name": "noisy"})
    assert logged(client) == []
    assert client.error("logging/setLevel", {"level": "loud"})["code"] == INVALID_PARAMS


def test_a_modern_client_hears_what_is_logged_only_when_it_asks_to(talk, noisy):
    client = talk().be_modern()
    client.result("tools/call", {"name": "noisy"})
    assert logged(client) == []
    client.result("tools/call", {"name": "noisy", "_meta": {LEVEL: "warning"}})
    assert [one["data"] for one in logged(client)] == ["the lamp flickers"]


def test_calls_are_in_the_journal_as_coming_from_a_client(talk, declare):
    @declare
    async def act() -> str:
        """Act."""
        return "done"

    client = talk()
    client.greet()
    client.result("tools/call", {"name": "act"})
    journal = client.served.runtime.journal
    journal.flush()
    (entry,) = journal.entries()
    assert (entry.tool, entry.door) == ("act", "mcp")


def test_tools_of_an_mcp_server_are_served_on_and_told_when_they_come(talk):
    client = talk(config={"mcp_servers": {"plain": plain()}})
    client.greet()
    call = {"name": "mcp__plain__echo", "arguments": {"text": "hi"}}
    found = client.result("tools/call", call)
    assert found["structuredContent"]["result"] == "hi"
    assert "MCP server plain" in found["content"][0]["text"]
    client.until("notifications/tools/list_changed")
    titles = {tool["name"]: tool["title"] for tool in client.result("tools/list")["tools"]}
    assert titles["mcp__plain__echo"] == "Echo"
