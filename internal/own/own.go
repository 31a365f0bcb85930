// Package own names the folders of a project whose files decide what emendo does. Whoever
// reads, lists or protects them asks here, so that none is forgotten.
package own

// The folders of a project. Gemini CLI has the second in the user's home too.
const (
	Emendo = ".emendo"
	Gemini = ".gemini"
)

// Folders returns both in the order in which their files count: the last wins.
func Folders() []string { return []string{Gemini, Emendo} }
