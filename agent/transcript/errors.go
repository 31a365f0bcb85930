package transcript

import (
	"errors"
	"fmt"
)

// States of the world that a front end tells in its own way.
var (
	// ErrBusy: a turn of the session is running, here or in another process.
	ErrBusy = errors.New("a turn of this session is running; wait for its end, cancel it, or add to it with emendo/session/inject")
	// ErrUnknownSession: there is no such session.
	ErrUnknownSession = errors.New("there is no such session")
	// ErrUnknownTurn: the session has no such turn, or has none any more.
	ErrUnknownTurn = errors.New("there is no such turn in the session")
	// ErrExists: a session with that id is stored already.
	ErrExists = errors.New("a session with this id exists already")
	// ErrUntrusted: the folder is restricted.
	ErrUntrusted = errors.New("the folder is not trusted")
	// ErrCancelled: the user cancelled.
	ErrCancelled = errors.New("cancelled by the user")
	// ErrInternal: a bug ended what was being done; the log has its stack.
	ErrInternal = errors.New("internal error; see the emendo log")
)

// EmptyAnswerError says that the model said nothing, however often it was asked.
type EmptyAnswerError struct{ Err error }

func (e *EmptyAnswerError) Error() string { return fmt.Sprintf("the model gave no answer: %v", e.Err) }

// Unwrap gives the model's error.
func (e *EmptyAnswerError) Unwrap() error { return e.Err }

// What stands in for what never came.
const (
	interruptedResult = "The call was interrupted before it ended; what it did until then is not known."
	noAnswer          = "(The answer was interrupted.)"
	leftOutResult     = "(The user has left this file out of what you are shown.)"
)
