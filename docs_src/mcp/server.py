"""A server that tells the time of towns, on the MCP SDK."""

from mcp.server import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("clock")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def time_in(town: str) -> str:
    """Tell what time it is in a town."""
    return f"It is noon in {town}."


server.run()
