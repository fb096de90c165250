import asyncio

from hermes.base.messages import Message
from hermes.llm.contract import ModelError, Reply, Request
from hermes.llm.scripted import Scripted, Step, call


async def main() -> None:
    model = Scripted(
        [
            call("directory_list", path="."),
            Step("There are three files.", fault="cut"),
            lambda request: f"You asked {len(request.messages)} thing.",
        ]
    )
    question = Request((Message("user", "What is here?"),))
    for _ in range(4):
        try:
            async for piece in model.ask(question):
                if isinstance(piece, Reply):
                    print(piece.text or piece.calls)
        except ModelError as error:
            print(error.trouble, "-", error)


asyncio.run(main())
