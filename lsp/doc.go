// Package lsp serves one editor over the Language Server Protocol: lifecycle,
// document sync, sessions and their updates, the review of proposed edits, code
// actions, commands. It owns the LSP wire and what the client declared that it
// can do; nothing is sent that was not declared, and everything has a fallback.
// It knows no tool and no provider: the agent comes ready-made through
// [Options].
//
// # Order
//
// Documents, the focus and cancels are handled on the connection's read loop, in
// wire order. A request takes what it is about there too (a prompt its snapshot
// and focus) and does its work elsewhere. What the ledger tells is queued for
// one goroutine, the announcer, which alone sends change sets, diagnostics and
// the status.
//
// # Start
//
// initialize only answers. The [Host], with the agent in it, is made once, off
// the read loop, when the client says that it is initialized or when something
// first needs it.
//
// # Wire types
//
// Messages are plain structs of this package rather than go.lsp.dev/protocol's:
// what clients send is read with forgiveness (null for absent, unknown fields,
// unknown values), and what is sent uses so little of LSP that its unions and
// optional pointers would be most of the code.
package lsp
