package tools

// Reading returns the tools that only read files.
func Reading() []Tool {
	return []Tool{NewReadFile(), NewListDirectory(), NewGlob(), NewGrepSearch()}
}

// All returns the tools of this package. Those that run commands are in package shell.
func All() []Tool {
	return append(Reading(), NewReplace(), NewWriteFile(), NewMoveFile(), NewDeleteFile(), NewSaveMemory(),
		NewWriteTodos(), NewAskUser(), NewEnterPlanMode(), NewExitPlanMode())
}
