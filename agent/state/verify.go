package state

import (
	"context"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// A Verifier checks the text of edits before the user sees them. A [Supply] may be
// one.
type Verifier interface {
	// Verify returns the results by the name of each file that it checks. It keeps
	// its own time limit.
	Verify(ctx context.Context, files []ledger.Proposed) map[string]Verified
	// Expect prepares for an edit of a file, without waiting.
	Expect(path string)
}

// A Rechecker knows the errors that an edit of an open file introduces once it is
// applied. A [Supply] may be one.
type Rechecker interface {
	// Recheck notes what is wrong with a file before its edit. After the edit,
	// introduced waits for its errors and returns them for the model; it keeps its own
	// time limit. nil: the file is not rechecked.
	Recheck(ctx context.Context, f ledger.Proposed) (introduced func(context.Context) string)
}

// Recheck is that of the first supply that rechecks the file.
func (s *Session) Recheck(ctx context.Context, f ledger.Proposed) (introduced func(context.Context) string) {
	for _, supply := range s.Supplies {
		if o, ok := supply.(Rechecker); ok {
			if introduced := o.Recheck(ctx, f); introduced != nil {
				return introduced
			}
		}
	}
	return nil
}

// Verified is the result of checking one file.
type Verified struct {
	ledger.Verification

	Problems string // the introduced errors, for the model
	// Formatted is the formatted text if it is to be proposed instead; else empty.
	Formatted string
}

// Verify checks the files after all edits together. A file that is edited more than
// once counts as edited once, from the first text to the last. The result has every
// file that is created or modified.
func (s *Session) Verify(ctx context.Context, edits []ledger.Proposed) map[string]Verified {
	var files []ledger.Proposed
	at := map[string]int{}
	for _, f := range edits {
		if f.Op != ledger.Create && f.Op != ledger.Modify {
			continue
		}
		i, again := at[f.Name()]
		if !again {
			i = len(files)
			at[f.Name()] = i
			files = append(files, f)
		}
		files[i].New = f.New
	}
	found := map[string]Verified{}
	for _, f := range files {
		found[f.Name()] = Verified{Verification: ledger.Verification{State: ledger.Unverified}} // unless a verifier checks it
	}
	for _, supply := range s.Supplies {
		if v, ok := supply.(Verifier); ok && len(files) > 0 {
			for name, result := range v.Verify(ctx, files) {
				found[name] = result
			}
		}
	}
	return found
}

// expectEdit prepares for an edit of a file that a call has read.
func (s *Session) expectEdit(path string) {
	for _, supply := range s.Supplies {
		if v, ok := supply.(Verifier); ok {
			v.Expect(path)
		}
	}
}
