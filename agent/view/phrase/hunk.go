package phrase

import "maps"

// hunkPhrases are the texts of hunks and their files, as [phrases].
var hunkPhrases = map[string]string{
	"hunk.modify":            "+{added} −{removed}",
	"hunk.create":            "Create this file",
	"hunk.delete":            "Delete this file",
	"hunk.rename":            "Rename this file to {path}",
	"hunk.applied_modify":    "Applied +{added} −{removed}",
	"hunk.applied_create":    "Created this file",
	"hunk.applied_delete":    "Deleted this file",
	"hunk.applied_rename":    "Renamed this file to {path}",
	"hunk.conflict":          "Conflict: {reason}",
	"hunk.binary":            "Changed; the file is not text",
	"hunk.large":             "Changed; the file is too large to show",
	"hunk.many":              "Changed; too many files were to show each",
	"hunk.runs":              "Tools of the project run this by themselves",
	"hunk.formatted":         "Formatted",
	"hunk.committed":         "In a commit that may not be yours, not reviewed",
	"hunk.bases":             "Builds on 1 other proposed change|Builds on {n} other proposed changes",
	"hunk.dependents":        "1 later change builds on it|{n} later changes build on it",
	"hunk.final":             "Cannot be undone: {reason}",
	"hunk.text":              "{text}",
	"hunk.accept_bases":      "Accept, with the change that it builds on|Accept, with the {n} changes that it builds on",
	"hunk.reject_dependents": "Reject; the change that builds on it goes too|Reject; the {n} changes that build on it go too",
	"hunk.undo_dependents":   "Undo; the change that builds on it goes too|Undo; the {n} changes that build on it go too",
	"hunk.try_again":         "Try again",
	"ask.undo_all":           "Undo 1 change that nobody has reviewed?|Undo {n} changes that nobody has reviewed?",
	"undo.all":               "Undo it|Undo all {n}",
	"undo.more":              "1 file is not shown in full|{n} files are not shown in full",
	"ask.which_file":         "For which file is this code?",
	"decided":                "{path}: {what}",
	"decided.line":           "{path}:{line} {text}",
	"check.verified":         "Verified: no new errors",
	"check.resolves":         "Verified: it resolves 1 error|Verified: it resolves {n} errors",
	"check.problems":         "1 new error|{n} new errors",
	"check.unverified":       "Not verified: {reason}",

	"file":            "{path}",
	"file.rename":     "{path} → {to}",
	"file.pending":    "1 pending|{n} pending",
	"file.unreviewed": "1 to review|{n} to review",
	"file.conflicted": "1 in conflict|{n} in conflict",
	"file.counts":     "+{added} −{removed}",
	"file.op_create":  "New file",
	"file.op_delete":  "Deletes the file",
	"file.note":       "{items}",
	"file.accept":     "Accept the change|Accept all {n} changes in this file",
	"file.reject":     "Reject the change|Reject all {n} changes in this file",
	"file.reject_why": "Reject all in this file, and say why…",
	"file.keep":       "Keep the change|Keep all {n} changes in this file",
	"file.undo":       "Undo the change|Undo all {n} changes in this file",
	"file.dismiss":    "Dismiss the conflict|Dismiss the {n} conflicts in this file",
	"decided.accept":  "Accepted 1 change.|Accepted {n} changes.",
	"decided.keep":    "Kept 1 change.|Kept {n} changes.",
	"decided.reject":  "Rejected 1 change.|Rejected {n} changes.",
	"all.accept":      "Accept the change|Accept all {n} changes",
	"all.reject":      "Reject the change|Reject all {n} changes",
	"all.keep":        "Keep the change|Keep all {n} changes",
	"all.undo":        "Undo the change|Undo all {n} changes",
}

// joined returns texts that are written in several places.
func joined(groups ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, g := range groups {
		maps.Copy(all, g)
	}
	return all
}
