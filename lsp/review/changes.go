package review

import (
	"cmp"
	"context"
	"slices"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/client"
)

// changeSet, fileChange and hunk are the wire form of the ledger's values.
type changeSet struct {
	ChangeSetID string        `json:"changeSetId"`
	SessionID   string        `json:"sessionId,omitzero"`
	TurnID      string        `json:"turnId,omitzero"`
	CallID      string        `json:"toolCallId,omitzero"`
	Title       string        `json:"title"`
	Origin      ledger.Origin `json:"origin,omitzero"`
	State       ledger.State  `json:"state"`
	Round       int           `json:"round,omitzero"` // of the session's comments
	Since       int           `json:"since,omitzero"`
	Files       []fileChange  `json:"files"`

	Verification *verification `json:"verification,omitzero"`

	Version *int `json:"version,omitzero"` // for clients that take deltas
}

type fileChange struct {
	URI         string          `json:"uri"`
	Op          ledger.Op       `json:"op"`
	NewURI      ide.URI         `json:"newUri,omitzero"`
	Open        bool            `json:"openInEditor"`
	BaseVersion *int32          `json:"baseVersion,omitzero"`
	Diff        string          `json:"diff"`
	Runs        bool            `json:"runs,omitzero"`
	Omitted     ledger.Omission `json:"omitted,omitzero"`
	Hunks       []hunk          `json:"hunks"`

	Verification *verification `json:"verification,omitzero"`
}

type verification struct {
	State      ledger.Verdict `json:"state"`
	Introduced int            `json:"introduced"`
	Resolved   int            `json:"resolved"`
	Reason     string         `json:"reason,omitzero"`
	Problems   []problem      `json:"problems,omitempty"`
}

type problem struct {
	URI string `json:"uri"`
	ledger.Problem
}

// verificationOf returns the wire form of a check with the problems of its files; nil if no
// check was meant to be made.
func verificationOf(v ledger.Verification, files ...ledger.FileChange) *verification {
	if v.State == "" {
		return nil
	}
	w := verification{State: v.State, Introduced: v.Introduced, Resolved: v.Resolved, Reason: v.Reason}
	for _, f := range files {
		for _, p := range f.Verification.Problems {
			w.Problems = append(w.Problems, problem{spelling(f), p})
		}
	}
	return &w
}

type hunk struct {
	HunkID  string       `json:"hunkId"`
	State   ledger.State `json:"state"`
	Range   ide.Range    `json:"range"`
	OldText string       `json:"oldText"`
	NewText string       `json:"newText"`
	Edited  bool         `json:"edited,omitzero"`
	Reason  string       `json:"reason,omitzero"`

	Reviewed *bool `json:"reviewed,omitzero"` // absent while it is not decided; one of two values, so that hunks can be compared

	Formatted bool `json:"formatted,omitzero"`
	Committed bool `json:"committed,omitzero"`

	Because string `json:"because,omitzero"` // the hunk that it went with

	*view.Entry // in a list, of one that was decided, for clients that draw
}

var isReviewed, isUnreviewed = new(true), new(false)

// reviewedOf reports whether the user decided a hunk; nil for one that is neither applied nor
// rejected.
func reviewedOf(h ledger.Hunk) *bool {
	switch {
	case h.Reviewed():
		return isReviewed
	case h.Unreviewed(), h.TakenBack():
		return isUnreviewed
	}
	return nil
}

