// Package hooks runs the user's own commands at eleven events of a session.
// Configuration, JSON and exit codes are those of Gemini CLI, so that existing
// hooks work: the package selects the hooks for an event, passes them their
// input, and parses and merges their output.
//
// It does not know sessions, turns or tools: it returns what hooks want, and
// the agent does it as far as the gate allows. A hook's output can make a
// decision stricter, never looser.
package hooks
