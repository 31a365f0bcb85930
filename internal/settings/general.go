package settings

// General is what concerns every session.
type General struct {
	// The maximum number of attempts for a model request, including the first.
	MaxAttempts int `default:"5" range:"1..100" scope:"any"`
	// The approval mode of a new session: `default` asks before it edits, and about commands that
	// the sandbox does not decide, `auto_edit` applies edits at once, `plan` only reads.
	DefaultApprovalMode string `default:"default" values:"default auto_edit plan"`
	SessionRetention    SessionRetention
	Plan                Planning
}

// Planning says what plan mode does beside planning.
type Planning struct {
	// With an `auto` model, make plans with the strong model, and carry out an approved plan with
	// the fast one until the turn ends.
	ModelRouting bool `default:"true" scope:"any"`
}

// SessionRetention says which sessions are kept.
type SessionRetention struct {
	// Delete old sessions.
	Enabled bool `default:"true"`
	// The time after which an unused session is deleted, counted from its last use or its import;
	// empty means never. If it is shorter than `minRetention`, nothing is deleted.
	MaxAge Period `default:"30d"`
	// The number of most recently used sessions to keep; 0 means no limit.
	MaxCount int `range:"0.."`
	// The time for which a session is always kept.
	MinRetention Period `default:"1d"`
}

// Companion serves programs in terminals.
type Companion struct {
	// Serve Gemini CLI in the terminals of this machine: it learns which files the editor shows,
	// and its edits are reviewed there. See [gemini-cli.md](gemini-cli.md).
	Enabled bool
}

// Chat is about chat documents.
type Chat struct {
	// Where new [chat documents](chat-documents.md) are: in `.emendo/chats` of a trusted workspace
	// (`workspace`), or in emendo's state folder (`state`). Those of a restricted workspace are
	// always in the state folder.
	Folder string `default:"workspace" values:"workspace state" scope:"any"`
}
