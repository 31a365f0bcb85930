package settings

// Context is what the model may be shown.
type Context struct {
	// Names of files with instructions for the model, in addition to `AGENTS.md`, `GEMINI.md` and
	// `CLAUDE.md`: a list, or one string. Layers add to the list.
	FileNames []string `key:"context.fileName" scope:"any" how:"joined single"`
	// Show the model a tree of at most 200 files and folders of a trusted workspace when a session
	// starts.
	IncludeDirectoryTree bool `default:"true" scope:"any"`
	FileFiltering        FileFiltering
	// Additional folders of the workspace, from the next session on. Layers add to the list; a
	// project can only name folders inside it. A trusted workspace leaves out folders that are not
	// trusted.
	IncludeDirectories []string `scope:"any" how:"joined folders"`
}

// FileFiltering selects the ignore files that searches and listings respect.
type FileFiltering struct {
	// Leave files that match `.gitignore` out of searches and listings.
	RespectGitIgnore bool `default:"true" scope:"any"`
	// Leave files that match `.geminiignore` or `.emendoignore` out of searches and listings.
	RespectGeminiIgnore bool `default:"true" scope:"any"`
}

// ContextManagement says how a conversation is kept short.
type ContextManagement struct {
	Tools struct{ OutputMasking OutputMasking }
}

// OutputMasking says which old answers of tools are masked.
type OutputMasking struct {
	// The number of tokens of the newest tool results that are kept in full. Older results are
	// masked: the model sees their beginning and end, and where to read the rest.
	Protected int `key:"contextManagement.tools.outputMasking.protectionThresholdTokens" default:"50000" range:"1.." scope:"any"`
	// The number of tokens of older tool results from which they are masked.
	Prunable int `key:"contextManagement.tools.outputMasking.minPrunableThresholdTokens" default:"30000" range:"1.." scope:"any"`
	// Never mask results that the model has not read yet.
	ProtectLatest bool `key:"contextManagement.tools.outputMasking.protectLatestTurn" default:"true" scope:"any"`
}
