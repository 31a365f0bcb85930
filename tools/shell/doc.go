// Package shell runs commands for the agent: it says beforehand what a command
// would run, starts it with a chosen environment, shows its output while it
// runs, bounds it, and ends the whole process tree when it must. It decides
// nothing about what is allowed.
package shell
