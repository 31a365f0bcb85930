// Package acptest is an ACP client for tests: an editor with buffers, answers to
// questions, and a check of every message against the schema of the protocol.
package acptest
