package policy

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/tools"
)

// Kind is a decision, from the strictest.
type Kind int

// The kinds of decisions.
const (
	Deny Kind = iota
	Ask
	Allow
)

func (k Kind) String() string {
	switch k {
	case Deny:
		return "deny"
	case Ask:
		return "ask"
	case Allow:
		return "allow"
	}
	panic("policy: unknown kind")
}

// Mode is how much is asked, as in emendo's settings.
type Mode string

// The modes.
const (
	Default  Mode = "default"
	AutoEdit Mode = "auto_edit"
	Plan     Mode = "plan"
	Yolo     Mode = "yolo"
)

// A Call is a tool call with everything that the decision depends on.
type Call struct {
	Tool     string
	Server   *tools.ServerTool // of a tool of an MCP server
	Subagent string            // the subagent that calls; empty for the session itself
	Args     json.RawMessage
	Effect   tools.Effect

	Mode    Mode
	Trusted bool  // the folder is trusted
	Asks    bool  // a user is available to answer
	Elicits bool  // the user can also answer the model's questions
	Shell   Shell // what holds commands

	Dir   string   // the session's directory, absolute, links resolved
	Roots []string // the workspace's folders, likewise
	Files Files    // nil: names alone decide, and what is removed is lost
	Reach Reach    // nil: commands reach no host, and see what everybody does
	// Answers holds the user's answers in this session.
	Answers []*Rule
	// NoAlways disables remembered answers and offers of them.
	NoAlways bool
}

// Files says of files what their names do not. Paths are absolute.
type Files interface {
	// Real returns a path with its links resolved.
	Real(path string) string
	// Level returns the protection of a path without links.
	Level(path string) protect.Level
	// WasSecret reports whether a path is another name of a file that looks like a secret, or
	// looked like one.
	WasSecret(path string) bool
	// Leaves reports whether the file at a path has names outside the workspace, by hard links.
	Leaves(path string) bool
	// IsPlan reports whether a path is a plan of the session.
	IsPlan(path string) bool
	// Held returns a function that reports whether removing what is at a path, a file or a folder
	// with all that is in it, loses nothing: git's HEAD has the text, or the turn's checkpoint has
	// when the command begins, or tools make it again, or nothing is there. Without a function
	// everything that is there is lost.
	Held() func(path string) bool
}

// Reach says what commands in a sandbox reach of the machine and the network.
type Reach interface {
	// Temporary returns where an absolute path is on this machine that commands find in /tmp,
	// /var/tmp or TMPDIR, which are the session's own, and whether the path is there. The
	// workspace may be in such a folder too, and comes first.
	Temporary(path string) (at string, temporary bool)
	// Shown reports whether commands may read an absolute path outside the workspace.
	Shown(path string) bool
	// Reached reports whether commands reach a host without an answer of the user's; "*" is the
	// whole network.
	Reached(host string) bool
}

// definition returns the hash of what an answer to the call is about: the definition of an
// MCP tool, or a skill's file; empty if it is about the name and the arguments alone.
func (c Call) definition() string {
	if e, ok := c.Effect.(tools.Reads); ok && e.Skill != "" {
		return e.Definition
	}
	if c.Server == nil {
		return ""
	}
	return c.Server.Definition
}

// activates reports whether the call activates a skill.
func (c Call) activates() bool {
	e, ok := c.Effect.(tools.Reads)
	return ok && e.Skill != ""
}

// A Decision is the decision about a call.
type Decision struct {
	Kind   Kind
	Rule   string // the deciding rule, as the user finds it
	Reason string // why it is asked or denied, in sentences for the reader
	// Restricted reports that it is denied because the folder is not trusted.
	Restricted bool
	Parts      []PartDecision // of a command, in order
	Offers     []Offer        // permanent answers to offer, the narrowest first
	// Unasked reports that a command is allowed by nothing but the sandbox: no rule, mode or
	// answer of anybody allows it.
	Unasked bool
	// Outside reports that a command would run outside the sandbox: it cannot work in it.
	Outside bool
	// Verbatim reports that a command runs as it was given, and not in its canonical form.
	Verbatim bool
	// Opens says what a command reaches beyond the sandbox if the user allows it now.
	Opens tools.Access
}

// A PartDecision is the decision about a part of a command.
type PartDecision struct {
	Text   string
	Kind   Kind
	Rule   string
	Reason string
	Danger string // why it could destroy something; empty if it is not known to
}

// Scope is where a permanent answer applies.
type Scope string

// The scopes.
const (
	Session    Scope = "session"
	Project    Scope = "project"
	Everywhere Scope = "everywhere"
)

// An Offer is a permanent answer: the narrowest rules that cover the question.
type Offer struct {
	Scope Scope
	What  string // what it covers; follows "always allow"
	Rules []*Rule
	// Whole: it covers all tools of an MCP server.
	Whole bool
}
