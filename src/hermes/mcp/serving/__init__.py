"""Our tools for MCP clients elsewhere: what is served, in both eras, over stdio and HTTP."""
