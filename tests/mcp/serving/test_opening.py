import json
import os

import pytest
from tests.mcp.serving.talk import CAPABILITIES, VERSION

from hermes.mcp.serving.facts import Facts
from hermes.mcp.serving.opening import Opening

FACTS = Facts({"name": "test", "version": "1"}, has_resources=True)
TOOLS = [{"name": f"tool {number} é", "inputSchema": {"type": "object"}} for number in range(3)]
META = {VERSION: "2026-07-28", CAPABILITIES: {}}
GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "x", "version": "1"},
}


def line(method, params=None, id=None):
    message = {"jsonrpc": "2.0", "method": method}
    message |= {} if params is None else {"params": params}
    return json.dumps(message if id is None else {**message, "id": id}).encode() + b"\n"


def opened(*lines, facts=FACTS):
    """Return what came of some lines, and the answers to them."""
    given, sent = os.pipe()
    heard, taken = os.pipe()
    os.write(sent, b"".join(lines))
    os.close(sent)
    opening = Opening(facts, lambda: TOOLS, "task")
    opening.run(given, taken)
    os.close(taken)
    with os.fdopen(heard, "rb") as stream:
        answers = [json.loads(each) for each in stream]
    os.close(given)
    return opening, answers


def test_a_handshake_and_the_tools_are_answered_and_the_rest_is_left():
    more = line("tools/call", {"name": "x"}, id=3)
    opening, answers = opened(
        line("initialize", GREETING, id="a"),
        line("notifications/initialized"),
        line("tools/list", id=2),
        more,
    )
    assert [answer["id"] for answer in answers] == ["a", 2]
    assert answers[0]["result"]["protocolVersion"] == "2025-11-25"
    assert answers[1]["result"] == {"tools": TOOLS}
    assert opening.client.can("elicitation")
    assert (opening.is_modern, opening.is_initialized, opening.rest) == (False, True, more)


def test_the_modern_era_is_answered_in_its_words():
    opening, answers = opened(
        line("server/discover", {"_meta": META}, id=1), line("tools/list", {"_meta": META}, id=2)
    )
    assert answers[0]["result"]["supportedVersions"] == ["2026-07-28"]
    assert answers[1]["result"]["resultType"] == "complete"
    assert (opening.is_modern, opening.client, opening.rest) == (True, None, b"")


def test_tools_come_in_pages_from_the_beginning():
    _, answers = opened(
        line("initialize", GREETING, id=1), line("tools/list", id=2), facts=FACTS._replace(page=2)
    )
    assert len(answers[1]["result"]["tools"]) == 2
    assert "nextCursor" in answers[1]["result"]


@pytest.mark.parametrize(
    "first",
    [
        b"{not json\n",
        b"[]\n",
        b"\n",
        b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}\n',
        b'{"jsonrpc":"2.0","id":true,"method":"tools/list"}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}\n',
        b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}\n',
        line("tools/list", id=1),
        line("ping", id=1),
        line("notifications/initialized"),
        line("initialize", {"protocolVersion": 3}, id=1),
        line("server/discover", id=1),
        line("server/discover", {"_meta": {VERSION: "2030-01-01", CAPABILITIES: {}}}, id=1),
        line("tools/list", {"_meta": {VERSION: "2026-07-28"}}, id=1),
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list"',
    ],
)
def test_what_is_not_plain_is_left_for_who_goes_on(first):
    opening, answers = opened(first)
    assert answers == []
    assert opening.rest == first


def test_a_line_of_the_other_era_is_left():
    other = line("tools/list", {"_meta": META}, id=2)
    opening, answers = opened(line("initialize", GREETING, id=1), other)
    assert (len(answers), opening.rest) == (1, other)


def test_a_line_without_end_is_left_before_it_grows_large():
    given, sent = os.pipe()
    opening = Opening(FACTS, lambda: TOOLS, "task")
    import threading

    def flood():
        for _ in range(40):
            os.write(sent, b"x" * 65_536)
        os.close(sent)

    thread = threading.Thread(target=flood)
    thread.start()
    opening.run(given, given)
    assert 1_048_576 <= len(opening.rest) < 2_000_000
    while os.read(given, 1_000_000):
        pass
    thread.join()
    os.close(given)
