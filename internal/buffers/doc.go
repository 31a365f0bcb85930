// Package buffers shows the text that an editor has open to the user's other emendo
// processes. The process that serves the editor runs a [Server]; each of the others keeps
// a [Mirror] of what the editors of its folders have open, and asks them to make edits
// there. Package buffers owns the socket, the file that announces it and the messages. It
// decides nothing: whoever asks for an edit has had it approved.
//
// Nothing is sent unless it is asked for, so a process that hangs costs another one a
// bounded wait, once.
package buffers
