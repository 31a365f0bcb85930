// Package plaintest has what tests in editors without a plugin share: a home folder
// set up as a page of the documentation says, a project, a scripted model, and a
// terminal with an editor that the test types into. It knows no editor.
package plaintest
