// Package sessiontest plays the session scripts of testdata/sessions: each pins
// what a user sees when the whole program meets a fake editor, a scripted model
// and scripted commands. It owns the language of the scripts; it knows no
// provider, no real clock, no network and no real process.
//
// A script is a txtar archive. Its head says in the first lines what is true and
// then what happens, one verb a line; README.md beside the scripts lists the verbs.
// Sections are the files of the workspace, the model's replies (model), what
// commands do (commands), and texts that verbs name: those to type and those that
// are expected, which go test -update rewrites.
//
// The next verb begins when every goroutine of the program waits for the user, the
// model, a command or the clock.
package sessiontest
