// Package ledger keeps proposed edits and the state of every hunk. It splits a
// proposal into hunks, tracks them through typing, undo and redo, applies accepted
// ones to the editor's buffers or to the disk, and notifies the callers that wait
// for decisions. It knows nothing of LSP, sessions or models.
//
// The state of a hunk follows from the text at its span. With its old text it is
// pending, or rejected if the user said so. With its new text it is accepted. With
// any other text it is conflicted, unless the user had accepted or rejected it,
// which is final. A hunk that was accepted and could not be applied is conflicted
// until the text at its span changes. Text that is typed exactly where lines would
// be inserted is a conflict, because it is unknown on which side it belongs.
//
// Edits are never guessed: an edit replaces whole lines that are known to belong to
// a hunk, is made from one version of a document, and is done when the document has
// the new text.
//
// A hunk is "followed" while its span is tracked. What each state means, and what decisions
// and texts do with it, is in docs/decisions/ledger.md.
package ledger
