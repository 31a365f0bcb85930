package chat

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// chip is something that a client shows above a prompt: it goes with it, or would if it were not
// kept back.
type chip struct {
	Kind string `json:"kind"`
	URI  string `json:"uri,omitzero"`
	Off  string `json:"off,omitzero"` // it is not sent, for leftOutChip or keptChip; the note says why
	view.Entry
}

// Why chips are off: the user has left them out, or emendo keeps them back.
const (
	leftOutChip = "left_out"
	keptChip    = "kept"
)

// standing are the kinds of context whose items have a chip each.
var standing = []string{transcript.KindContextFile, transcript.KindMemory, transcript.KindFolders}

// chipsOf returns what the user sees of the next prompt before it is sent: lines and texts that
// are added to it, the file that the editor shows, instructions and saved facts. Of the kinds in
// standing it has those that the user has left out, too.
func (t *Turns) chipsOf(ctx context.Context, ses *agent.Session, p state.Prompt, now contextItems) (l []chip) {
	left := slices.Concat(p.Exclude, ses.State.Record.Exclusions())
	for _, b := range p.Blocks {
		switch {
		case b.Type == transcript.LinkBlock && b.Lines.Any():
			c := chip{Kind: transcript.GivenLinked, URI: b.URI, Entry: view.Entry{Label: new(view.BlockName(b, ses.State.Work))}}
			path := disk.RealPath(ide.ParseURI(b.URI).Path())
			has := func(i contextItem) bool { return i.Kind == c.Kind && disk.RealPath(i.Source) == path }
			switch {
			case left.Excludes(c.Kind, path):
				c.Off, c.Note = leftOutChip, view.LeftOutEntry(c.Kind, path, true).Note
			case !slices.ContainsFunc(now.Items, has):
				if why := whyWithheld(now.Withheld, path); why != nil {
					c.Off, c.Note = keptChip, why
				}
			}
			l = append(l, c)
		case b.Type == transcript.ResourceBlock:
			l = append(l, chip{Kind: transcript.GivenLinked, Entry: view.Entry{Label: new(view.BlockName(b, ses.State.Work))}})
		}
	}
	if c, ok := t.editorChip(ctx, p, left); ok {
		l = append(l, c)
	}
	for _, kind := range standing {
		for _, i := range now.Items {
			if i.Kind == kind {
				l = append(l, chip{Kind: kind, URI: i.URI, Entry: view.Entry{Label: i.Label}})
			}
		}
		for _, x := range now.LeftOut {
			if x.Kind == kind {
				l = append(l, chip{Kind: kind, URI: x.URI, Off: leftOutChip, Entry: x.Entry})
			}
		}
	}
	return l
}

// whyWithheld returns why a file is not sent, which the notice that names it says; nil without one.
func whyWithheld(l []withheld, path string) *view.Text {
	for _, w := range l {
		if strings.Contains(w.Title, tools.Shown(filepath.Base(path))) {
			return w.Note
		}
	}
	return nil
}

// editorChip returns the chip of the file that the editor shows; false if it shows no file.
func (t *Turns) editorChip(ctx context.Context, p state.Prompt, left transcript.Exclusions) (chip, bool) {
	if p.Focus == nil || p.Focus.Active == "" || p.Focus.Active.IsChat() {
		return chip{}, false
	}
	path := p.Focus.Active.Path()
	if path != "" {
		path = disk.RealPath(path)
	}
	c := chip{Kind: transcript.KindEditor, URI: string(p.Focus.Active), Entry: view.Entry{Label: new(view.ContextName(transcript.KindEditor, path))}}
	h := t.c.Host.Current()
	switch {
	case p.Snapshot.Document(p.Focus.Active) == nil:
		c.Off, c.Note = keptChip, new(view.OutsideNote())
	case left.Excludes(c.Kind, path):
		c.Off, c.Note = leftOutChip, view.LeftOutEntry(c.Kind, path, true).Note
	case h != nil && path != "" && h.Agent.Hides(ctx, path):
		c.Off, c.Note = keptChip, new(view.HiddenNote())
	}
	return c, true
}
