package lsp

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// targetArgs are the arguments of a command about a range.
type targetArgs struct {
	URI         string     `json:"uri,omitzero"`
	Range       *ide.Range `json:"range,omitzero"`
	Instruction string     `json:"instruction,omitzero"`
	Problems    []string   `json:"problems,omitzero"` // of emendo.fix: what diagnostics say
	HunkID      string     `json:"hunkId,omitzero"`   // of emendo.explain: a proposed change
}

// wishes are the commands about a range: what the model is asked, and what is
// wanted when the user says nothing more.
var wishes = map[string]wish{
	"emendo.explain":  {"Explain the code in %s.", "Say what it does, why it may be so, and what could surprise a reader. Change nothing."},
	"emendo.fix":      {"Fix the code in %s.", "Mend what is wrong, and no more than that."},
	"emendo.edit":     {"Edit the code in %s.", "Make it clearer without changing what it does."},
	"emendo.test":     {"Write tests for the code in %s.", "Follow how tests are written in this project."},
	"emendo.document": {"Document the code in %s.", "Write the comments that the language and this project want. Change no code."},
	"emendo.review":   {"Review the code in %s.", "Look for mistakes first, then for what is hard to read. Say where each is and how to mend it. Change nothing."},
}

type wish struct {
	task  string // with a place for where
	usual string
}

type askArgs struct {
	Prompt    string     `json:"prompt,omitzero"`
	URI       string     `json:"uri"`
	Range     *ide.Range `json:"range"`
	SessionID string     `json:"sessionId"`
	Selected  bool       `json:"selected,omitzero"` // the text of the range is the prompt
}

// askCommand asks what the user typed, or, without a word of the user's, about
// the code in focus.
func (s *server) askCommand(_ context.Context, a askArgs) (rpc.Work, error) {
	if a.Selected {
		text, err := s.textIn(a.URI, a.Range)
		if err != nil {
			return nil, err
		}
		a.Prompt = text
	}
	if strings.TrimSpace(a.Prompt) == "" {
		return s.wishIn(a.SessionID, wishes["emendo.explain"], targetArgs{URI: a.URI, Range: a.Range})
	}
	p := agent.Prompt{Blocks: []agent.Block{{Type: agent.TextBlock, Text: a.Prompt}}, Snapshot: s.workspace.Snapshot()}
	f := s.focus.now()
	p.Focus = &f
	if a.URI != "" {
		p.Blocks = append(p.Blocks, place{a.URI, a.Range}.block(p.Snapshot))
		f.Active, f.Selections = ide.ParseURI(a.URI), nil // the text is with the prompt
	}
	return s.startTurn(a.SessionID, p), nil
}

// textIn returns the text of a range of an open document.
func (s *server) textIn(uri string, r *ide.Range) (string, error) {
	d := s.workspace.Snapshot().Document(ide.ParseURI(uri))
	if d == nil || r == nil {
		return "", rpc.Errorf(rpc.InvalidParams, "selected needs the uri of an open document and a range")
	}
	from, to, err := d.Text.Offsets(*r, s.workspace.Encoding())
	if err != nil {
		return "", rpc.Errorf(rpc.InvalidParams, "%v", err)
	}
	return d.Text.String()[from:to], nil
}

func (s *server) wishCommand(w wish, a targetArgs) (rpc.Work, error) { return s.wishIn("", w, a) }

// wishIn asks for something about a range, or about the focus.
func (s *server) wishIn(sessionID string, w wish, a targetArgs) (rpc.Work, error) {
	f := s.focus.now()
	at := place{a.URI, a.Range}
	if at.uri == "" {
		if f.Active == "" {
			return nil, unable("no file is in focus: open one, or say which by uri and range")
		}
		at.uri = string(f.Active)
		if len(f.Selections) > 0 {
			at.r = &f.Selections[0]
		}
	}
	f.Active, f.Selections = ide.ParseURI(at.uri), nil // the text is with the prompt
	p := agent.Prompt{Snapshot: s.workspace.Snapshot(), Focus: &f}
	text := fmt.Sprintf(w.task, at.words())
	if a.Instruction != "" {
		text += " " + a.Instruction
	} else {
		text += " " + w.usual
	}
	if len(a.Problems) > 0 {
		text += "\n\nThe editor says:\n- " + strings.Join(a.Problems, "\n- ")
	}
	if a.HunkID != "" {
		h, ok := s.pendingHunk(a.HunkID)
		if !ok {
			return nil, rpc.Errorf(rpc.InvalidParams, "no hunk %q waits for a decision", a.HunkID)
		}
		text += "\n\nIt is about this proposed change, which is not made yet:\n\n" + marked("-", h.OldText) + marked("+", h.NewText)
	}
	p.Blocks = []agent.Block{{Type: agent.TextBlock, Text: text}, at.block(p.Snapshot)}
	return s.startTurn(sessionID, p), nil
}

func (s *server) pendingHunk(id string) (pending, bool) {
	for _, h := range s.pendingHunks("") {
		if h.ID == id {
			return h, true
		}
	}
	return pending{}, false
}

// place is what a prompt is about.
type place struct {
	uri string
	r   *ide.Range // nil: the whole document
}

// around is how many lines before and after the cursor go with a prompt that is
// about the cursor alone.
const around = 25

// lines are those that go with the prompt; nil for the whole document.
func (p place) lines() *agent.Lines {
	switch {
	case p.r == nil:
		return nil
	case p.r.Start == p.r.End:
		line := int(p.r.Start.Line) + 1
		return &agent.Lines{First: max(line-around, 1), Last: line + around}
	}
	return &agent.Lines{First: int(p.r.Start.Line) + 1, Last: int(lastLine(*p.r)) + 1}
}

// words name the place in a sentence.
func (p place) words() string {
	name := p.name()
	switch l := p.lines(); {
	case l == nil:
		return name
	case p.r.Start == p.r.End:
		return fmt.Sprintf("%s around line %d", name, int(p.r.Start.Line)+1)
	case l.First == l.Last:
		return fmt.Sprintf("%s, line %d", name, l.First)
	default:
		return fmt.Sprintf("%s, lines %d to %d", name, l.First, l.Last)
	}
}

func (p place) name() string {
	if file := ide.ParseURI(p.uri).Path(); file != "" {
		return path.Base(strings.ReplaceAll(file, `\`, "/"))
	}
	return p.uri
}

// block links the place. Of a document that is linked whole, all lines are
// named, so that its text, saved or not, goes with the prompt.
func (p place) block(now *ide.Snapshot) agent.Block {
	b := agent.Block{Type: agent.LinkBlock, URI: p.uri, Name: p.name(), Lines: p.lines()}
	if d := now.Document(ide.ParseURI(p.uri)); b.Lines == nil && d != nil {
		b.Lines = &agent.Lines{First: 1, Last: d.Text.Lines()}
	}
	return b
}
