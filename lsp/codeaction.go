package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// automatic is LSP's trigger kind of a request that the user did not make.
const automatic = 2

type codeActionParams struct {
	Document document  `json:"textDocument"`
	Range    ide.Range `json:"range"`
	Context  struct {
		Diagnostics []found  `json:"diagnostics"`
		Only        []string `json:"only"`
		Trigger     int      `json:"triggerKind"`
	} `json:"context"`
}

// found is a diagnostic that the client has, of any server.
type found struct {
	Range   ide.Range `json:"range"`
	Source  string    `json:"source"`
	Message string    `json:"message"`
}

// codeAction is LSP's, with a command and never an edit.
type codeAction struct {
	Title   string   `json:"title"`
	Kind    string   `json:"kind"`
	Command *command `json:"command"`
	Tags    []int    `json:"tags,omitzero"`
}

// offer is a kind of action on a selection; each calls the model.
type offer struct {
	kind, title, command string
}

// The actions on a selection, and the kinds of those on a pending hunk.
var offers = []offer{
	{"quickfix.emendo.fix", "Fix with emendo", "emendo.fix"},
	{"refactor.rewrite.emendo", "Edit with emendo", "emendo.edit"},
	{"source.emendo.explain", "Explain with emendo", "emendo.explain"},
	{"source.emendo.test", "Write tests with emendo", "emendo.test"},
	{"source.emendo.document", "Document with emendo", "emendo.document"},
	{"source.emendo.review", "Review with emendo", "emendo.review"},
}

const (
	acceptKind  = "quickfix.emendo.accept"
	rejectKind  = "quickfix.emendo.reject"
	fixKind     = "quickfix.emendo.fix"
	explainKind = "source.emendo.explain"
	askKind     = "source.emendo.ask"

	permissionKind = "quickfix.emendo.permission"
)

func actionKinds() []string {
	kinds := []string{permissionKind, acceptKind, rejectKind}
	for _, o := range offers {
		kinds = append(kinds, o.kind)
	}
	return append(kinds, askKind)
}

// codeAction lists what can be done with a range. It is made on the read loop,
// from what is in memory.
func (s *server) codeAction(_ context.Context, p codeActionParams) (rpc.Work, error) {
	if err := need(p.Document.URI, "textDocument.uri"); err != nil {
		return nil, err
	}
	u := ide.ParseURI(p.Document.URI)
	s.focus.seen(u, p.Range)
	l := s.onQuestions(u, p)
	for _, h := range s.pendingHunks(u) {
		if h.touches(p.Range) {
			l = append(l, s.onHunk(h, p)...)
		}
	}
	l = append(l, s.onSelection(p)...)
	if s.can.actionLiterals {
		return answered(append([]codeAction{}, l...)), nil
	}
	plain := make([]*command, len(l)) // all that clients older than literals know
	for i, a := range l {
		plain[i] = a.Command
	}
	return answered(plain), nil
}

// wants says whether the client asks for actions of a kind. One that calls the
// model is never offered to an automatic request that names kinds: that is how
// saving asks.
func (p codeActionParams) wants(kind string, callsModel bool) bool {
	only := p.Context.Only
	if callsModel && p.Context.Trigger == automatic && len(only) > 0 {
		return false
	}
	for _, o := range only {
		if o == "" || kind == o || strings.HasPrefix(kind, o+".") {
			return true
		}
	}
	return len(only) == 0
}

// onQuestions are the answers to the questions at the lines of a range. Before
// them stands an action that decides nothing: the first one is run by Enter.
func (s *server) onQuestions(u ide.URI, p codeActionParams) []codeAction {
	if !p.wants(permissionKind, false) {
		return nil
	}
	var here []asked
	for _, q := range s.ask.in(s.workspace.Snapshot().Document(u), s.workspace.Encoding()) {
		if q.last >= p.Range.Start.Line && q.line.Start.Line <= p.Range.End.Line {
			here = append(here, q)
		}
	}
	var l []codeAction
	for _, q := range here {
		l = append(l, codeAction{"Show what emendo asks: " + shorten(q.task), permissionKind, &command{"Show", "emendo.permission", nil}, nil})
		for _, c := range q.choices {
			title := c.title
			if len(here) > 1 {
				title += ": " + shorten(q.task)
			}
			l = append(l, codeAction{title, permissionKind, &command{c.title, "emendo.permission", []any{permissionArgs{q.sessionID, q.callID, c.id}}}, nil})
		}
	}
	return l
}

