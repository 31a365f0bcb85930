// Package state holds the state that turns work on: what the sessions of a
// process share, the state of one session, and the outbox that sends its events to
// the log and the client. It does not know in which order prompts run or what a
// turn does.
package state
