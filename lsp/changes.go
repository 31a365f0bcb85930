package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
)

// changeSet, fileChange and hunk are the ledger's values on the wire.
type changeSet struct {
	ChangeSetID string       `json:"changeSetId"`
	SessionID   string       `json:"sessionId"`
	TurnID      string       `json:"turnId"`
	CallID      string       `json:"toolCallId"`
	Title       string       `json:"title"`
	State       ledger.State `json:"state"`
	Files       []fileChange `json:"files"`
	Version     *int         `json:"version,omitzero"` // for clients that take deltas
}

type fileChange struct {
	URI         string    `json:"uri"`
	Op          ledger.Op `json:"op"`
	NewURI      ide.URI   `json:"newUri,omitzero"`
	Open        bool      `json:"openInEditor"`
	BaseVersion *int32    `json:"baseVersion,omitzero"`
	Diff        string    `json:"diff"`
	Hunks       []hunk    `json:"hunks"`
}

type hunk struct {
	HunkID  string       `json:"hunkId"`
	State   ledger.State `json:"state"`
	Range   ide.Range    `json:"range"`
	OldText string       `json:"oldText"`
	NewText string       `json:"newText"`
	Edited  bool         `json:"edited,omitzero"`
	Reason  string       `json:"reason,omitzero"`
}

type nearest struct {
	Range ide.Range `json:"range"`
	Text  string    `json:"text"`
}

func changeSetOf(cs ledger.ChangeSet) changeSet {
	w := changeSet{
		ChangeSetID: cs.ID, SessionID: cs.SessionID, TurnID: cs.TurnID, CallID: cs.CallID, Title: cs.Title, State: cs.State,
		Files: make([]fileChange, len(cs.Files)),
	}
	for i, f := range cs.Files {
		c := fileChange{URI: spelling(f), Op: f.Op, Open: f.Open, Diff: f.Diff, Hunks: make([]hunk, len(f.Hunks))}
		if f.Open {
			c.BaseVersion = &f.BaseVersion
		}
		if f.NewPath != "" {
			c.NewURI = ide.FileURI(f.NewPath)
		}
		for j, h := range f.Hunks {
			c.Hunks[j] = hunk{h.ID, h.State, h.Range, h.OldText, h.NewText, h.Edited, h.Reason}
		}
		w.Files[i] = c
	}
	return w
}

// spelling is a file's URI as the client writes it.
func spelling(f ledger.FileChange) string { return cmp.Or(f.Spelling, string(f.URI)) }

// changeSetsOf puts change sets on the wire, with the versions that the client
// had before they were read.
func changeSetsOf(l []ledger.ChangeSet, versions map[string]int) []changeSet {
	w := make([]changeSet, len(l))
	for i, cs := range l {
		w[i] = changeSetOf(cs)
		if v, ok := versions[cs.ID]; ok {
			w[i].Version = &v
		}
	}
	return w
}

type listChangesParams struct {
	URI       string `json:"uri"`
	SessionID string `json:"sessionId"`
	State     string `json:"state"`
}

type changeSets struct {
	ChangeSets []changeSet `json:"changeSets"`
}

func (s *server) listChanges(ctx context.Context, p listChangesParams) (any, error) {
	switch state := ledger.State(p.State); state {
	case "", ledger.Pending, ledger.Accepted, ledger.Rejected, ledger.Conflicted, ledger.Superseded, ledger.Partial:
	default:
		return nil, rpc.Errorf(rpc.InvalidParams, "there is no state %q", state)
	}
	h, err := s.needHost(ctx)
	if err != nil {
		return nil, err
	}
	var u ide.URI
	if p.URI != "" {
		u = ide.ParseURI(p.URI)
	}
	versions := s.announce.fed.versions()
	return changeSets{changeSetsOf(h.Ledger.List(p.SessionID, u, ledger.State(p.State)), versions)}, nil
}

type getChangesParams struct {
	ChangeSetID string `json:"changeSetId"`
}

type oneChangeSet struct {
	ChangeSet changeSet `json:"changeSet"`
}

func (s *server) getChanges(ctx context.Context, p getChangesParams) (any, error) {
	h, err := s.needHost(ctx)
	if err != nil {
		return nil, err
	}
	versions := s.announce.fed.versions()
	cs, err := h.Ledger.Get(p.ChangeSetID)
	if err != nil {
		return nil, err
	}
	return oneChangeSet{changeSetsOf([]ledger.ChangeSet{cs}, versions)[0]}, nil
}

type resolveParams struct {
	Decisions []decision `json:"decisions"`
	Comment   string     `json:"comment"`
}

type decision struct {
	ChangeSetID string  `json:"changeSetId"`
	URI         string  `json:"uri"`
	HunkID      string  `json:"hunkId"`
	Action      string  `json:"action"`
	Text        *string `json:"text"`
}

// resolution is the answer to decisions, given once the edits have come back.
type resolution struct {
	ChangeSets []changeSet `json:"changeSets"`
	Applied    []string    `json:"applied"`
	Conflicts  []conflict  `json:"conflicts"`
}

type conflict struct {
	HunkID  string   `json:"hunkId"`
	Reason  string   `json:"reason"`
	Nearest *nearest `json:"nearest,omitzero"`
}

