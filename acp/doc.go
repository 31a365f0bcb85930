// Package acp owns the types of the Agent Client Protocol, version 1, and the
// mapping of the agent's events and questions to them. Package lsp sends the
// same updates under its own methods. It knows no tool and no provider.
package acp
