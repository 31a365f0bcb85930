package main

import (
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
)

// program returns the command line of emendo, with all commands, flags and help.
func (p process) program() cli.Command {
	return cli.Command{Name: "emendo", Summary: "a coding agent that is a language server", Subcommands: []cli.Command{
		{Name: "lsp", Summary: "run the language server on standard input and output, a pipe or a loopback port", Setup: p.lsp},
		{Name: "acp", Summary: "serve an editor with the Agent Client Protocol on standard input and output", Setup: p.acp},
		{Name: "run", Args: "[PROMPT]", Summary: "answer one prompt without an editor", Setup: p.runPrompt},
		{Name: "review", Summary: "find problems in changes, without an editor", Setup: reviewCommand(p)},
		{Name: "a2a", Summary: "serve other agents with the Agent2Agent protocol", Setup: p.a2a},
		{Name: "demo", Summary: "play a complete task on a temporary project, without a key or network access", Setup: cli.Plain(p.demo)},
		{Name: "sessions", Summary: "manage stored sessions", Subcommands: p.sessions()},
		{Name: "policy", Summary: "show what the rules decide, and remove what you have always allowed", Subcommands: p.policy()},
		{Name: "models", Summary: "list the models of the providers and servers that are there", Setup: p.models},
		{Name: "doctor", Summary: "check the installation and suggest fixes", Setup: p.doctor},
		{Name: "auth", Summary: "sign in to the providers of models", Subcommands: p.auth()},
		{Name: "mcp", Summary: "manage MCP servers, which provide tools for the model", Subcommands: p.mcp()},
		{Name: "extensions", Summary: "manage extensions, which provide servers, hooks, commands, skills and agents", Subcommands: p.extensions()},
		{Name: "trust", Summary: "manage the folders that may run commands", Subcommands: p.trust()},
		{Name: "completion", Summary: "print the completion script for a shell", Subcommands: p.completion()},
		{Name: "man", Summary: "print the manual page in the format of man(1)", Setup: cli.Plain(p.manual)},
		{Name: "version", Summary: "print the version", Setup: p.version},
	}}
}
