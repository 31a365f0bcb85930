package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// initialize holds the params of the demo's editor, which has every ability that
// the story needs.
const initialize = `{
	"processId": null,
	"clientInfo": {"name": "emendo demo"},
	"workspaceFolders": [{"uri": "ROOT", "name": "parking"}],
	"initializationOptions": {"trust": "trusted"},
	"capabilities": {
		"general": {"positionEncodings": ["utf-8"]},
		"workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}},
		"experimental": {"emendo": {"version": 1, "session": true, "permission": true, "changes": true, "save": true}}
	}
}`

// editor is an LSP client with one file open. It shows the server's updates on
// the screen and has the user decide. Everything that the server sends is handled
// while [editor.call] waits, on the goroutine of whoever called it.
type editor struct {
	*lsptest.Editor
	screen *screen
	user   *story            // decides what the server asks
	uri    string            // of the open file
	events chan func() error // from the server, to be handled in order
	calls  map[string]string // names of tool calls by ID
	seen   map[string]bool   // IDs of the change sets and running commands that the user was told of
}

type object = map[string]any

// queued is how many messages may wait to be handled.
const queued = 256

// connect starts an editor in a folder, with path open, and its server.
func connect(ctx context.Context, folder, path, text string, u *story, serve lsptest.Serve) (*editor, error) {
	inner, err := lsptest.Connect(lsptest.Profile{Name: "the demo", Initialize: initialize}, serve)
	if err != nil {
		return nil, err
	}
	e := &editor{
		Editor: inner, screen: u.screen, user: u, uri: string(ide.FileURI(path)),
		events: make(chan func() error, queued), calls: map[string]string{}, seen: map[string]bool{},
	}
	e.Heard = func(method string, raw json.RawMessage) {
		e.enqueue(ctx, func() error { return e.handle(ctx, method, raw) })
	}
	e.Ask = func(asked context.Context, q lsptest.Question) (any, error) {
		if len(q.Preview.Waits) > 0 { // the decision on the edits is the answer
			<-asked.Done()
			return nil, context.Cause(asked)
		}
		chosen := make(chan string, 1)
		e.enqueue(asked, func() error { chosen <- u.permit(ctx, q); return nil })
		select {
		case id := <-chosen:
			return lsptest.Selected(id), nil
		case <-asked.Done():
			return nil, context.Cause(asked)
		}
	}
	var params map[string]any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(initialize, "ROOT", string(ide.FileURI(folder)))), &params); err != nil {
		return nil, err
	}
	if err := e.Initialize(params); err != nil {
		return nil, err
	}
	e.Workspace.Watch(func(ev ide.Event) {
		if ev.Kind == ide.Saved {
			e.enqueue(ctx, func() error { u.screen.markedLine("·", "the editor saves "+filepath.Base(path)+" first"); return nil })
		}
	})
	e.Open(e.uri, text)
	return e, nil
}

// enqueue queues an event for the goroutine that waits in [editor.call].
func (e *editor) enqueue(ctx context.Context, event func() error) {
	select {
	case e.events <- event:
	case <-ctx.Done():
	}
}

// call sends a request and handles events until the response is there.
func (e *editor) call(ctx context.Context, method string, params, result any) error {
	done := make(chan error, 1)
	go func() { done <- e.Call(ctx, method, params, result) }()
	for {
		select {
		case event := <-e.events:
			if err := event(); err != nil {
				return err
			}
		case err := <-done:
			for err == nil && len(e.events) > 0 { // sent before the response
				err = (<-e.events)()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", method, err)
			}
			return nil
		}
	}
}

// text returns the text of the open file.
func (e *editor) text() string { return e.Text(e.uri) }

// find returns the byte offsets of a passage of the open file.
func (e *editor) find(passage string) (from, to int) {
	from = strings.Index(e.text(), passage)
	return from, from + len(passage)
}

// lines returns those of the lines [from, to) that the open file has.
func (e *editor) lines(from, to int) []string {
	all := strings.Split(e.text(), "\n")
	return all[max(from, 0):min(to, len(all))]
}

// prompt sends a prompt and shows updates until the turn ends. It returns the
// stop reason.
func (e *editor) prompt(ctx context.Context, session, text string) (stop string, err error) {
	var ended struct{ StopReason string }
	err = e.call(ctx, "emendo/session/prompt", object{"sessionId": session, "prompt": []object{{"type": "text", "text": text}}}, &ended)
	e.screen.endStream()
	return ended.StopReason, err
}

// handle handles a notification of the server.
func (e *editor) handle(ctx context.Context, method string, raw json.RawMessage) error {
	switch method {
	case "emendo/session/update":
		var p struct{ Update update }
		if err := json.Unmarshal(raw, &p); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		e.show(ctx, p.Update)
	case "emendo/changes/didChange":
		var p struct{ ChangeSet lsptest.ChangeSet }
		if err := json.Unmarshal(raw, &p); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		if id := p.ChangeSet.ChangeSetID; p.ChangeSet.State == "pending" && !e.seen[id] {
			e.seen[id] = true
			return e.user.review(ctx, e, p.ChangeSet)
		}
	}
	return nil
}

// update is the part of a session's update that the demo shows.
type update struct {
	Kind    string          `json:"sessionUpdate"`
	Content json.RawMessage // an object in a message, a list in a call
	CallID  string          `json:"toolCallId"`
	Name    string
	Status  string
	Meta    struct {
		Emendo struct{ Summary string }
	} `json:"_meta"`
}

// show puts an update on the screen.
func (e *editor) show(ctx context.Context, u update) {
	switch u.Kind {
	case "agent_message_chunk":
		var c struct{ Text string }
		if json.Unmarshal(u.Content, &c) == nil {
			e.screen.stream(c.Text)
		}
	case "tool_call":
		e.calls[u.CallID] = u.Name
	case "tool_call_update":
		e.showCall(ctx, u)
	}
}

// showCall shows the progress and the result of a call. Edits were shown hunk by
// hunk already.
func (e *editor) showCall(ctx context.Context, u update) {
	s := e.screen
	name := e.calls[u.CallID]
	command := name == "run_shell_command"
	if command && u.Status == "in_progress" && !e.seen[u.CallID] {
		e.seen[u.CallID] = true
		s.markedLine("·", "running; the first Go build takes a while")
	}
	over := u.Status == "completed" || u.Status == "failed"
	if !over || name == "replace" {
		return
	}
	mark := s.paint(green, "✓")
	if u.Status == "failed" {
		mark = s.paint(red, "✗")
	}
	if command {
		for _, l := range output(u.Content) {
			s.line("  " + s.paint(dim, "│ ") + expandTabs(l))
		}
	}
	s.markedLine(mark, s.paint(bold, name)+"  "+s.paint(dim, u.Meta.Emendo.Summary))
	s.pause(ctx, brief)
}

// output returns the lines of a call's content without its code fences.
func output(content json.RawMessage) []string {
	var l []struct{ Content struct{ Text string } }
	if json.Unmarshal(content, &l) != nil {
		return nil
	}
	var lines []string
	for _, c := range l {
		for _, line := range splitLines(c.Content.Text) {
			if !strings.HasPrefix(line, "```") {
				lines = append(lines, line)
			}
		}
	}
	return lines
}
