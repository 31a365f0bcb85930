package settings

import "math"

var generalSettings = []setting{
	{
		key:     "general.maxAttempts",
		doc:     "How often one model request is tried, the first time included.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.General.MaxAttempts },
		initial: 5, least: 1, most: 100,
	},
	{
		key:     "general.defaultApprovalMode",
		doc:     "The mode of a new session: `default` asks before anything is changed or run, `auto_edit` applies edits at once, `plan` only reads.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.DefaultApprovalMode },
		initial: "default", oneOf: []string{"default", "auto_edit", "plan"},
	},
	{
		key:     "general.sessionRetention.enabled",
		doc:     "Whether old sessions are deleted.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.Enabled },
		initial: true,
	},
	{
		key:     "general.sessionRetention.maxAge",
		doc:     "How long a session is kept after its last use, or its import; empty is for ever. Shorter than `minRetention`, nothing is deleted.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.MaxAge },
		initial: "30d",
	},
	{
		key:     "general.sessionRetention.maxCount",
		doc:     "How many sessions are kept, those used last; 0 is any number.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.MaxCount },
		initial: 0, least: 0, most: math.MaxInt32,
	},
	{
		key:     "general.sessionRetention.minRetention",
		doc:     "How long a session is kept in any case.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.MinRetention },
		initial: "1d",
	},
}
