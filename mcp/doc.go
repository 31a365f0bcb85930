// Package mcp gives sessions the tools of MCP servers: it starts the servers that a
// session may have, names their tools for the model, calls them, and tells the user
// what failed. Package mcp/config reads which servers there are, and package
// mcp/server keeps one of them. It decides nothing: the gate does.
package mcp
