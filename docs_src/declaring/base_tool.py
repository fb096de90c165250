import sqlite3

from hermes import Runtime
from hermes.tools import BaseTool, ToolContext, tool


@tool
class Notes(BaseTool):
    """Keep a note and say how many there are."""

    name = "keep_note"
    toolset = "notes"
    parameters = {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    }

    async def setup(self) -> None:
        print("opened")
        self.database = sqlite3.connect(":memory:")
        self.database.execute("CREATE TABLE notes (text)")

    async def run(self, params: dict, ctx: ToolContext) -> dict:
        self.database.execute("INSERT INTO notes VALUES (?)", (params["text"],))
        return {"notes": self.database.execute("SELECT count(*) FROM notes").fetchone()[0]}

    async def teardown(self) -> None:
        self.database.close()
        print("closed")


with Runtime(toolsets=["notes"]) as runtime:
    print(runtime.call_sync("keep_note", {"text": "buy milk"}))
    print(runtime.call_sync("keep_note", {"text": "call Ada"}))