func changeSetOf(cs ledger.ChangeSet) changeSet {
	w := changeSet{
		ChangeSetID: cs.ID, SessionID: cs.SessionID, TurnID: cs.TurnID, CallID: cs.CallID, Title: cs.Title, Origin: cs.Origin, State: cs.State, Round: roundOf(cs), Since: cs.Since,
		Files: make([]fileChange, len(cs.Files)), Verification: verificationOf(cs.Verification(), cs.Files...),
	}
	for i, f := range cs.Files {
		c := fileChange{URI: spelling(f), Op: f.Op, Open: f.Open, Diff: f.Diff, Runs: f.Runs, Omitted: f.Omitted, Hunks: make([]hunk, len(f.Hunks)), Verification: verificationOf(f.Verification, f)}
		if f.Open {
			c.BaseVersion = &f.BaseVersion
		}
		if f.NewPath != "" {
			c.NewURI = ide.FileURI(f.NewPath)
		}
		for j, h := range f.Hunks {
			c.Hunks[j] = hunk{h.ID, h.State, h.Range, h.OldText, h.NewText, h.Edited, h.Reason, reviewedOf(h), h.Formatted, h.Committed, h.Because, nil}
		}
		w.Files[i] = c
	}
	return w
}

// roundOf returns the round of a change set; zero if it is of no session.
func roundOf(cs ledger.ChangeSet) int {
	if cs.SessionID == "" {
		return 0
	}
	return max(cs.Round, 1) // a log of an earlier version has none
}

// spelling returns a file's URI as the client writes it.
func spelling(f ledger.FileChange) string { return cmp.Or(f.Spelling, string(f.URI)) }

// changeSetsOf returns the wire form of change sets, with the versions that the
// client had before they were read.
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
	Reviewed  *bool  `json:"reviewed"`
	Origin    string `json:"origin"`
	Round     *int   `json:"round"`
}

// matches reports whether a change set is of the origin and the round, and has a hunk that is reviewed, or is to be.
func (p listChangesParams) matches(cs ledger.ChangeSet) bool {
	if p.Origin != "" && string(cs.Origin) != p.Origin {
		return false
	}
	if p.Round != nil && roundOf(cs) != *p.Round {
		return false
	}
	return p.Reviewed == nil || slices.ContainsFunc(cs.Files, func(f ledger.FileChange) bool {
		return slices.ContainsFunc(f.Hunks, func(h ledger.Hunk) bool { return *p.Reviewed && h.Reviewed() || !*p.Reviewed && h.Unreviewed() })
	})
}

type changeSets struct {
	ChangeSets []changeSet `json:"changeSets"`
}

// List answers emendo/changes/list.
func (v *Review) List(ctx context.Context, p listChangesParams) (any, error) {
	if state := ledger.State(p.State); state != "" && !state.Known() {
		return nil, client.Invalid("unknown state %q", state)
	}
	switch ledger.Origin(p.Origin) {
	case "", ledger.OfEdit, ledger.OfCommand, "outside", "user":
	default:
		return nil, client.Invalid("unknown origin %q", p.Origin)
	}
	h, err := v.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	var u ide.URI
	if p.URI != "" {
		u = ide.ParseURI(p.URI)
	}
	h.Agent.LookAtCommits(ctx)
	versions := v.feed.versions()
	l := slices.DeleteFunc(h.Ledger.List(p.SessionID, u, ledger.State(p.State)), func(cs ledger.ChangeSet) bool { return !p.matches(cs) })
	w := changeSetsOf(l, versions)
	if v.c.Can.View {
		v.sayDecided(w, l)
	}
	return changeSets{w}, nil
}

// sayDecided adds what a list says of the hunks that were decided.
func (v *Review) sayDecided(w []changeSet, l []ledger.ChangeSet) {
	for i, cs := range l {
		for j, f := range cs.Files {
			for k, h := range f.Hunks {
				w[i].Files[j].Hunks[k].Entry = view.DecidedEntry(v.c, f, h)
			}
		}
	}
}

type getChangesParams struct {
	ChangeSetID string `json:"changeSetId"`
}

type oneChangeSet struct {
	ChangeSet changeSet `json:"changeSet"`
}

