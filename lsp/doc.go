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
// wire order. A request takes what it is about there too (a prompt its snapshot
// and focus) and does its work elsewhere. Events of the ledger are queued for one
// goroutine, the announcer, which alone sends change sets, diagnostics and the
// status.
//
// # Start
//
// initialize only answers. The [Host], with the agent in it, is made once, off
// the read loop, when the client says that it is initialized or when something
// first needs it.
//
// # Wire types
//
// LSP's own messages are sent as go.lsp.dev/protocol's types. Their params are
// decoded into types of package request, which says why. Messages named emendo/*
// are types of their handlers.
package lsp
