import json

import pytest

from hermes.base.messages import Message, ToolCall
from hermes.cli import main
from hermes.cli.completion import candidates
from hermes.services.sessions import Sessions


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.delenv("HERMES_DEBUG", raising=False)
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def lamp(home):
    """A session with a call, kept in the home folder."""
    sessions = Sessions(home / "state.db")
    session = sessions.start(title="The lamp", model="a:b", workspace="/w", system="Be kind.")
    session.add(Message("user", "Is the lamp\ton? \x1b[31m数据库"))
    session.add(
        Message("assistant", calls=(ToolCall("1", "look", {"at": "lamp"}),), reasoning="Hm."),
        usage={"input": 7, "output": 3, "dollars": 0.5},
    )
    session.add(Message("tool", '{"on": true}', call_id="1", name="look"))
    session.add(Message("assistant", "It is `on`."))
    sessions.start(parent=session.id).add(Message("user", "child lamp"))
    sessions.close()
    return session


def run(capsys, *words):
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def told(capsys, *words):
    code, out, _ = run(capsys, *words, "--json")
    assert code == 0
    return json.loads(out)


def test_no_sessions_are_fine(capsys, home):
    assert run(capsys, "sessions", "list") == (0, "", "")
    assert run(capsys, "sessions", "search", "x") == (0, "", "")
    assert told(capsys, "sessions", "list") == []
    assert run(capsys, "sessions", "show")[0] == 1
    assert run(capsys, "sessions", "export", "--all") == (0, "", "")
    assert not home.exists()


def test_sessions_are_listed(capsys, lamp):
    (found,) = told(capsys, "sessions", "list")
    assert (found["id"], found["title"], found["messages"]) == (lamp.id, "The lamp", 4)
    assert found["tokens"] == {"input": 7, "output": 3, "cached": 0, "reasoning": 0}
    assert found["dollars"] == 0.5
    assert len(told(capsys, "sessions", "list", "--children")) == 2
    assert told(capsys, "sessions", "list", "zebra") == []
    assert told(capsys, "sessions", "list", "--here") == []
    assert told(capsys, "sessions", "list", "--offset", "1") == []
    fields = run(capsys, "sessions", "list")[1].split("\t")
    assert (fields[0], fields[3], fields[5]) == (lamp.id, "The lamp", "0.500000")


def test_a_session_is_shown_and_does_nothing_to_the_terminal(capsys, lamp):
    shown = told(capsys, "sessions", "show", lamp.id[:6])
    assert [each["role"] for each in shown["conversation"]] == [
        "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert len(told(capsys, "sessions", "show", "The lamp", "--last", "1")["conversation"]) == 1
    code, out, _ = run(capsys, "sessions", "show", lamp.id)
    assert code == 0
    assert "\x1b" not in out
    assert '→ look {"at":"lamp"}' in out
    assert "It is `on`." in out


def test_the_last_session_is_shown_without_a_name(capsys, lamp):
    assert told(capsys, "sessions", "show")["id"] == lamp.id


def test_what_was_said_is_found(capsys, lamp):
    found = told(capsys, "sessions", "search", "is", "the", "lamp")
    assert [hit["session"]["id"] for hit in found["hits"]] == [lamp.id]
    assert ">>>lamp<<<" in found["hits"][0]["snippet"]
    assert told(capsys, "sessions", "search", "数据")["hits"]
    assert told(capsys, "sessions", "search", "lamp", "--role", "tool")["hits"] == []
    assert len(told(capsys, "sessions", "search", "lamp", "--children")["hits"]) == 2
    assert run(capsys, "sessions", "search", "lamp")[1].startswith(f"{lamp.id}\t")


def test_an_export_is_kept_again(capsys, lamp, tmp_path):
    path = tmp_path / "backup.jsonl"
    written = told(capsys, "sessions", "export", lamp.id, "-o", str(path))
    assert written == {"sessions": [lamp.id], "format": "jsonl", "path": str(path)}
    (again,) = told(capsys, "sessions", "import", str(path))
    assert (again["title"], again["messages"], again["dollars"]) == ("The lamp", 4, 0.5)
    assert again["id"] != lamp.id
    lines = run(capsys, "sessions", "export", lamp.id)[1].splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["session", *["message"] * 4]
    assert len(told(capsys, "sessions", "export", "--all")["sessions"]) == 3


def test_a_broken_export_keeps_nothing(capsys, lamp, tmp_path):
    path = tmp_path / "broken.jsonl"
    path.write_text('{"type":"session","title":"x"}\n{"role":"robot","text":""}\n')
    code, _, err = run(capsys, "sessions", "import", str(path))
    assert code == 1
    assert "line 2" in err
    assert len(told(capsys, "sessions", "list")) == 1
    assert lamp


def test_trajectories_have_every_turn(capsys, lamp):
    out = run(capsys, "sessions", "export", lamp.id, "--format", "sharegpt")[1]
    turns = json.loads(out)["conversations"]
    assert [turn["from"] for turn in turns] == ["system", "human", "gpt", "tool", "gpt"]
    assert turns[2]["value"] == (
        '<think>\nHm.\n</think>\n<tool_call>\n{"name":"look","arguments":{"at":"lamp"}}\n</tool_call>'
    )
    assert turns[3]["value"] == (
        '<tool_response>\n{"tool_call_id":"1","name":"look","content":{"on":true}}\n</tool_response>'
    )


def test_markdown_reads_well(capsys, lamp):
    out = run(capsys, "sessions", "export", lamp.id, "--format", "markdown")[1]
    assert out.startswith("# The lamp\n")
    assert "## Tool `look`\n\n```json\n" in out
    assert "Calls `look`:" in out


def test_a_session_is_renamed_forked_and_deleted(capsys, lamp):
    assert told(capsys, "sessions", "rename", lamp.id, "A", "torch")["title"] == "A torch"
    fork = told(capsys, "sessions", "fork", "A torch")
    assert (fork["kind"], fork["parent"], fork["messages"]) == ("fork", lamp.id, 4)
    first = told(capsys, "sessions", "show", lamp.id)["conversation"][0]["id"]
    assert told(capsys, "sessions", "fork", lamp.id, "--at", str(first))["messages"] == 1
    code, _, err = run(capsys, "sessions", "delete", lamp.id)
    assert code == 2
    assert "--yes" in err
    gone = told(capsys, "sessions", "delete", lamp.id, "--yes")["deleted"]
    assert len(gone) == 2
    assert [each["kind"] for each in told(capsys, "sessions", "list")] == ["fork", "fork"]


def test_an_unknown_session_is_told(capsys, lamp):
    for command in ("show", "export", "fork"):
        code, out, err = run(capsys, "sessions", command, "zebra")
        assert (code, out) == (1, "")
        assert "no session is called 'zebra'" in err
    assert run(capsys, "sessions", "export")[0] == 2
    assert lamp


def test_ids_are_completed(lamp):
    assert (lamp.id, "The lamp") in set(candidates(["sessions", "show", lamp.id[:2]]))
