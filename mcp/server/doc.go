// Package server is one MCP server as a client sees it: its connection, what it
// offers, calls to it, and its restarts. A server that fails costs only itself. The
// package does not know how a server is configured or reached, what its tools are
// called for the model, or who allows calls.
package server
