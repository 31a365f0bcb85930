// Package process starts commands, supervises them, and ends them together with
// everything that they have started.
//
// On Unix every command has a supervisor, a process between emendo and the command. It
// can confine the command before it starts it; how is not known here.
package process
