"""Tools of MCP servers here, and our tools for MCP clients elsewhere."""
