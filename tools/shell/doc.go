// Package shell runs commands for the agent: it says beforehand what a command
// would run, starts it with a chosen environment, shows its output while it
// runs, bounds it, and ends the whole process tree when it must. It decides
// nothing about what is allowed.
//
// What a command would run is told in parts ([Analyze]), from the very bytes
// that are handed to the shell. A part is judged by its program's table, which
// says what a rule has to name to cover it; what cannot be told for certain is
// covered by none. Parsing only helps to decide when to ask; it is no boundary.
package shell
