// Package tools is what the agent can do in the user's world: one tool a file,
// the words that the model reads about it beside it in a Markdown file of the
// same name. A tool checks its arguments and declares the [Effect] that it
// would have; acting is a separate step that the caller takes once its gate
// has let the effect through. It knows neither the agent nor a front end.
package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// A Tool is one thing that the model may call.
type Tool interface {
	Spec() Spec
	// Prepare checks the arguments and says what the call would do. It changes
	// nothing. An error is an [*Error] when the model can mend it.
	Prepare(ctx context.Context, env Env, args json.RawMessage) (Action, error)
}

// Spec is what the model and the user are told about a tool.
type Spec struct {
	Name        string // as the model calls it
	Display     string // as the user reads it
	Kind        Kind
	Description string          // what the model reads
	Schema      json.RawMessage // JSON schema of the arguments, an object
	Aliases     []string        // further names that it can be called by, which the model is not told
	// Synonyms are names that models give an argument, and the argument that each means.
	Synonyms map[string]string
	Origin   Origin // where its results come from; empty: the result says, or this machine
}

// Kind sorts tools by what they do, in the words of the Agent Client Protocol.
type Kind string

// The kinds.
const (
	Read    Kind = "read"
	Edit    Kind = "edit"
	Search  Kind = "search"
	Execute Kind = "execute"
	Think   Kind = "think"
	Switch  Kind = "switch_mode"
	Other   Kind = "other"
)

// Env is the world as a tool sees it while it prepares and runs.
type Env struct {
	Snapshot *ide.Snapshot // what reading tools read
	Dir      string        // the session's folder, absolute
	// View gives the text that an edit is made from: the live text with the
	// session's own pending edits in it. Its errors are package disk's.
	View func(ctx context.Context, name string) (ide.File, error)
	// IgnoreGit and IgnoreEmendo say whether the rules of .gitignore, and of
	// .geminiignore and .emendoignore, hide files.
	IgnoreGit, IgnoreEmendo bool
	// GitExcludes are the user's own rules for all of their repositories, as
	// git's core.excludesFile holds them.
	GitExcludes string
	// Outputs is the private folder of the session where output is kept that
	// was too long for the model; nil when there is none.
	Outputs *disk.Tree
	// Plans is the session's own folder of plans; nil when there is none.
	Plans *disk.Tree
	// Remember saves a fact for later sessions of the workspace; nil when there
	// is no folder for that.
	Remember func(fact string) error
	// Redact leaves out of a text what no file may hold; nil: nothing is.
	Redact func(text string) string
	// Jobs are the session's commands that go on in the background; nil where
	// none can.
	Jobs *Jobs
	// Planning says that the session is in plan mode.
	Planning bool
}

// Action is a call whose arguments are checked, ready to run.
type Action struct {
	Title     string // one line for the user: what is done to what
	Locations []Location
	Effect    Effect
	// Run acts. It is nil for [Edits], which the ledger carries out, and for
	// [Notes], [Asks], [Plans] and [Presents], which the session does. It
	// returns when everything that it started has ended, but for what it added
	// to [Env.Jobs]; live may be called until then, and never after.
	Run func(ctx context.Context, live func(Progress)) Result
	// WithAccess gives a Run of the same that may reach more; nil when there is
	// nothing that holds it.
	WithAccess func(Access) func(ctx context.Context, live func(Progress)) Result
}

// Location is a place that a call is about. Line counts from one; zero is the
// file as a whole.
type Location struct {
	Path string // absolute
	Line int
}

// Progress is what a running call shows so far.
type Progress struct {
	Output string // the newest part of the output, at most 16 KiB, whole lines where possible
	PID    int    // of the child process, when there is one
}

// Result is what a call came to.
type Result struct {
	Output string // what the model reads
	// Raw is what is kept in a file when Output is too long for the model, such
	// as a command's output alone; empty: Output. Lost is how many bytes are
	// missing from its middle.
	Raw     string
	Lost    int
	Display string // what the user sees, Markdown; empty when Output says it all
	Summary string // one line for the user, such as "12 matches in 3 files"
	Blobs   []Blob
	Origin  Origin // where the text comes from; empty: as the tool's spec says
	Err     *Error // nil when the call did what it says
	// Blocked is what its sandbox seems to have kept a command from that
	// failed.
	Blocked Access
}

// Blob is binary output for the model.
type Blob struct {
	MIME string
	Data []byte
}

// Error is a failure that the model reads and may mend.
type Error struct {
	Type    ErrorType
	Message string // says what happened, where, and what to do
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an [*Error].
func Errorf(t ErrorType, format string, a ...any) *Error {
	return &Error{t, fmt.Sprintf(format, a...)}
}

// CancelledResult returns the result of a call that the user cancelled, with its
// output until then.
func CancelledResult(output string) Result {
	return Result{Output: output, Err: &Error{Type: Cancelled, Message: "The call was cancelled by the user before it ended."}}
}

// ErrorType names a failure; the words are Gemini CLI's, which scripts know.
type ErrorType string

// The types of failure.
const (
	InvalidParams     ErrorType = "invalid_tool_params"
	NotRegistered     ErrorType = "tool_not_registered"
	PolicyViolation   ErrorType = "policy_violation"
	StopExecution     ErrorType = "stop_execution"
	Untrusted         ErrorType = "untrusted_workspace"
	FileNotFound      ErrorType = "file_not_found"
	FileTooLarge      ErrorType = "file_too_large"
	ReadFailure       ErrorType = "read_content_failure"
	WriteFailure      ErrorType = "file_write_failure"
	PermissionDenied  ErrorType = "permission_denied"
	NoSpaceLeft       ErrorType = "no_space_left"
	TargetIsDirectory ErrorType = "target_is_directory"
	NotADirectory     ErrorType = "path_is_not_a_directory"
	NotInWorkspace    ErrorType = "path_not_in_workspace"
	AlreadyExists     ErrorType = "attempt_to_create_existing_file"
	NoOccurrence      ErrorType = "edit_no_occurrence_found"
	ManyOccurrences   ErrorType = "edit_expected_occurrence_mismatch"
	NoChange          ErrorType = "edit_no_change"
	EditFailure       ErrorType = "edit_preparation_failure"
	GlobFailure       ErrorType = "glob_execution_error"
	GrepFailure       ErrorType = "grep_execution_error"
	ListFailure       ErrorType = "ls_execution_error"
	ShellFailure      ErrorType = "shell_execute_error"
	Unhandled         ErrorType = "unhandled_exception"
	Cancelled         ErrorType = "cancelled"
)

// Origin says where a text that the model reads comes from.
type Origin string

// The origins. Nobody has vouched for what comes from the web or from an MCP
// server: whoever wrote it may want the model to act for them.
const (
	OfUser      Origin = "user"      // said, chosen or approved by the user
	OfEmendo    Origin = "emendo"    // emendo's own words
	OfWorkspace Origin = "workspace" // the user's files
	OfTool      Origin = "tool"      // what a program on this machine said
	OfMCP       Origin = "mcp"
	OfWeb       Origin = "web"
)

// Untrusted says that nobody has vouched for what comes from there.
func (o Origin) Untrusted() bool { return o == OfMCP || o == OfWeb }
