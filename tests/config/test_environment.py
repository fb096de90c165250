from hermes.config.environment import editor, known_secrets, snapshot, wants_traces


def test_a_snapshot_is_a_copy(monkeypatch):
    monkeypatch.setenv("HERMES_X", "1")
    copy = snapshot()
    copy["HERMES_X"] = "2"
    assert snapshot()["HERMES_X"] == "1"


def test_secrets_are_known_by_their_names():
    environ = {"OPENAI_API_KEY": "sk-123456", "PATH": "/bin", "EMPTY_TOKEN": ""}
    assert known_secrets(environ) == {"OPENAI_API_KEY": "sk-123456"}


def test_switches_are_read_as_people_set_them():
    assert wants_traces({"HERMES_DEBUG": "1"})
    assert not wants_traces({"HERMES_DEBUG": "0"})
    assert not wants_traces({})
    assert editor({"EDITOR": "nano", "VISUAL": "code -w"}) == "code -w"
    assert editor({}) == "vi"
