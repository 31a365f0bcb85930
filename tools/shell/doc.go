// Package shell has the tools that run commands. It starts a command with a
// chosen environment in a sandbox, shows its output while it runs, limits its
// time and output, and ends its whole process tree. It does not decide what is
// allowed: package shellcmd analyzes commands and the gate judges them.
package shell
