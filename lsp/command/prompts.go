package command

// tasks are the commands about a range: what the model is asked, and the
// instruction it gets if the user adds none.
var tasks = map[string]task{
	"emendo.explain":  {"explain", "Explain the code in %s.", "Say what it does, why it may be written this way, and what could surprise a reader. Do not change anything."},
	"emendo.fix":      {"fix", "Fix the code in %s.", "Fix what is wrong and nothing else."},
	"emendo.edit":     {"edit", "Edit the code in %s.", defaultEdit},
	"emendo.test":     {"test", "Write tests for the code in %s.", "Follow the conventions of the project's existing tests."},
	"emendo.document": {"document", "Document the code in %s.", "Follow the documentation conventions of the language and the project. Do not change code."},
	"emendo.review":   {"review", "Review the code in %s.", "Look for bugs first, then for code that is hard to read. Say where each problem is and how to fix it. Do not change anything."},
}

type task struct {
	name               string // of the texts task.NAME
	format             string // with a verb for the place
	defaultInstruction string
}

// The other texts of prompts that commands write.
const (
	defaultEdit   = "Make it clearer without changing its behavior."
	editReach     = "\n\nEdit %s, and other lines only where that needs it."
	editorReports = "\n\nThe editor reports:\n- "
	aboutHunk     = "\n\nThis is about the following proposed change, which has not been applied:\n\n"

	aboutFinding   = "\n\nA review found this there (%s): %s\n\n%s"
	explainFinding = "Say when it happens and what it leads to, show how that can be seen, and how it could be fixed. If it is no problem, say so. Do not change anything."

	explainChanges = "Explain these changes: what they do, why they may have been made, and what could go wrong. Do not change anything."
	writeCommit    = "Write a commit message for these changes: a subject line of at most 72 characters in the imperative, then, after an empty line, a short body that says why, if that is not obvious. Follow the style of earlier messages where you know it. Answer with the message alone."
)
