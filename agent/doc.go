// Package agent owns sessions: turns and their steps, the events that tell of
// them, the scheduler of tool calls, the gate that every effect passes, the
// context that the model is given, and the log that is the only truth about
// what happened. It knows no wire and no provider: front ends show its events
// and answer its questions through [Client].
package agent
