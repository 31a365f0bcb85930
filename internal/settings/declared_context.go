package settings

import "math"

var contextSettings = []setting{
	{
		key:     "context.fileName",
		doc:     "Names of files with instructions for the model, in addition to `AGENTS.md`, `GEMINI.md` and `CLAUDE.md`: a list, or one string. Layers add to the list.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.FileNames },
		initial: []string{}, joined: true, single: true,
	},
	{
		key:     "context.includeDirectoryTree",
		doc:     "Show the model a tree of at most 200 files and folders of a trusted workspace when a session starts.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.IncludeDirectoryTree },
		initial: true,
	},
	{
		key:     "context.fileFiltering.respectGitIgnore",
		doc:     "Leave files that match `.gitignore` out of searches and listings.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.FileFiltering.RespectGitIgnore },
		initial: true,
	},
	{
		key:     "context.fileFiltering.respectGeminiIgnore",
		doc:     "Leave files that match `.geminiignore` or `.emendoignore` out of searches and listings.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.FileFiltering.RespectGeminiIgnore },
		initial: true,
	},
	{
		key:     "context.includeDirectories",
		doc:     "Additional folders of the workspace, from the next session on. Layers add to the list; a project can only name folders inside it. A trusted workspace leaves out folders that are not trusted.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.IncludeDirectories },
		initial: []string{}, joined: true, folders: true,
	},
	{
		key:     "contextManagement.tools.outputMasking.protectionThresholdTokens",
		doc:     "The number of tokens of the newest tool results that are kept in full. Older results are masked: the model sees their beginning and end, and where to read the rest.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.ContextManagement.Tools.OutputMasking.Protected },
		initial: 50_000, least: 1, most: math.MaxInt32,
	},
	{
		key:     "contextManagement.tools.outputMasking.minPrunableThresholdTokens",
		doc:     "The number of tokens of older tool results from which they are masked.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.ContextManagement.Tools.OutputMasking.Prunable },
		initial: 30_000, least: 1, most: math.MaxInt32,
	},
	{
		key:     "contextManagement.tools.outputMasking.protectLatestTurn",
		doc:     "Never mask results that the model has not read yet.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.ContextManagement.Tools.OutputMasking.ProtectLatest },
		initial: true,
	},
}
