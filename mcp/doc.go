// Package mcp adds the tools of MCP servers to sessions: it starts a session's
// servers, names their tools for the model, calls them, and reports failures to the
// user. Package mcp/config reads the configured servers, and package mcp/server
// runs one of them. It decides nothing: the gate does.
package mcp
