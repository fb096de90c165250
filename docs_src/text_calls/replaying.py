import asyncio
import tempfile
from pathlib import Path

from hermes.base.messages import Message
from hermes.llm.contract import ModelError, Reply, Request
from hermes.llm.scripted import Scripted

SCRIPT = """
steps:
  - expects: {said: What is here}
    text: I list the folder.
    calls:
      - {name: directory_list, arguments: {path: .}}
  - error: {trouble: limit, message: too many questions, wait_seconds: 1}
  - There are three files.
"""


def scripted() -> Scripted:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "tour.yaml")
        file.write_text(SCRIPT)
        return Scripted.from_file(file)


async def main() -> None:
    model = scripted()
    for _ in range(3):
        try:
            async for piece in model.ask(Request((Message("user", "What is here?"),))):
                if isinstance(piece, Reply):
                    print(piece.text, *piece.calls)
        except ModelError as error:
            print(error.trouble, error.wait_seconds)


asyncio.run(main())