// titleWidth bounds what of a task is in the title of an action, in characters.
const titleWidth = 60

func shorten(task string) string {
	if r := []rune(task); len(r) > titleWidth {
		return string(r[:titleWidth-1]) + "…"
	}
	return task
}

// onHunk are the actions on a pending hunk.
func (s *server) onHunk(h pending, p codeActionParams) []codeAction {
	var l []codeAction
	args := []any{hunkArgs{ChangeSetID: h.set.ID, HunkID: h.ID}}
	if p.wants(acceptKind, false) {
		l = append(l, codeAction{Title: "Accept: " + h.summary(), Kind: acceptKind, Command: &command{"Accept", "emendo.accept", args}})
	}
	if p.wants(rejectKind, false) {
		l = append(l, codeAction{Title: "Reject: " + h.summary(), Kind: rejectKind, Command: &command{"Reject", "emendo.reject", args}})
	}
	if p.wants(explainKind, true) {
		l = append(l, s.generated(codeAction{
			Title: "Explain this change with emendo", Kind: explainKind,
			Command: &command{"Explain", "emendo.explain", []any{targetArgs{URI: h.uri(), Range: &h.Range, HunkID: h.ID}}},
		}))
	}
	return l
}

// onSelection are the actions that ask the model about a range. An empty range
// that the client asks about by itself gets none: they would light up wherever
// the cursor is.
func (s *server) onSelection(p codeActionParams) []codeAction {
	var problems []found
	for _, d := range p.Context.Diagnostics {
		if d.Source != diagnosticSource {
			problems = append(problems, d)
		}
	}
	var l []codeAction
	for _, o := range offers {
		args := targetArgs{URI: p.Document.URI, Range: &p.Range}
		switch {
		case !p.wants(o.kind, true):
			continue
		case o.kind == fixKind && len(problems) == 0:
			continue
		case o.kind == fixKind:
			for _, d := range problems {
				args.Problems = append(args.Problems, fmt.Sprintf("line %d: %s", int64(d.Range.Start.Line)+1, d.Message))
			}
		case p.Context.Trigger == automatic && p.Range.Start == p.Range.End:
			continue
		}
		l = append(l, s.generated(codeAction{Title: o.title, Kind: o.kind, Command: &command{o.title, o.command, []any{args}}}))
	}
	if moreThanACursor(p.Range) && p.wants(askKind, true) { // where commands take no arguments it is how to ask in one's own words
		args := askArgs{URI: p.Document.URI, Range: &p.Range, Selected: true}
		l = append(l, s.generated(codeAction{Title: "Ask emendo what is selected", Kind: askKind, Command: &command{"Ask", "emendo.ask", []any{args}}}))
	}
	return l
}

// moreThanACursor reports whether a range is a selection. The cursor of some
// editors is a character wide.
func moreThanACursor(r ide.Range) bool {
	return r.Start.Line != r.End.Line || r.End.Character > r.Start.Character+1
}

// generated marks an action that calls the model, where the client can be told.
func (s *server) generated(a codeAction) codeAction {
	if s.can.generatedTag {
		a.Tags = []int{generatedByModel}
	}
	return a
}

// resolveCodeAction gives an action back as it is: every one is complete, and
// some clients resolve even those without data.
func (s *server) resolveCodeAction(_ context.Context, a json.RawMessage) (rpc.Work, error) {
	if len(a) == 0 || a[0] != '{' {
		return nil, rpc.Errorf(rpc.InvalidParams, "a code action is an object")
	}
	return answered(a), nil
}
