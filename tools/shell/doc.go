// Package shell runs commands for the agent: it says beforehand what a command
// would run, starts it with a chosen environment, shows its output while it
// runs, bounds it, and ends the whole process tree when it must. It decides
// nothing about what is allowed.
//
// A command is read twice, never changed in between: [Allowed] and the effect
// that Prepare declares come from parsing the very bytes that are handed to
// the shell. Parsing only helps to decide when to ask; it is no boundary.
package shell
