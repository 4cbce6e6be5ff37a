# Tests of mcp/: nothing yet.
