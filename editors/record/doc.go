// Package record records what real editors declare in initialize, for the tests of
// package lsp, and how they apply a server's edits and report them: the answer to
// workspace/applyEdit, and every didChange that comes with it, in the order on the wire.
// Package ide/ledger replays these in its tests. This package owns the cases and the
// recorder, is all tests behind the build tag editors, and knows nothing of what the
// ledger does with an edit:
//
//	make profiles recordings
package record
