package phrase

// taskPhrases are the texts about commands that run beside conversations, as [phrases].
var taskPhrases = map[string]string{
	"task.show":           "Show the conversation",
	"task.explain":        "Explains {name}",
	"task.fix":            "Fixes {name}",
	"task.test":           "Writes tests for {name}",
	"task.document":       "Documents {name}",
	"task.review":         "Reviews {name}",
	"task.ask":            "Answers about {name}",
	"task.edit":           "Edits {name}",
	"task.commit":         "Writes a commit message",
	"task.changes":        "Explains the changes",
	"task.review_changes": "Reviews the changes",
	"review.uncommitted":  "Changes that are not committed",
	"review.staged":       "Staged changes",
	"review.commit":       "Changes of a commit",
	"review.branch":       "Changes of a branch",
	"task.instruction":    "{instruction}",
	"task.proposed":       "Decide on its edits",
	"task.nothing":        "No edit was proposed.",
	"task.left_out":       "Not sent: the changes of a file that may hold secrets|Not sent: the changes of {n} files that may hold secrets",
}
