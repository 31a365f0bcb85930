// Package lsptest is an editor for tests that speaks LSP to a server over a pipe
// in the same process. It owns the editor's side of the wire: what each kind of
// editor declares, the documents with their undo and redo, edits that it makes,
// refuses or lies about, answers to questions, and a list of everything that the
// server sent without leave. It knows nothing of how the server is made.
package lsptest
