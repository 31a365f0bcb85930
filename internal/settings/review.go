package settings

// Review says what counts as review of what was changed without asking.
type Review struct {
	// Let your own commits count as review: what was changed without asking is kept once you have
	// committed it. Commits that were made while an agent or one of its commands ran in the
	// repository never count.
	KeepOnCommit bool `default:"true" scope:"any"`
}
