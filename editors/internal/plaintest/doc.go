// Package plaintest is what the tests in editors without a plugin have in
// common: a home folder set up as a page of the docs says, a project, a scripted
// model, and a terminal in which an editor runs and a user presses keys. It
// knows no editor.
package plaintest
