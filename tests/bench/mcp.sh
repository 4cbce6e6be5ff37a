#!/bin/sh
# Speed of the MCP server (see bench_mcp.c): ratios against peers in the same run.
set -eu
exec "${TOP_BUILDDIR:?run through make bench}/tests/bench/bench_mcp" "$TOP_BUILDDIR/mcp/agentteams-runner-mcp"
