// Package ledger keeps the proposed edits and the state of every hunk: it
// cuts a proposal into hunks, follows them while the user types, undoes and
// redoes, puts accepted ones into the editor's buffers or on the disk, and
// tells whoever waits what was decided. It knows nothing of LSP, of sessions'
// contents or of models.
package ledger
