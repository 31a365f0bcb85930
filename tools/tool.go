// Package tools holds the tools that the model can call, one per file, each with
// its description for the model in a Markdown file of the same name. A tool
// checks its arguments and declares the [Effect] that it would have. Acting is a
// separate step, which the caller takes once its gate has allowed the effect. The
// package knows neither the agent nor a front end.
package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools/aside"
)

// A Tool is something that the model can call.
type Tool interface {
	Spec() Spec
	// Prepare checks the arguments and returns what the call would do. It changes
	// nothing. An error that the model can correct is an [*Error].
	Prepare(ctx context.Context, env Env, args json.RawMessage) (Action, error)
}

// Spec describes a tool to the model and the user.
type Spec struct {
	Name        string // as the model calls it
	Display     string // as the user reads it
	Kind        Kind
	Description string          // what the model reads
	Schema      json.RawMessage // JSON schema of the arguments, an object
	Aliases     []string        // further names that it can be called by, unknown to the model
	// Similar are names of other agents' tools that do the same, in lower case and without
	// separators. A call of one is refused with the name of this tool.
	Similar []string
	// FormerNames are those in Gemini CLI, which rules may use, and ClaudeNames those in
	// Claude Code, for definitions of agents in its format.
	FormerNames, ClaudeNames []string
	// EditorCommands are the commands of the one editor tool that some models are trained
	// on for which this tool is called.
	EditorCommands []string
	// Synonyms maps names that models give an argument to the name declared here.
	Synonyms map[string]string
	// Adapt brings arguments that models habitually give in another form into the one
	// declared here, and reports whether there were any. It runs before rules and hooks
	// read the call. Nil: there are none.
	Adapt  func(Given) bool
	Origin Origin // of its results; if empty, as the result says, or this machine
	Needs  Needs  // to be offered
	// NotForAgents: it concerns the user's conversation, or would let an agent call agents.
	NotForAgents bool
	Investigates bool // the agent that explores the code base is offered it
	// Lasting: its results are decisions or instructions, which stay valid. They are never
	// masked.
	Lasting bool
	// AwaitsReview: its edits come from a language server, so it is prepared once the user has
	// decided on those of the turn.
	AwaitsReview bool
	// Server describes a tool of an MCP server; nil for a tool of emendo's own.
	Server *ServerTool
}

// Needs are conditions of a session without which a tool is not offered to the model. The
// zero value has none.
type Needs struct {
	Trust     bool // the folder is trusted: elsewhere every call would be denied
	Questions bool // the user can be asked the model's questions
	Plans     bool // the user can be presented a plan
	Search    bool // the model's provider searches the web
	Patches   bool // the model is trained on patches, or the user wants them
	Review    bool // the turn reviews changes
	// NoPlanMode and NoYoloMode: the session is not in that mode.
	NoPlanMode, NoYoloMode bool
}

// A ServerTool is a tool as its MCP server knows it.
type ServerTool struct {
	Server string // the name of the server
	Tool   string // the server's name for the tool
	// Plain is the tool's name for the model without a suffix, and Prefix how those of
	// the server begin. Shared: another tool has that plain name as well.
	Plain, Prefix string
	Shared        bool
	// Rivals are the prefixes of other servers with which Plain begins, or which are the
	// beginning of Prefix, so that a name may mean a tool of either.
	Rivals []string
	// Definition is a hash of everything that the server says of the tool, and of the
	// server's program or address.
	Definition string
	// Changed: the user last allowed a call while the definition was another one.
	Changed bool
	// Trusted: the user marks the server as trusted.
	Trusted bool
	// Annotations are the server's claims about the tool. Those that make it look
	// harmless are there for a trusted server alone.
	Annotations map[string]any
}

// Kind sorts tools by what they do, in the words of the Agent Client Protocol.
type Kind string

// The kinds.
const (
	Read    Kind = "read"
	Edit    Kind = "edit"
	Delete  Kind = "delete"
	Move    Kind = "move"
	Search  Kind = "search"
	Execute Kind = "execute"
	Think   Kind = "think"
	Fetch   Kind = "fetch"
	Switch  Kind = "switch_mode"
	Other   Kind = "other"
)

// Env is the world as a tool sees it while it prepares and runs.
type Env struct {
	Snapshot *ide.Snapshot // what reading tools read
	Session  string        // the session's ID
	Dir      string        // the session's folder, absolute
	// View returns the text that an edit is based on: the live text with the
	// session's own pending edits applied. Its errors are those of package disk.
	View func(ctx context.Context, name string) (ide.File, error)
	// IgnoreGit applies .gitignore, IgnoreEmendo .geminiignore and .emendoignore.
	IgnoreGit, IgnoreEmendo bool
	// GitExcludes is the text of git's core.excludesFile, the user's own ignore
	// rules for all repositories.
	GitExcludes string
	// Outputs is the private folder of the session for output that was too long
	// for the model, or nil.
	Outputs *disk.Tree
	// Plans is the session's folder of plans, or nil.
	Plans *disk.Tree
	// Remember saves a fact for later sessions of the workspace; nil if there is
	// no folder for that.
	Remember func(fact string) error
	// Copies are files that commands see in place of those at these absolute paths, where
	// the sandbox can do that. They may be added until the command runs.
	Copies map[string]string
	// Redact removes from a text what no file may hold; nil removes nothing.
	Redact     func(text string) string
	MovedAside func([]aside.File) // tells the user of it, at any time; nil: nobody is told
	// GoOn asks whether a command that is paused may go on; nil: nobody can be asked.
	GoOn func(ctx context.Context, r Runs, why string) bool
	// Jobs are the session's commands in the background; nil if there can be none.
	Jobs     *Jobs
	Planning bool // the session is in plan mode
	// Doubts are those of the session's [Error]s: then the model means what it repeats.
	// Nil: there were none.
	Doubts *Doubts
	// Tasks is the state of the session's task list, see [Notes].
	Tasks json.RawMessage
	// Search answers a question by the search of the model's provider; nil if it
	// has none. Its error is for the model.
	Search func(ctx context.Context, query string) (Found, error)
}

