package settings

import "math"

var generalSettings = []setting{
	{
		key:     "general.maxAttempts",
		doc:     "The maximum number of attempts for a model request, including the first.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.General.MaxAttempts },
		initial: 5, least: 1, most: 100,
	},
	{
		key:     "general.defaultApprovalMode",
		doc:     "The approval mode of a new session: `default` asks before it edits, and about commands that the sandbox does not decide, `auto_edit` applies edits at once, `plan` only reads.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.DefaultApprovalMode },
		initial: "default", oneOf: []string{"default", "auto_edit", "plan"},
	},
	{
		key:     "general.sessionRetention.enabled",
		doc:     "Delete old sessions.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.Enabled },
		initial: true,
	},
	{
		key:     "general.sessionRetention.maxAge",
		doc:     "The time after which an unused session is deleted, counted from its last use or its import; empty means never. If it is shorter than `minRetention`, nothing is deleted.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.MaxAge },
		initial: "30d",
	},
	{
		key:     "general.sessionRetention.maxCount",
		doc:     "The number of most recently used sessions to keep; 0 means no limit.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.MaxCount },
		initial: 0, least: 0, most: math.MaxInt32,
	},
	{
		key:     "general.sessionRetention.minRetention",
		doc:     "The time for which a session is always kept.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.MinRetention },
		initial: "1d",
	},
}

var companionSettings = []setting{
	{
		key: "companion.enabled",
		doc: "Serve Gemini CLI in the terminals of this machine: it learns which files the editor shows, and its edits are reviewed there. " +
			"See [gemini-cli.md](gemini-cli.md).",
		scope:   user,
		field:   func(s *Settings) any { return &s.Companion.Enabled },
		initial: false,
	},
}

var chatSettings = []setting{
	{
		key: "chat.folder",
		doc: "Where new [chat documents](chat-documents.md) are: in `.emendo/chats` of a trusted workspace (`workspace`), or in emendo's state folder (`state`). " +
			"Those of a restricted workspace are always in the state folder.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Chat.Folder },
		initial: "workspace", oneOf: []string{"workspace", "state"},
	},
}
