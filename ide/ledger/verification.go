package ledger

import "github.com/emendo-dev/emendo/ide"

// Verification is the result of checking proposed text before it was shown. The
// zero value means that no check was intended.
type Verification struct {
	State      Verdict `json:"state"`
	Introduced int     `json:"introduced,omitempty"` // errors that the proposal introduces
	Resolved   int     `json:"resolved,omitempty"`   // errors that the proposal resolves
	Reason     string  `json:"reason,omitempty"`     // why it is Unverified; empty if no language server checks the file
	// Problems are errors that the proposal introduces, the first of them: perhaps fewer
	// than Introduced.
	Problems []Problem `json:"problems,omitempty"`
}

// Problem is an error that a proposal introduces.
type Problem struct {
	Range   ide.Range `json:"range"`   // in the proposed text, in the editor's positions
	Message string    `json:"message"` // one line
}

// Verdict is the outcome of a check.
type Verdict string

// The verdicts, from the best to the worst.
const (
	Verified   Verdict = "verified"
	Unverified Verdict = "unverified"
	Problems   Verdict = "problems"
)

// Verification returns the worst verdict of the files and the errors of all. It is
// zero if no file was to be checked. The errors themselves are those of the files.
func (cs ChangeSet) Verification() Verification {
	var all Verification
	rank := map[Verdict]int{Verified: 1, Unverified: 2, Problems: 3}
	for _, f := range cs.Files {
		v := f.Verification
		if rank[v.State] > rank[all.State] {
			all.State, all.Reason = v.State, v.Reason
		}
		all.Introduced += v.Introduced
		all.Resolved += v.Resolved
	}
	return all
}
