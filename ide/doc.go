// Package ide is the editor's world in the editor's own words: documents with
// versions, positions, snapshots in which open text wins over the disk, and
// edits that an [Editor] puts into the user's buffers. It knows nothing of LSP
// or of models.
//
// Beside it, package disk reads and writes files inside the workspace's
// folders, package walk lists them as far as package ignore leaves them,
// package diff compares texts line by line, and package ledger keeps the
// proposed changes and the state of every hunk.
package ide
