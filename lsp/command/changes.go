package command

import (
	"context"
	"regexp"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
)

// changesArgs name changes that git knows of.
type changesArgs struct {
	URI         string   `json:"uri"`   // of a file or folder in the repository
	Of          string   `json:"of"`    // staged or uncommitted; empty: the staged ones, if there are any
	Files       []string `json:"files"` // URIs; empty: all
	Instruction string   `json:"instruction"`
	SessionID   string   `json:"sessionId"`
}

// written answers emendo.commitMessage.
type written struct {
	Text   string     `json:"text"`            // empty: it was stopped
	Note   *view.Text `json:"note,omitzero"`   // what the model was not sent
	TaskID string     `json:"taskId,omitzero"` // to a client that draws
}

// commitMessage has a message written for changes. Nothing is committed.
func (t *Table) commitMessage(_ context.Context, a changesArgs) (rpc.Work, error) {
	p := state.Prompt{Snapshot: t.Client.Workspace.Snapshot()}
	return func(ctx context.Context) (any, error) {
		d, err := t.diff(ctx, a)
		if err != nil {
			return nil, err
		}
		p.Blocks = d.prompt(strings.TrimSpace(writeCommit + " " + a.Instruction))
		x := view.Task{What: "commit", LeftOut: d.Left, Quiet: true}
		if a.URI != "" {
			x.Place = &view.Place{URI: a.URI}
		}
		aside := chat.Aside{Mode: "plan", Like: a.SessionID, Prompt: p}
		if !t.Client.Can.View {
			run := t.startAside(t.Client.Life(), aside, x)
			return t.inBackground(ctx, func(ctx context.Context) (any, string, error) {
				text, err := messageOf(run(ctx))
				return written{Text: text}, text, err
			})
		}
		said, err := t.startAside(ctx, aside, x)(ctx)
		text, err := messageOf(said, err)
		if err != nil {
			return nil, err
		}
		return written{text, said.NotSent(), said.ID}, nil
	}, nil
}

// fenced matches an answer that is one code block.
var fenced = regexp.MustCompile("(?s)^```[^\\n]*\\n(.*?)\\n?```$")

// messageOf returns the commit message that a task has come to; empty if it was stopped.
func messageOf(t view.Task, err error) (string, error) {
	if err != nil || t.Stopped != transcript.EndTurn {
		return "", err
	}
	text := strings.TrimSpace(t.Answer)
	if m := fenced.FindStringSubmatch(text); m != nil {
		text = strings.TrimSpace(m[1])
	}
	if text == "" {
		return "", client.Unable("the model wrote no commit message")
	}
	return text, nil
}

// explainChanges has changes explained in a conversation.
func (t *Table) explainChanges(_ context.Context, a changesArgs) (rpc.Work, error) {
	f := t.Client.Focus.Current()
	p := state.Prompt{Snapshot: t.Client.Workspace.Snapshot(), Focus: &f}
	return func(ctx context.Context) (any, error) {
		if len(a.Files) > 0 && a.Of == "" {
			a.Of = "uncommitted"
		}
		d, err := t.diff(ctx, a)
		if err != nil {
			return nil, err
		}
		p.Blocks = d.prompt(strings.TrimSpace(explainChanges + " " + a.Instruction))
		return t.start(a.SessionID, p, view.Task{What: "changes", LeftOut: d.Left})(ctx)
	}, nil
}

// changes are changes that git knows of.
type changes struct {
	agent.Diff
	uri string
}

// diff returns changes, without the content of files that may hold secrets.
func (t *Table) diff(ctx context.Context, a changesArgs) (changes, error) {
	h, err := t.Client.Host.Get(ctx)
	if err != nil {
		return changes{}, err
	}
	d, err := h.Agent.Diff(ctx, agent.DiffOf{URI: a.URI, Of: a.Of, Files: a.Files})
	switch {
	case err != nil:
		return changes{}, err
	case d.Text != "":
		return changes{d, a.URI}, nil
	}
	return changes{}, t.noChanges(a)
}

// noChanges returns the error for changes that are none.
func (t *Table) noChanges(a changesArgs) error {
	switch {
	case len(a.Files) > 0:
		return client.Unable("git has no changes of this to show: new files are not known to it")
	case a.Of == "staged":
		return client.Unable("no changes are staged: run git add first")
	}
	return client.Unable("there are no changes that git knows of: stage new files first")
}

// prompt returns a prompt about the changes.
func (c changes) prompt(text string) []transcript.Block {
	label := "Changes"
	if c.Staged {
		label = "Staged changes"
	}
	return []transcript.Block{
		{Type: transcript.TextBlock, Text: text},
		{Type: transcript.ResourceBlock, URI: c.uri + "#changes", MIME: "text/x-diff", Text: c.Text, Mention: &transcript.Mention{Kind: "changes", Label: label}},
	}
}
