// Package state is what the turns of a session work on: what the sessions of a
// process share, the state of one session, and the outbox through which its
// events go into the log and to the client. It knows neither the order of prompts
// nor what a turn does.
package state
