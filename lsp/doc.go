// Package lsp serves one editor over the Language Server Protocol. It owns the
// connection's lifecycle and documents and sends every message to its handler:
// package chat serves sessions and turns, review shows and decides proposed edits,
// question asks the user, command runs workspace/executeCommand. They share what
// the client can do (client), the agent (host), and how params are decoded and
// errors answered (request). The agent comes ready-made through [Options]; nothing
// here knows a tool or a provider.
//
// # Order
//
// Documents, the focus and cancels are handled on the connection's read loop, in
// wire order. A request takes its input there too (a prompt its snapshot and focus)
// and does the rest elsewhere. Events of the ledger are queued for one goroutine,
// the announcer, which alone sends change sets, diagnostics and the status.
//
// # Start
//
// initialize only answers. The [Host], which has the agent, is made once, off the
// read loop: after the initialized notification or on first need.
//
// # Wire types
//
// LSP's own messages are sent as go.lsp.dev/protocol's types. Their params are
// decoded into types of package request, which says why. Messages named emendo/*
// are types of their handlers.
package lsp
