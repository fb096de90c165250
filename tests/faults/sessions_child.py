"""Hold conversations until killed, saying of each message that it was acknowledged."""

import os
import sys
from pathlib import Path

from hermes.base.messages import Message, ToolCall
from hermes.services.sessions import Sessions


def main(home, name):
    sessions = Sessions(Path(home) / "state.db")
    session = sessions.start(title=name)
    os.write(1, f"began {session.id}\n".encode())
    number = 0
    while True:
        number += 1
        call = ToolCall(f"{name}-{number}", "tool", {"n": number})
        for message in (
            Message("user", f"u {name} {number} 数据库"),
            Message("assistant", f"a {name} {number}", calls=(call,)),
            Message("tool", f"t {name} {number}", call_id=call.id),
        ):
            session.add(message)
            os.write(1, f"kept {message.text}\n".encode())
        if number % 7 == 0:
            session.compacted(Message("user", f"s {name} {number}"), keep_last=2)
        if number % 11 == 0:
            sessions.delete(sessions.fork(session.id).id)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
