package tools

// Reading returns the tools that only read files.
func Reading() []Tool {
	return []Tool{NewReadFile(), NewListDirectory(), NewGlob(), NewGrepSearch()}
}

// All returns the tools of this package. Others are in the
// packages below this one.
func All() []Tool {
	return append(Reading(), NewReadManyFiles(), NewReplace(), NewWriteFile(), NewMoveFile(), NewDeleteFile(),
		NewEnterPlanMode(), NewExitPlanMode())
}
