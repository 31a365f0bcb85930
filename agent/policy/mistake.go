package policy

import "fmt"

// A FileError is a mistake in a policy file, none of whose rules are heeded
// therefore. It prints on one line, as FILE:LINE: what.
type FileError struct {
	File string
	Line int    // one-based; zero when the whole file is meant
	Rule string // the rule's name, or which one it is; empty when none is meant
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

// A Warning is something in a policy file that looks like a slip; its rules are
// heeded. It prints as a [FileError] does.
type Warning FileError

func (w Warning) String() string {
	e := FileError(w)
	return e.Error()
}
