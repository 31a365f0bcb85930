// Package ledger keeps the proposed edits and the state of every hunk: it cuts
// a proposal into hunks, follows them while the user types, undoes and redoes,
// puts accepted ones into the editor's buffers or on the disk, and tells
// whoever waits what was decided. It knows nothing of LSP, of sessions'
// contents or of models.
//
// The state follows from the text at a hunk's span: its old text stands there
// and it is pending, or rejected if the user said so; its new text, and it is
// accepted; another text, and it is conflicted, unless the user had accepted
// or rejected it, which stays. What is typed exactly where lines would be
// inserted is a conflict, for nobody can say on which side it belongs.
//
// Nothing is applied by guess: an edit replaces whole lines that are known to
// be a hunk's, is made from one version of a document, and is done when the
// text that comes back holds it.
package ledger
