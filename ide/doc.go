// Package ide models the editor: documents with versions, positions, snapshots in
// which open text takes precedence over the disk, and edits that an [Editor] makes
// in the user's buffers. It knows nothing of LSP or of models.
//
// Its subpackages: disk reads and writes files inside the workspace's folders, walk
// lists them without those that ignore excludes, diff compares texts line by line,
// and ledger keeps proposed changes and the state of every hunk.
package ide