// Found is an answer from the web.
type Found struct {
	Text    string
	Sources []Source
	Claims  []Claim
}

// Source is a page that supports an answer.
type Source struct{ Title, URL string }

// Claim is a piece of an answer's text that sources support.
type Claim struct {
	End     int    // offset in the text, in bytes
	Text    string // may be empty
	Sources []int  // indices
}

// An Action is a call with valid arguments, ready to run.
type Action struct {
	Title     string // one line for the user: what is done to what
	Locations []Location
	Effect    Effect
	// Run acts. It is nil for [Edits], which the ledger carries out, and for
	// [Notes], [Finds], [Asks], [Plans] and [Presents], which the session does. It returns
	// when everything that it started has ended, except what it added to
	// [Env.Jobs]. It calls live only until then.
	Run func(ctx context.Context, live func(Progress)) Result
	// WithAccess returns a Run that may reach more; nil if the action is not
	// sandboxed.
	WithAccess func(Access) func(ctx context.Context, live func(Progress)) Result
	// Job: it is about a command in the background, whose changes are looked for when it
	// has run.
	Job bool
}

// A Location is a place that a call is about. Line counts from one; zero means the
// whole file.
type Location struct {
	Path string `json:"path"` // absolute
	Line int    `json:"line,omitempty"`
}

// Progress is the current state of a running call.
type Progress struct {
	Output string // the newest part of the output, at most 16 KiB, whole lines where possible
	PID    int    // of the child process, if there is one
	// Terminal is the ID of the user's terminal in which a command runs; empty: none. The
	// front end shows that in place of Output.
	Terminal string
}

// A Result is the outcome of a call.
type Result struct {
	Output string // what the model reads
	// Raw is saved to a file if Output is too long for the model, such as a
	// command's output alone; if empty, Output is. Lost is how many bytes are
	// missing from its middle.
	Raw  string
	Lost int
	// Shortened says that Output has only parts of Raw, which is then always saved.
	Shortened bool
	Display   string // what the user sees, Markdown; if empty, Output
	Summary   string // one line for the user, such as "12 matches in 3 files"
	Blobs     []Blob
	Origin    Origin   // where the text comes from; if empty, as the spec says
	From      []Author // of untrusted text; none: as Origin and the spec say
	Leads     []Lead   // the addresses that the result leads to
	Err       *Error   // nil on success
	Exit      *Exit    // of a command that ended by itself; else nil
	PID       int      // of a command that continues in the background; else 0
	Met       *Met     // what a failed command met at its sandbox; nil: nothing
}

// Met describes a command that failed at its sandbox, and how to run it again.
type Met struct {
	Wall
	Runs  Runs
	Given Access // it had beyond the sandbox
	// Again runs it from its start, with more access; nil: the action's WithAccess does.
	Again func(Access) func(ctx context.Context, live func(Progress)) Result
}

// Exit is how a command ended.
type Exit struct {
	Code   int
	Signal string // that ended it; empty if it exited
}

// Blob is binary output for the model.
type Blob struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// An Error is a failure that the model reads and can correct.
type Error struct {
	Type    ErrorType
	Message string // says what happened, where, and what to do
	// Doubts are what the model is asked back about with this error. Whoever calls
	// tools keeps them for [Env.Doubts].
	Doubts []string
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an [*Error].
func Errorf(t ErrorType, format string, a ...any) *Error {
	return &Error{Type: t, Message: fmt.Sprintf(format, a...)}
}

// CancelledResult returns the result of a call that the user cancelled, with its
// output until then.
func CancelledResult(output string) Result {
	return Result{Output: output, Err: &Error{Type: Cancelled, Message: "The call was cancelled by the user before it ended."}}
}

// ErrorType names a kind of failure. Scripts know the names from Gemini CLI.
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
	FetchFailure      ErrorType = "web_fetch_fallback_failed"
	SearchFailure     ErrorType = "web_search_failed"
	ServerFailure     ErrorType = "mcp_tool_error"
	DiscoveredFailure ErrorType = "discovered_tool_execution_error"
	NoResource        ErrorType = "mcp_resource_not_found"
	Unhandled         ErrorType = "unhandled_exception"
	Cancelled         ErrorType = "cancelled"
)
