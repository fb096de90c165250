import tempfile
from pathlib import Path

from hermes.base.messages import Message, ToolCall
from hermes.services.sessions import Sessions

with tempfile.TemporaryDirectory() as home:
    sessions = Sessions(Path(home) / "state.db")
    session = sessions.start(title="The lamp", model="ollama:qwen3", workspace="/home/me")
    session.add(Message("user", "Please switch the lamp on."))
    call = ToolCall("call_1", "lamp", {"on": True})
    session.add(Message("assistant", calls=(call,)), usage={"input": 312, "output": 18})
    sessions.close()  # as if the process had been killed while the lamp was switched

    again = sessions.resume("the lamp")
    for message in again.messages():
        print(message.role, message.text or message.calls[0].name)
    print(again.facts().input, "tokens read")

    print(sessions.search("switch lamp").hits[0].snippet)
    other = sessions.fork(again.id, at=again.entries()[0].id)
    print(len(other.messages()), "message in", repr(other.facts().title))
    sessions.close()
