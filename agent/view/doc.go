// Package view folds a session into what its user sees: a conversation as items, questions
// and hunks, each with its words. Clients of emendo's own draw it and say nothing else.
//
// It owns the form in which they get it (docs/protocol.md, "A conversation as items"), the
// words, and the differences between one state and the next. It knows neither a wire nor
// when a difference is sent.
package view