func (s *server) resolveChanges(ctx context.Context, p resolveParams) (any, error) {
	if len(p.Decisions) == 0 {
		return nil, rpc.Errorf(rpc.InvalidParams, "there are no decisions")
	}
	ds := make([]ledger.Decision, len(p.Decisions))
	for i, d := range p.Decisions {
		ds[i] = ledger.Decision{ChangeSetID: d.ChangeSetID, HunkID: d.HunkID, Action: ledger.Action(d.Action), Text: d.Text}
		if d.URI != "" {
			ds[i].URI = ide.ParseURI(d.URI)
		}
		switch ds[i].Action {
		case ledger.Accept, ledger.Reject, ledger.Reopen:
		default:
			return nil, rpc.Errorf(rpc.InvalidParams, "there is no action %q; there are accept, reject and reopen", d.Action)
		}
	}
	return s.resolve(ctx, ds, p.Comment)
}

// resolve carries out decisions as one group.
func (s *server) resolve(ctx context.Context, ds []ledger.Decision, comment string) (resolution, error) {
	h, err := s.needHost(ctx)
	if err != nil {
		return resolution{}, err
	}
	versions := s.announce.fed.versions()
	r, err := h.Agent.Resolve(ctx, ds, comment)
	if err != nil {
		return resolution{}, err
	}
	w := resolution{ChangeSets: changeSetsOf(r.ChangeSets, versions), Applied: r.Applied}
	for _, c := range r.Conflicts {
		x := conflict{HunkID: c.HunkID, Reason: c.Reason}
		if c.Nearest != nil {
			x.Nearest = &nearest{c.Nearest.Range, c.Nearest.Text}
		}
		w.Conflicts = append(w.Conflicts, x)
	}
	return w, nil
}

// pending is a hunk that waits for a decision, and where it is.
type pending struct {
	ledger.Hunk
	set  ledger.ChangeSet
	file ledger.FileChange
	last *ide.Range // the last line, of a hunk that adds lines behind it; else nil
}

func (p pending) uri() string { return spelling(p.file) }

// pendingHunks are those of a document, or of all for the empty URI; none as
// long as there is no host.
func (s *server) pendingHunks(u ide.URI) []pending {
	h := s.host.now()
	if h == nil {
		return nil
	}
	var l []pending
	now := s.workspace.Snapshot()
	for _, cs := range h.Ledger.List("", u, ledger.Pending) {
		for _, f := range cs.Files {
			if u != "" && f.URI != u && ide.ParseURI(f.Spelling) != u {
				continue
			}
			d := now.Document(f.URI)
			l = slices.Grow(l, len(f.Hunks))
			for _, x := range f.Hunks {
				if x.State == ledger.Pending {
					l = append(l, pending{x, cs, f, s.lineBefore(d, x)})
				}
			}
		}
	}
	return l
}

// lineBefore returns the last line of a document for a hunk that adds lines
// behind it, where some editors do not let the cursor go; nil for other hunks.
func (s *server) lineBefore(d *ide.Document, h ledger.Hunk) *ide.Range {
	if d == nil || h.OldText != "" {
		return nil
	}
	n := d.Text.Lines() - 1
	if n == 0 || int(h.Range.Start.Line) != n || d.Text.LineStart(n) != d.Text.Len() {
		return nil
	}
	r := lineAround(d.Text, d.Text.LineStart(n-1), s.workspace.Encoding())
	return &r
}

// touches says whether a hunk's lines and those of a range meet. A range that
// ends where a line begins does not hold that line.
func (p pending) touches(r ide.Range) bool {
	if p.last != nil && p.last.Start.Line >= r.Start.Line && p.last.Start.Line <= lastLine(r) {
		return true
	}
	return p.Range.Start.Line <= lastLine(r) && r.Start.Line <= lastLine(p.Range)
}

func lastLine(r ide.Range) uint32 {
	if r.End.Character == 0 && r.End.Line > r.Start.Line {
		return r.End.Line - 1
	}
	return r.End.Line
}

// summary says in one line what the hunk does.
func (p pending) summary() string {
	switch p.file.Op {
	case ledger.Create:
		return fmt.Sprintf("create this file with %s", lines(p.NewText))
	case ledger.Delete:
		return "delete this file"
	case ledger.Rename:
		return "rename this file to " + oneLine(visible.Text(p.file.NewPath))
	case ledger.Modify:
	}
	switch {
	case p.OldText == "":
		return "insert " + lines(p.NewText)
	case p.NewText == "":
		return "delete " + lines(p.OldText)
	}
	return fmt.Sprintf("replace %s with %s", lines(p.OldText), lines(p.NewText))
}

// lines counts the lines of a text in words.
func lines(s string) string {
	// Only a lone carriage return makes it worth to split the text: a list of
	// hunks asks for each.
	n := strings.Count(s, "\n")
	if strings.Contains(s, "\r") {
		n = ide.NewText(s).Lines() - 1
	}
	if s != "" && !strings.HasSuffix(s, "\n") && !strings.HasSuffix(s, "\r") {
		n++
	}
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}
