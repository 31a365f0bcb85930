// Package corpus makes edits of real-looking files and garbles them as models
// garble what they quote, each with the outcomes that are right: the merged
// text, which is known because the edit is, or a refusal. It measures package
// match, and knows how files are written and how quoting goes wrong, but
// nothing of how a passage is found. Its test prints the table by class:
//
//	go test ./tools/match/corpus -v -run Table
package corpus
