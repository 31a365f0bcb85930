package transcript

import (
	"errors"
)

// Errors that front ends report in their own way.
var (
	// ErrBusy means that a turn of the session is running, here or in another process.
	ErrBusy = errors.New("a turn of this session is running, here or in another process; wait for it, or cancel it")
	// ErrUnknownSession means that the session does not exist.
	ErrUnknownSession = errors.New("unknown session")
	// ErrUnknownTurn means that the session has no such turn, or that it was rewound.
	ErrUnknownTurn = errors.New("unknown turn")
	// ErrExists means that a session with that ID is already stored.
	ErrExists = errors.New("a session with this ID already exists")
	// ErrUntrusted means that the user does not trust the folder.
	ErrUntrusted = errors.New("the folder is not trusted")
	// ErrCancelled means that the user cancelled.
	ErrCancelled = errors.New("cancelled by the user")
	// ErrInternal means that a handler panicked; the log has the stack.
	ErrInternal = errors.New("internal error; see the emendo log")
)

// DeniedError means that a rule or the user denied a request of the user.
type DeniedError struct {
	Rule   string
	Reason string
}

func (e *DeniedError) Error() string { return e.Reason }

// EmptyAnswerError means that the model returned no answer in any attempt.
type EmptyAnswerError struct{ Err error }

func (e *EmptyAnswerError) Error() string { return e.Err.Error() }

// Unwrap returns the model's error.
func (e *EmptyAnswerError) Unwrap() error { return e.Err }

// Texts for the model in place of missing or hidden content. Do not change them:
// they are part of stored conversations, and a change would invalidate cached
// prefixes.
const (
	interruptedResult = "The call was interrupted before it ended; what it did until then is not known."
	noAnswer          = "(The answer was interrupted.)"
	leftOutResult     = "(The user has left this file out of what you are shown.)"
)
