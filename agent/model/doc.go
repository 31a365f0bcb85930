// Package model is the vocabulary of a conversation with a language model:
// messages, parts, requests, chunks, usage and errors, and the [Generator]
// that every provider implements. It owns retry. It knows no provider's JSON,
// no tool and no front end.
package model
