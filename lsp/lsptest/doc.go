// Package lsptest is an editor for tests that speaks LSP to a server over a pipe
// in the same process. It owns the editor's side of the wire: what each kind of
// editor declares, the documents with their undo and redo, edits that it makes,
// refuses or lies about, answers to questions, and a list of everything that the
// server sent undeclared. It knows nothing of the server's implementation.
package lsptest
