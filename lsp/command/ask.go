package command

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/review"
)

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
	if a.URI == "" {
		return t.Chat.Turns.Start(a.SessionID, p), nil
	}
	at := place{a.URI, a.Range, a.Text}
	p.Blocks = append(p.Blocks, at.block(p.Snapshot))
	f.Active, f.Selections = ide.ParseURI(a.URI), nil // the text is with the prompt
	return t.start(a.SessionID, p, at.task("ask", "")), nil
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
	at, p, err := t.target(a)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf(x.format, at.words()) + " " + cmp.Or(a.Instruction, x.defaultInstruction)
	if len(a.Problems) > 0 {
		text += editorReports + strings.Join(a.Problems, "\n- ")
	}
	if a.HunkID != "" {
		diff, ok := t.Review.Diff(a.HunkID)
		if !ok {
			return nil, client.Invalid("no pending hunk %q", a.HunkID)
		}
		text += aboutHunk + diff
	}
	p.Blocks = []transcript.Block{{Type: transcript.TextBlock, Text: text}, at.block(p.Snapshot)}
	return t.start(a.SessionID, p, at.task(x.name, a.Instruction)), nil
}

// target returns what a command is about, and a prompt without a text.
func (t *Table) target(a client.TargetArgs) (place, state.Prompt, error) {
	f := t.Client.Focus.Current()
	at := place{a.URI, a.Range, a.Text}
	if at.uri == "" {
		if f.Active == "" {
			return at, state.Prompt{}, client.Unable("no file is in focus: open one, or pass uri and range")
		}
		at.uri = string(f.Active)
		if len(f.Selections) > 0 {
			at.r = &f.Selections[0]
		}
	}
	f.Active, f.Selections = ide.ParseURI(at.uri), nil // the text is with the prompt
	return at, state.Prompt{Snapshot: t.Client.Workspace.Snapshot(), Focus: &f}, nil
}

// start begins a turn in a conversation. A client that draws shows the task meanwhile.
func (t *Table) start(sessionID string, p state.Prompt, x view.Task) rpc.Work {
	if !t.Client.Can.View {
		return t.Chat.Turns.Start(sessionID, p)
	}
	run, stop := t.Chat.Turns.StartShown(sessionID, p)
	task := t.Tasks.Begin(x, stop)
	return func(ctx context.Context) (any, error) { return run(ctx, task) }
}

// place is the code that a prompt is about.
type place struct {
	uri  string
	r    *ide.Range // nil: the whole document
	text string     // of a document that emendo cannot read
}

// task returns what the view shows of a command about the place.
func (p place) task(what, instruction string) view.Task {
	t := view.Task{What: what, Name: p.name(), Instruction: instruction, Place: &view.Place{URI: p.uri}}
	if p.r == nil {
		return t
	}
	t.Name += fmt.Sprintf(":%d", p.r.Start.Line+1)
	if last := review.LastLine(*p.r) + 1; last > p.r.Start.Line+1 {
		t.Name += fmt.Sprintf("-%d", last)
	}
	t.Place.Range = &view.Range{Start: view.Position{Line: int(p.r.Start.Line), Character: int(p.r.Start.Character)}, End: view.Position{Line: int(p.r.End.Line), Character: int(p.r.End.Character)}}
	return t
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
	if p.text != "" {
		return transcript.Block{Type: transcript.ResourceBlock, URI: p.uri, Text: p.text}
	}
	b := transcript.Block{Type: transcript.LinkBlock, URI: p.uri, Name: p.name(), Lines: p.lines()}
	if d := now.Document(ide.ParseURI(p.uri)); b.Lines == nil && d != nil {
		b.Lines = &transcript.Lines{First: 1, Last: d.Text.Lines()}
	}
	return b
}
