// Package lsp serves one editor over the Language Server Protocol. It owns the
// connection's lifecycle and documents and sends every message to its handler:
// package chat serves sessions and turns, review shows and decides proposed edits,
// question asks the user, command runs workspace/executeCommand. They share package
// client: what the client can do, the agent, and how params are decoded and errors
// answered. The agent comes ready-made through [Options]; nothing here knows a tool or a
// provider.
//
// # Objects
//
// Each object has what it needs when it is made, in this order; nothing is set afterwards:
//
//	client ◀─ chat documents ◀─ chat ◀─┬─ questions ◀── review ◀─┬─ commands
//	                                   └─ requests about ◀───────┘
//	                                      chat documents
//
// The client holds the workspace with its folders, the focus and the host.
//
// Two things go the other way: whoever has news for the client calls its Touch, for the
// announcer to look, and [client.Server], which the server implements, is notified when the
// focus, the folders or the host have changed.
//
// # Order
//
// Documents, the focus and cancels are handled on the connection's read loop, in
// wire order. A request takes its input there too (a prompt its snapshot and focus)
// and does the rest elsewhere. Events of the ledger are queued for one goroutine,
// announce, which alone sends change sets, diagnostics and the status.
//
// # Start
//
// initialize only answers. The [Host], which has the agent, is made once, off the
// read loop: after the initialized notification or on first need.
//
// # Turns
//
// A turn of the client is a prompt, an injected prompt, a command or a question in a chat
// document. chat.Turns.run starts and awaits each of them, and they differ in what the user
// is told at the end.
//
// # Wire types
//
// LSP's own messages are sent as go.lsp.dev/protocol's types. Their params are
// decoded into types of package client, which says why. Messages named emendo/*
// are types of their handlers.
package lsp
