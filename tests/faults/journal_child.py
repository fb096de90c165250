"""Record calls until killed, saying after each one that it was acknowledged."""

import os
import sys
from pathlib import Path

from hermes.runtime.journal import Journal


def main(home, name):
    journal = Journal(Path(home) / "state.db")
    number = 0
    while True:
        number += 1
        call = f"{name}-{number}"
        asked = (call, "t", "python", "tool", {"n": number}, (), "allow", 1.0)
        if number % 5:
            journal.done((*asked, 0.1, "ok", None, 1))
            os.write(1, f"done {call}\n".encode())
            continue
        ticket = journal.intend(asked).result(20)
        os.write(1, f"intent {call}\n".encode())
        if number % 15:
            journal.conclude(ticket, (call, "ok", None, 0.1, 1)).result(20)
            os.write(1, f"outcome {call}\n".encode())


def finish(home, name, count):
    journal = Journal(Path(home) / "state.db")
    for number in range(count):
        journal.done(
            (
                f"{name}-{number}",
                "t",
                "p",
                "tool",
                {"n": number},
                (),
                "allow",
                1.0,
                0.1,
                "ok",
                None,
                1,
            )
        )
        if number % 20 == 0:
            call = f"{name}-effect-{number}"
            ticket = journal.intend((call, "t", "p", "tool", {}, (), "allow", 1.0)).result(20)
            journal.conclude(ticket, (call, "ok", None, 0.1, 1)).result(20)
    journal.close()


if __name__ == "__main__":
    if len(sys.argv) > 3:
        finish(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        main(sys.argv[1], sys.argv[2])
