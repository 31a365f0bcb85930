// Package matchtest has realistic edits whose quotes are garbled as models garble them, for
// tests. Each case comes with the right outcomes: the merged text, which is known because
// the edit is, or a refusal. The package knows how quoting goes wrong, but not how a passage
// is found. Its test measures package match and prints a table by class:
//
//	go test ./tools/match/matchtest -v -run Table
package matchtest
