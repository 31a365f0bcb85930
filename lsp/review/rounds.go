package review

import (
	"context"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/client"
)

type diffParams struct {
	SessionID string `json:"sessionId"`
	From      *int   `json:"from"`
	To        *int   `json:"to"`
	URI       string `json:"uri"`
}

type roundsDiff struct {
	Files []roundsFile `json:"files"`
}

// roundsFile is the wire form of what became of a file between two rounds. Its hunks cannot be
// decided.
type roundsFile struct {
	URI     ide.URI         `json:"uri"`
	Op      ledger.Op       `json:"op"`
	Open    bool            `json:"openInEditor"`
	Diff    string          `json:"diff"`
	Omitted ledger.Omission `json:"omitted,omitzero"`
	Hunks   []roundsHunk    `json:"hunks"`
}

type roundsHunk struct {
	Range   ide.Range `json:"range"` // in the text of the later round
	OldText string    `json:"oldText"`
	NewText string    `json:"newText"`
}

// Compare answers emendo/changes/diff.
func (v *Review) Compare(ctx context.Context, p diffParams) (any, error) {
	if err := client.Require(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	if p.From == nil || *p.From < 0 || p.To != nil && *p.To < *p.From {
		return nil, client.Invalid("invalid params: from is a round, or 0 for what was before the first, and to is not before it")
	}
	ses, err := v.c.Host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	info := ses.Info()
	to := info.Round()
	if p.To != nil {
		to = *p.To
	}
	compared, err := agent.CommentsOf(ses).Compare(*p.From, to)
	if err != nil {
		return nil, err
	}
	out := roundsDiff{Files: []roundsFile{}}
	snapshot := v.c.Workspace.Snapshot()
	for _, c := range compared {
		u := ide.URI(c.Name)
		if filepath.IsAbs(c.Name) {
			u = ide.FileURI(c.Name)
		}
		if p.URI == "" || ide.ParseURI(p.URI) == u {
			f := v.compared(c, u)
			f.Open = snapshot.Document(u) != nil
			out.Files = append(out.Files, f)
		}
	}
	return out, nil
}

// compared returns the wire form of what became of a file.
func (v *Review) compared(c rewind.Compared, u ide.URI) roundsFile {
	f := roundsFile{URI: u, Op: ledger.Modify, Hunks: []roundsHunk{}}
	switch {
	case !c.Before.Exists:
		f.Op = ledger.Create
	case !c.After.Exists:
		f.Op = ledger.Delete
	}
	if c.Before.Binary || c.After.Binary {
		f.Omitted = ledger.Binary
		return f
	}
	name := v.c.Near(c.Name)
	f.Diff = diff.Unified(name, name, c.Before.Text, c.After.Text)
	text := ide.NewText(c.After.Text)
	for _, b := range diff.Hunks(c.Before.Text, c.After.Text) {
		f.Hunks = append(f.Hunks, roundsHunk{text.Range(b.New.A, b.New.B, v.c.Workspace.Encoding()), c.Before.Text[b.Old.A:b.Old.B], c.After.Text[b.New.A:b.New.B]})
	}
	return f
}
