// Package reach decides what a command may reach of a workspace: which of its files are
// secrets, which decide what may run and so must not change, and what git's folders and
// the user's toolchains need. It also undoes what a command has created there and must
// not, such as a git hook.
//
// Package sandbox confines commands to what is decided here.
package reach
