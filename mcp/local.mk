# mcp/: nothing yet.
