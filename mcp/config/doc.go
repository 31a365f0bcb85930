// Package config reads which MCP servers are configured: in emendo's settings, and
// in the files of Gemini CLI, Claude Code and VS Code as they are. It only reads, so
// it is safe for untrusted folders. It does not know which servers may start.
package config
