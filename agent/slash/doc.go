// Package slash implements the slash commands: it runs the built-in ones, and finds
// built-in and custom ones in a session. It does not know when a command runs, nor
// how the prompt of a custom command is sent.
package slash