// Get answers emendo/changes/get.
func (v *Review) Get(ctx context.Context, p getChangesParams) (any, error) {
	h, err := v.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	versions := v.feed.versions()
	cs, err := h.Ledger.Get(p.ChangeSetID)
	if err != nil {
		return nil, err
	}
	return oneChangeSet{changeSetsOf([]ledger.ChangeSet{cs}, versions)[0]}, nil
}

type proposeParams struct {
	SessionID string     `json:"sessionId"`
	URI       string     `json:"uri"`
	Range     *ide.Range `json:"range"`
	NewText   *string    `json:"newText"`
	Title     string     `json:"title"`
}

// Propose answers emendo/changes/propose: it adds a change of the user's own. The
// range is valid for the text that the client has when it sends the request.
func (v *Review) Propose(_ context.Context, p proposeParams) (rpc.Work, error) {
	for _, required := range [][2]string{{p.URI, "uri"}, {p.Title, "title"}} {
		if err := client.Require(required[0], required[1]); err != nil {
			return nil, err
		}
	}
	if p.NewText == nil {
		return nil, client.Invalid("invalid params: newText is missing")
	}
	own := agent.UserProposal{SessionID: p.SessionID, URI: p.URI, Range: p.Range, NewText: *p.NewText, Title: p.Title}
	documents := v.c.Workspace.Snapshot()
	return func(ctx context.Context) (any, error) {
		h, err := v.c.Host.Get(ctx)
		if err != nil {
			return nil, err
		}
		own.Snapshot = documents.Within(v.c.Workspace.Snapshot().Tree()) // the folders are opened with the host
		cs, err := h.Agent.Propose(ctx, own)
		if err != nil {
			return nil, err
		}
		return oneChangeSet{changeSetOf(cs)}, nil
	}, nil
}

type resolveParams struct {
	Decisions  []decision `json:"decisions"`
	Dependents string     `json:"dependents"` // of what is rejected: "reject", or "leave"
	Comment    string     `json:"comment"`
}

type decision struct {
	ChangeSetID string  `json:"changeSetId"`
	URI         string  `json:"uri"`
	HunkID      string  `json:"hunkId"`
	Action      string  `json:"action"`
	Text        *string `json:"text"`
}

// resolution answers decisions, once the edits have come back from the editor.
type resolution struct {
	ChangeSets []changeSet       `json:"changeSets"`
	Applied    []string          `json:"applied"`
	Conflicts  []ledger.Conflict `json:"conflicts"`
}

// Resolve answers emendo/changes/resolve.
func (v *Review) Resolve(ctx context.Context, p resolveParams) (any, error) {
	if len(p.Decisions) == 0 {
		return nil, client.Invalid("invalid params: decisions is empty")
	}
	if p.Dependents != "" && p.Dependents != "reject" && p.Dependents != "leave" {
		return nil, client.Invalid("invalid params: dependents is %q: want reject or leave", p.Dependents)
	}
	ds := make([]ledger.Decision, len(p.Decisions))
	for i, d := range p.Decisions {
		ds[i] = ledger.Decision{ChangeSetID: d.ChangeSetID, HunkID: d.HunkID, Action: ledger.Action(d.Action), Text: d.Text, Leave: p.Dependents == "leave"}
		if d.URI != "" {
			ds[i].URI = ide.ParseURI(d.URI)
		}
		if err := ds[i].Action.Check(); err != nil {
			return nil, client.Invalid("%v", err)
		}
	}
	return v.resolve(ctx, ds, p.Comment)
}

// resolve carries out decisions as one group.
func (v *Review) resolve(ctx context.Context, ds []ledger.Decision, comment string) (resolution, error) {
	h, err := v.c.Host.Get(ctx)
	if err != nil {
		return resolution{}, err
	}
	versions := v.feed.versions()
	r, err := h.Agent.Resolve(ctx, ds, comment)
	if err != nil {
		return resolution{}, err
	}
	return resolution{changeSetsOf(r.ChangeSets, versions), r.Applied, r.Conflicts}, nil
}
