package settings

import "strings"

var languageSettings = []setting{
	{
		key:     "languageServers.enabled",
		doc:     "Start language servers that are installed on this machine, in trusted folders only. See [language-servers.md](language-servers.md).",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.LanguageServers.Enabled },
		initial: true,
	},
	{
		key: "languageServers.servers",
		doc: "Additional language servers, or changes to the known ones, by program name: `{\"zls\": {\"command\": [\"zls\"], \"extensions\": {\".zig\": \"zig\"}}}`. " +
			"`extensions` maps file extensions to LSP language IDs. `initializationOptions` is sent to the server, and `\"disabled\": true` disables one.",
		scope:  user,
		field:  func(s *Settings) any { return &s.LanguageServers.Servers },
		object: "an object: names to language servers",
		valid: func(s *Settings) error {
			for name, server := range s.LanguageServers.Servers {
				for ext := range server.Extensions {
					if !strings.HasPrefix(ext, ".") {
						return &innerError{[]string{name, "extensions", ext}, "must begin with a dot"}
					}
				}
			}
			return nil
		},
	},
	{
		key: "edits.wait",
		doc: "What waits for your decision about proposed edits: `turn` lets the model go on and has its commands wait, `always` has each edit wait, and `never` lets commands run on the files without them. " +
			"It applies to editors in which you decide change by change; others are asked about each edit.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Edits.Wait },
		initial: "turn", oneOf: []string{"turn", "always", "never"},
	},
	{
		key:     "edits.verify",
		doc:     "Check edits with a language server before you see them, and show the errors that they introduce. The model corrects errors of syntax first.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Edits.Verify },
		initial: true,
	},
	{
		key:     "edits.verifyTimeoutMs",
		doc:     "How long edits wait for that check, in milliseconds. Then they are shown unverified.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Edits.VerifyTimeout },
		initial: 1500, least: 0, most: 60_000,
	},
}
