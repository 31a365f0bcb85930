package settings

import "math"

var contextSettings = []setting{
	{
		key:     "context.fileName",
		doc:     "Names of files that tell the model how work is done, beside `AGENTS.md`, `GEMINI.md` and `CLAUDE.md`; one string may stand for a list of it. Every layer adds to the list.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.FileNames },
		initial: []string{}, joined: true, single: true,
	},
	{
		key:     "context.includeDirectoryTree",
		doc:     "Whether the model is shown a tree of a trusted workspace, of at most 200 files and folders, when a session begins.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.IncludeDirectoryTree },
		initial: true,
	},
	{
		key:     "context.fileFiltering.respectGitIgnore",
		doc:     "Whether searches and listings leave out what `.gitignore` names.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.FileFiltering.RespectGitIgnore },
		initial: true,
	},
	{
		key:     "context.fileFiltering.respectGeminiIgnore",
		doc:     "Whether searches and listings leave out what `.geminiignore` and `.emendoignore` name.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.FileFiltering.RespectGeminiIgnore },
		initial: true,
	},
	{
		key:     "context.includeDirectories",
		doc:     "Folders that belong to the workspace beside the project's own, from the next session on. Every layer adds to the list; a project names only folders inside it. In a trusted workspace, folders that are not trusted are left out.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.IncludeDirectories },
		initial: []string{}, joined: true, folders: true,
	},
	{
		key:     "contextManagement.tools.outputMasking.protectionThresholdTokens",
		doc:     "How many tokens of the newest answers of tools stay as they are. Older ones are masked: the model is shown their beginning and end and where the rest is kept.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.ContextManagement.Tools.OutputMasking.Protected },
		initial: 50_000, least: 1, most: math.MaxInt32,
	},
	{
		key:     "contextManagement.tools.outputMasking.minPrunableThresholdTokens",
		doc:     "How many tokens of older answers there have to be before they are masked.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.ContextManagement.Tools.OutputMasking.Prunable },
		initial: 30_000, least: 1, most: math.MaxInt32,
	},
	{
		key:     "contextManagement.tools.outputMasking.protectLatestTurn",
		doc:     "Whether answers that the model has not read yet are never masked.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.ContextManagement.Tools.OutputMasking.ProtectLatest },
		initial: true,
	},
}
