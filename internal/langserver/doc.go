// Package langserver runs emendo's own language servers beside those of the editor:
// it finds their programs, starts them on first need, keeps their documents in sync
// with a view of the workspace, and stops them. A server that misbehaves or crashes
// only fails the current request.
//
// It speaks LSP as a client. It knows nothing of tools, edits or the model, and it
// does not decide whether a folder may start anything.
package langserver
