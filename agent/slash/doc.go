// Package slash has the slash commands: those that emendo runs itself, and the
// search among them and the custom commands of a session. It does not know when
// a command runs, nor how the prompt of a custom command is sent.
package slash
