// Package langserver runs language servers of its own beside those of the editor:
// it finds their programs, starts them on first need, keeps their documents equal to
// a view of the workspace, and ends them. Whatever a server sends, and however it
// ends, costs the request that was being made and nothing else.
//
// It speaks LSP as a client. It knows nothing of tools, edits or the model, and it
// does not decide whether a folder may start anything.
package langserver
