package settings

import "math"

// General is what concerns every session.
type General struct {
	// MaxAttempts is how often one model request is tried, the first included.
	MaxAttempts int
	// DefaultApprovalMode is the mode of a new session: "default", "auto_edit"
	// or "plan".
	DefaultApprovalMode string
	SessionRetention    SessionRetention
	Plan                Planning
}

// Planning says what plan mode does beside planning.
type Planning struct {
	// ModelRouting chooses the model by it, where that is left open.
	ModelRouting bool
}

// SessionRetention says which sessions are kept.
type SessionRetention struct {
	Enabled      bool
	MaxAge       Period // since the last use; zero: any
	MaxCount     int    // zero: any
	MinRetention Period // what is younger is kept in any case
}

// Companion serves programs in terminals.
type Companion struct{ Enabled bool }

// Chat is about chat documents.
type Chat struct{ Folder string }

var generalSettings = []setting{
	{
		key:     "general.maxAttempts",
		doc:     "The maximum number of attempts for a model request, including the first.",
		scope:   anyone,
		initial: 5, least: 1, most: 100,
	},
	{
		key:     "general.defaultApprovalMode",
		doc:     "The approval mode of a new session: `default` asks before it edits, and about commands that the sandbox does not decide, `auto_edit` applies edits at once, `plan` only reads.",
		initial: "default", oneOf: []string{"default", "auto_edit", "plan"},
	},
	{
		key:     "general.sessionRetention.enabled",
		doc:     "Delete old sessions.",
		initial: true,
	},
	{
		key:     "general.sessionRetention.maxAge",
		doc:     "The time after which an unused session is deleted, counted from its last use or its import; empty means never. If it is shorter than `minRetention`, nothing is deleted.",
		initial: "30d",
	},
	{
		key:   "general.sessionRetention.maxCount",
		doc:   "The number of most recently used sessions to keep; 0 means no limit.",
		least: 0, most: math.MaxInt32,
	},
	{
		key:     "general.sessionRetention.minRetention",
		doc:     "The time for which a session is always kept.",
		initial: "1d",
	},
}

var companionSettings = []setting{
	{
		key: "companion.enabled",
		doc: "Serve Gemini CLI in the terminals of this machine: it learns which files the editor shows, and its edits are reviewed there. " +
			"See [gemini-cli.md](gemini-cli.md).",
	},
}

var chatSettings = []setting{
	{
		key: "chat.folder",
		doc: "Where new [chat documents](chat-documents.md) are: in `.emendo/chats` of a trusted workspace (`workspace`), or in emendo's state folder (`state`). " +
			"Those of a restricted workspace are always in the state folder.",
		scope:   anyone,
		initial: "workspace", oneOf: []string{"workspace", "state"},
	},
}
