package phrase

// plainPhrases are the texts about hunks in clients that draw none themselves, as [phrases].
var plainPhrases = map[string]string{
	"plain.lines":   "1 line|{n} lines",
	"plain.changes": "1 change|{n} changes",
	"plain.files":   "1 file|{n} files",

	"plain.insert":  "insert {new}",
	"plain.remove":  "delete {old}",
	"plain.replace": "replace {old} with {new}",
	"plain.create":  "create this file with {new}",
	"plain.delete":  "delete this file",
	"plain.rename":  "rename this file to {path}",

	"plain.applied_insert":  "inserted {new}",
	"plain.applied_remove":  "deleted {old}",
	"plain.applied_replace": "replaced {old} with {new}",
	"plain.applied_create":  "created this file with {new}",
	"plain.applied_delete":  "deleted this file",
	"plain.applied_rename":  "renamed this file to {path}",
	"plain.applied_binary":  "changed this file, which is not text",
	"plain.applied_large":   "changed this file, which is too large to show",
	"plain.applied_many":    "changed this file, one of too many to show each",

	"plain.proposes":   "emendo proposes to {what} ({title})",
	"plain.pending":    "{title}: {what}",
	"plain.unreviewed": "{title}: {what}; not reviewed yet",
	"plain.excerpt":    "{what}: {text}",
	"plain.at":         "{path}:{line}: {what}",

	"plain.accept":            "Accept: {what}",
	"plain.accept_bases":      "Accept, with the change that it builds on: {what}|Accept, with the {n} changes that it builds on: {what}",
	"plain.reject":            "Reject: {what}",
	"plain.reject_dependents": "Reject, with the change that builds on it: {what}|Reject, with the {n} changes that build on it: {what}",
	"plain.keep":              "Keep: {what}",
	"plain.undo":              "Undo: {what}",
	"plain.undo_dependents":   "Undo, with the change that builds on it: {what}|Undo, with the {n} changes that build on it: {what}",
	"plain.comment":           "Comment on this change",
	"plain.comment_lines":     "Comment on the selected lines",
	"plain.explain":           "Explain this change with emendo",

	"plain.fix_finding":     "Fix: {title}",
	"plain.explain_finding": "Explain: {title}",
	"plain.dismiss_finding": "Dismiss: {title}",
	"plain.none_found":      "There is no finding at the cursor.",
	"plain.none_changed":    "There are no changes to review.",

	"plain.accepted":  "Accepted {changes} in {files}.",
	"plain.rejected":  "Rejected {changes} in {files}.",
	"plain.kept":      "Kept {changes} in {files}.",
	"plain.undone":    "Undid {changes} in {files}.",
	"plain.conflicts": "{n} of {all} changes was not made: {reason}|{n} of {all} changes were not made: {reason}",

	"plain.none_pending":    "no proposed change at the cursor: go to one with emendo.nextHunk",
	"plain.none_unreviewed": "no change to review at the cursor: go to one with emendo.nextHunk",
	"plain.reviewed":        "Nothing is left to review.",
	"plain.left":            "{changes} left to review: {files}",
	"plain.left_in":         "{path} ({n})",
	"plain.more":            "1 more|{n} more",
}
