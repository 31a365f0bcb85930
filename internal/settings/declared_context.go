package settings

import "math"

// Context is what the model may be shown.
type Context struct {
	// FileNames are names of further context files, without folders.
	FileNames []string `key:"context.fileName"`
	// IncludeDirectoryTree shows the model a tree of the workspace.
	IncludeDirectoryTree bool
	FileFiltering        FileFiltering
	// IncludeDirectories are folders beside the project's, as written.
	IncludeDirectories []string
}

// FileFiltering selects the ignore files that searches and listings respect.
type FileFiltering struct {
	RespectGitIgnore    bool
	RespectGeminiIgnore bool // .geminiignore and .emendoignore
}

// ContextManagement says how a conversation is kept short.
type ContextManagement struct {
	Tools struct{ OutputMasking OutputMasking }
}

// OutputMasking says which old answers of tools are masked.
type OutputMasking struct {
	Protected     int  `key:"contextManagement.tools.outputMasking.protectionThresholdTokens"`  // tokens of the newest answers that stay
	Prunable      int  `key:"contextManagement.tools.outputMasking.minPrunableThresholdTokens"` // tokens of older ones from which masking is worth it
	ProtectLatest bool `key:"contextManagement.tools.outputMasking.protectLatestTurn"`          // the answers of the last step stay in any case
}

var contextSettings = []setting{
	{
		key:    "context.fileName",
		doc:    "Names of files with instructions for the model, in addition to `AGENTS.md`, `GEMINI.md` and `CLAUDE.md`: a list, or one string. Layers add to the list.",
		scope:  anyone,
		joined: true, single: true,
	},
	{
		key:     "context.includeDirectoryTree",
		doc:     "Show the model a tree of at most 200 files and folders of a trusted workspace when a session starts.",
		scope:   anyone,
		initial: true,
	},
	{
		key:     "context.fileFiltering.respectGitIgnore",
		doc:     "Leave files that match `.gitignore` out of searches and listings.",
		scope:   anyone,
		initial: true,
	},
	{
		key:     "context.fileFiltering.respectGeminiIgnore",
		doc:     "Leave files that match `.geminiignore` or `.emendoignore` out of searches and listings.",
		scope:   anyone,
		initial: true,
	},
	{
		key:    "context.includeDirectories",
		doc:    "Additional folders of the workspace, from the next session on. Layers add to the list; a project can only name folders inside it. A trusted workspace leaves out folders that are not trusted.",
		scope:  anyone,
		joined: true, folders: true,
	},
	{
		key:     "contextManagement.tools.outputMasking.protectionThresholdTokens",
		doc:     "The number of tokens of the newest tool results that are kept in full. Older results are masked: the model sees their beginning and end, and where to read the rest.",
		scope:   anyone,
		initial: 50_000, least: 1, most: math.MaxInt32,
	},
	{
		key:     "contextManagement.tools.outputMasking.minPrunableThresholdTokens",
		doc:     "The number of tokens of older tool results from which they are masked.",
		scope:   anyone,
		initial: 30_000, least: 1, most: math.MaxInt32,
	},
	{
		key:     "contextManagement.tools.outputMasking.protectLatestTurn",
		doc:     "Never mask results that the model has not read yet.",
		scope:   anyone,
		initial: true,
	},
}
