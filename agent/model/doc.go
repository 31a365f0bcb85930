// Package model is the vocabulary of a conversation with a language model:
// messages, parts, requests, chunks, usage and errors, and the [Generator]
// that every provider implements. It owns retry, and what the names of models
// stand for. It knows no provider's JSON, no tool and no front end.
//
// What is asked beside a conversation, such as a summary of it, has a
// [Purpose]. The agent looks up by it which model answers, so whoever asks
// takes generator and name from there and calls [Ask] or [AskObject].
package model
