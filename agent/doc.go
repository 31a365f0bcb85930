// Package agent owns the sessions of a process: it creates, opens, forks, rewinds,
// deletes and closes them, runs their prompts in order, and keeps their logs, which
// are the only record of what happened. Turns are in package turn, and the state
// that they work on is in package state. It knows no protocol and no provider:
// front ends show events and answer questions through [frontend.Client].
package agent
