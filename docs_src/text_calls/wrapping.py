import asyncio

from hermes.base.messages import Message
from hermes.llm.contract import CallPiece, Request, TextPiece
from hermes.llm.dialects.text_model import TextModel
from hermes.llm.scripted import Scripted

LOOK = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look at a place.",
        "parameters": {"type": "object", "properties": {"at": {"type": "string"}}},
    },
}
WRITES = "<tool_call>look\n<arg_key>at</arg_key>\n<arg_value>home</arg_value>\n</tool_call>"


async def main() -> None:
    inner = Scripted([f"Let me see. {WRITES}"], name="vllm:zai-org/GLM-4.5-Air")
    model = TextModel(inner)  # the name of the model chooses the dialect "glm"
    async for piece in model.ask(Request((Message("user", "Who is home?"),), (LOOK,))):
        if isinstance(piece, TextPiece | CallPiece):
            print(piece)
    print(inner.requests[0].messages[0].text)


asyncio.run(main())
