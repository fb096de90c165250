import asyncio
import tempfile
from pathlib import Path

from hermes import Runtime
from hermes.app.models import open_model
from hermes.base.messages import Message
from hermes.llm.contract import Reply, Request, Retry, TextPiece

SCRIPT = "steps: [{text: It is noon., usage: {input: 12, output: 4}}]"


async def main(name):
    with Runtime() as runtime:
        model = open_model(name, runtime.settings, runtime.environment)
    try:
        async for piece in model.ask(Request((Message("user", "What time is it?"),))):
            match piece:
                case TextPiece(text):
                    print(text, end="")
                case Retry(why, wait_seconds):
                    print(f"\n[{why}; again in {wait_seconds:.1f} s]")
                case Reply():
                    print(f"\n{piece.usage.input} tokens in, {piece.usage.output} out")
    finally:
        await model.close()


with tempfile.TemporaryDirectory() as folder:
    script = Path(folder) / "noon.yaml"
    script.write_text(SCRIPT)
    asyncio.run(main(f"scripted:{script}"))  # or "anthropic:claude-sonnet-5-5", or None
