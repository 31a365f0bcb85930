package policy

import "fmt"

// A FileError is an error in a policy file, whose rules are all ignored. It
// prints on one line, as FILE:LINE: what.
type FileError struct {
	File string
	Line int    // one-based; zero for the whole file
	Rule string // the rule's name or number; empty if none is concerned
	What string
}

func (e *FileError) Error() string {
	at := e.File
	if e.Line > 0 {
		at += fmt.Sprintf(":%d", e.Line)
	}
	if e.Rule != "" {
		return fmt.Sprintf("%s: %s: %s", at, e.Rule, e.What)
	}
	return at + ": " + e.What
}

// A Warning is a probable mistake in a policy file whose rules apply. It prints
// like a [FileError].
type Warning FileError

func (w Warning) String() string {
	e := FileError(w)
	return e.Error()
}
