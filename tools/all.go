package tools

// Reading returns the tools that only read files.
func Reading() []Tool {
	return []Tool{ReadFile, ListDirectory, Glob, GrepSearch}
}

// All returns the tools of this package. Others are in the
// packages below this one.
func All() []Tool {
	return append(Reading(), ReadManyFiles, Replace, WriteFile, MoveFile, DeleteFile, EnterPlanMode, ExitPlanMode)
}
