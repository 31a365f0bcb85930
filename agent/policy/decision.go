package policy

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/tools"
)

// Kind is what becomes of a call, the strictest first.
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

// Mode says how much is asked, in the words of emendo's settings.
type Mode string

// The modes.
const (
	Default  Mode = "default"
	AutoEdit Mode = "auto_edit"
	Plan     Mode = "plan"
	Yolo     Mode = "yolo"
)

// A Call is what is decided about, with all that the decision depends on.
type Call struct {
	Tool        string
	Server      string         // the MCP server whose tool it is; empty: none
	Subagent    string         // who calls it; empty: the session itself
	Annotations map[string]any // what the tool's own server says of it
	Args        json.RawMessage
	Effect      tools.Effect

	Mode      Mode
	Trusted   bool // the folder may act
	Asks      bool // there is somebody to ask
	Elicits   bool // who can also be asked what the model wants to know
	Sandboxed bool // commands run in a sandbox

	Dir   string                   // the session's folder, absolute, links resolved
	Roots []string                 // the workspace's folders, likewise
	Real  func(path string) string // an absolute path with its links resolved; nil: as it is
	// Level says how far an absolute path, links resolved, is kept from changes;
	// nil: as its names say.
	Level  func(path string) protect.Level
	IsPlan func(path string) bool // a plan of the session; nil: it has none
	// Answers are the user's standing answers in this session.
	Answers []*Rule
	// NoAlways says that no answer stands, and none that would is offered.
	NoAlways bool
}

// A Decision is what becomes of a call.
type Decision struct {
	Kind   Kind
	Rule   string // what decided, as the user finds it
	Reason string // why it is asked or denied: sentences for whoever reads it
	// Restricted says that it is denied since the folder is not trusted.
	Restricted bool
	Parts      []PartDecision // of a command, in order
	Offers     []Offer        // answers that would last, the one that reaches least first
}

// A PartDecision is what becomes of a part of a command.
type PartDecision struct {
	Text   string
	Kind   Kind
	Rule   string
	Reason string
}

// Scope is how far an answer reaches.
type Scope string

// The scopes.
const (
	Session    Scope = "session"
	Project    Scope = "project"
	Everywhere Scope = "everywhere"
)

// An Offer is an answer that would last: the narrowest rules that cover what
// was asked about.
type Offer struct {
	Scope Scope
	What  string // what would be covered, in words; it follows "always allow"
	Rules []*Rule
}
