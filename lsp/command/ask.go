package command

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/review"
)

// tasks are the commands about a range: what the model is asked, and the
// instruction it gets if the user adds none.
var tasks = map[string]task{
	"emendo.explain":  {"Explain the code in %s.", "Say what it does, why it may be written this way, and what could surprise a reader. Do not change anything."},
	"emendo.fix":      {"Fix the code in %s.", "Fix what is wrong and nothing else."},
	"emendo.edit":     {"Edit the code in %s.", "Make it clearer without changing its behavior."},
	"emendo.test":     {"Write tests for the code in %s.", "Follow the conventions of the project's existing tests."},
	"emendo.document": {"Document the code in %s.", "Follow the documentation conventions of the language and the project. Do not change code."},
	"emendo.review":   {"Review the code in %s.", "Look for bugs first, then for code that is hard to read. Say where each problem is and how to fix it. Do not change anything."},
}

type task struct {
	format             string // with a verb for the place
	defaultInstruction string
}

// noQuestion is the error of emendo.ask without a question. Not every editor can pass one.
const noQuestion = "there is no question: pass it as prompt, or write it in a file, select it and choose the code action \"Send the selected text to emendo\""

// ask asks what the user typed.
func (t *Table) ask(_ context.Context, a client.AskArgs) (rpc.Work, error) {
	if a.Selected {
		text, err := t.textIn(a.URI, a.Range)
		if err != nil {
			return nil, err
		}
		a.Prompt = text
	}
	if strings.TrimSpace(a.Prompt) == "" {
		return nil, client.Unable(noQuestion)
	}
	p := state.Prompt{Blocks: []transcript.Block{{Type: transcript.TextBlock, Text: a.Prompt}}, Snapshot: t.Client.Workspace.Snapshot()}
	f := t.Client.Focus.Current()
	p.Focus = &f
	if a.URI != "" {
		p.Blocks = append(p.Blocks, place{a.URI, a.Range}.block(p.Snapshot))
		f.Active, f.Selections = ide.ParseURI(a.URI), nil // the text is with the prompt
	}
	return t.Chat.Turns.Start(a.SessionID, p), nil
}

// textIn returns the text of a range of an open document.
func (t *Table) textIn(uri string, r *ide.Range) (string, error) {
	d := t.Client.Workspace.Snapshot().Document(ide.ParseURI(uri))
	if d == nil || r == nil {
		return "", client.Invalid("selected needs the URI of an open document and a range")
	}
	from, to, err := d.Text.Offsets(*r, t.Client.Workspace.Encoding())
	if err != nil {
		return "", client.Invalid("%v", err)
	}
	return d.Text.String()[from:to], nil
}

// about starts a task about a range, or about the focus.
func (t *Table) about(x task, a client.TargetArgs) (rpc.Work, error) {
	f := t.Client.Focus.Current()
	at := place{a.URI, a.Range}
	if at.uri == "" {
		if f.Active == "" {
			return nil, client.Unable("no file is in focus: open one, or pass uri and range")
		}
		at.uri = string(f.Active)
		if len(f.Selections) > 0 {
			at.r = &f.Selections[0]
		}
	}
	f.Active, f.Selections = ide.ParseURI(at.uri), nil // the text is with the prompt
	p := state.Prompt{Snapshot: t.Client.Workspace.Snapshot(), Focus: &f}
	text := fmt.Sprintf(x.format, at.words())
	if a.Instruction != "" {
		text += " " + a.Instruction
	} else {
		text += " " + x.defaultInstruction
	}
	if len(a.Problems) > 0 {
		text += "\n\nThe editor reports:\n- " + strings.Join(a.Problems, "\n- ")
	}
	if a.HunkID != "" {
		diff, ok := t.Review.Diff(a.HunkID)
		if !ok {
			return nil, client.Invalid("no pending hunk %q", a.HunkID)
		}
		text += "\n\nThis is about the following proposed change, which has not been applied:\n\n" + diff
	}
	p.Blocks = []transcript.Block{{Type: transcript.TextBlock, Text: text}, at.block(p.Snapshot)}
	return t.Chat.Turns.Start(a.SessionID, p), nil
}

// place is the code that a prompt is about.
type place struct {
	uri string
	r   *ide.Range // nil: the whole document
}

// around is the number of lines before and after the cursor that go with a prompt
// about an empty range.
const around = 25

// lines returns the lines that go with the prompt; nil for the whole document.
func (p place) lines() *transcript.Lines {
	switch {
	case p.r == nil:
		return nil
	case p.r.Start == p.r.End:
		line := int(p.r.Start.Line) + 1
		return &transcript.Lines{First: max(line-around, 1), Last: line + around}
	}
	return &transcript.Lines{First: int(p.r.Start.Line) + 1, Last: int(review.LastLine(*p.r)) + 1}
}

// words returns the place for a sentence.
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

// block returns a link to the place. For a whole open document it names all lines,
// so that the text of the buffer goes with the prompt.
func (p place) block(now *ide.Snapshot) transcript.Block {
	b := transcript.Block{Type: transcript.LinkBlock, URI: p.uri, Name: p.name(), Lines: p.lines()}
	if d := now.Document(ide.ParseURI(p.uri)); b.Lines == nil && d != nil {
		b.Lines = &transcript.Lines{First: 1, Last: d.Text.Lines()}
	}
	return b
}
