package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// editor is a small LSP client with one file open. It shows what the server
// tells on a screen and asks its user, who follows a script.
type editor struct {
	connection
	screen *screen
	user   user
	open   *buffer
	calls  map[string]string // names of tool calls by their ids
	seen   map[string]bool   // change sets, and running commands, that the user has been told of
}

// user is the one in front of the editor.
type user interface {
	// review decides the hunks of a change set.
	review(ctx context.Context, e *editor, set changeSet) error
	// permit answers a question about a command.
	permit(ctx context.Context, e *editor, q permission) (optionID string)
}

type object = map[string]any

// begin opens the folder and the file, and learns of the server.
func (e *editor) begin(ctx context.Context, folder string) error {
	params := object{
		"processId":             nil,
		"clientInfo":            object{"name": "emendo demo"},
		"workspaceFolders":      []object{{"uri": fileURI(folder), "name": "parking"}},
		"initializationOptions": object{"trust": "trusted"},
		"capabilities": object{
			"general":      object{"positionEncodings": []string{"utf-8"}},
			"workspace":    object{"applyEdit": true, "workspaceEdit": object{"documentChanges": true}},
			"experimental": object{"emendo": object{"version": 1, "session": true, "permission": true, "changes": true, "save": true}},
		},
	}
	if err := e.request(ctx, "initialize", params, nil); err != nil {
		return err
	}
	if err := e.notify("initialized", object{}); err != nil {
		return err
	}
	return e.notify("textDocument/didOpen", object{"textDocument": object{"uri": e.open.uri, "languageId": "go", "version": e.open.version, "text": e.open.text}})
}

// end closes the connection as the protocol wants it.
func (e *editor) end(ctx context.Context) error {
	if err := e.request(ctx, "shutdown", nil, nil); err != nil {
		return err
	}
	return e.notify("exit", nil)
}

func (e *editor) request(ctx context.Context, method string, params, result any) error {
	return e.call(ctx, method, params, result, e.handle)
}

// edit changes the open file as its user's typing does.
func (e *editor) edit(edits []textEdit) error {
	e.open.apply(edits)
	changes := []object{{"text": e.open.text}}
	return e.notify("textDocument/didChange", object{"textDocument": object{"uri": e.open.uri, "version": e.open.version}, "contentChanges": changes})
}

// selects tells what the user has selected.
func (e *editor) selects(s span) error {
	return e.notify("emendo/editor/didChangeContext", object{
		"activeEditor": object{"uri": e.open.uri, "selections": []span{s}}, "openEditors": []object{{"uri": e.open.uri}},
	})
}

// prompt asks and shows everything until the turn has ended. It gives the
// reason of the end.
func (e *editor) prompt(ctx context.Context, session, text string) (stop string, err error) {
	var ended struct{ StopReason string }
	err = e.request(ctx, "emendo/session/prompt", object{"sessionId": session, "prompt": []object{{"type": "text", "text": text}}}, &ended)
	e.screen.endStream()
	return ended.StopReason, err
}

// handle takes a message that is no answer.
func (e *editor) handle(ctx context.Context, m message) error {
	var err error
	switch m.Method {
	case "emendo/session/update":
		var p struct{ Update update }
		if err = json.Unmarshal(m.Params, &p); err == nil {
			e.show(ctx, p.Update)
		}
	case "emendo/changes/didChange":
		var p struct{ ChangeSet changeSet }
		if err = json.Unmarshal(m.Params, &p); err == nil && p.ChangeSet.State == "pending" && !e.seen[p.ChangeSet.ID] {
			e.seen[p.ChangeSet.ID] = true
			err = e.user.review(ctx, e, p.ChangeSet)
		}
	case "emendo/session/requestPermission":
		var p permission
		if err = json.Unmarshal(m.Params, &p); err == nil {
			err = e.reply(m.ID, object{"outcome": "selected", "optionId": e.user.permit(ctx, e, p)}, nil)
		}
	case "emendo/editor/save":
		if err = e.open.save(); err == nil {
			e.screen.note("·", "the editor saves "+e.open.name()+" first")
			err = e.notify("textDocument/didSave", object{"textDocument": object{"uri": e.open.uri}})
		}
		if err == nil {
			err = e.reply(m.ID, object{"saved": []string{e.open.uri}, "failed": []object{}}, nil)
		}
	case "workspace/applyEdit":
		err = e.applyEdit(m)
	default:
		if m.ID != nil {
			err = e.reply(m.ID, nil, &wireError{methodNotFound, "the demo's editor has no " + m.Method})
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.Method, err)
	}
	return nil
}

// applyEdit puts an accepted hunk into the buffer, says so as typing is said,
// and answers.
func (e *editor) applyEdit(m message) error {
	var p struct {
		Edit struct {
			DocumentChanges []struct {
				TextDocument struct {
					URI     string
					Version int
				}
				Edits []textEdit
			}
		}
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return err
	}
	for _, c := range p.Edit.DocumentChanges {
		if c.TextDocument.URI != e.open.uri || c.TextDocument.Version != e.open.version {
			return e.reply(m.ID, object{"applied": false, "failureReason": "the document has changed"}, nil)
		}
		if err := e.edit(c.Edits); err != nil {
			return err
		}
	}
	return e.reply(m.ID, object{"applied": true}, nil)
}

// update is what the demo looks at in a session's update.
type update struct {
	Kind    string          `json:"sessionUpdate"`
	Content json.RawMessage // an object in a message, a list in a call
	CallID  string          `json:"toolCallId"`
	Name    string
	Title   string
	Status  string
	Meta    struct {
		Emendo struct{ Summary string }
	} `json:"_meta"`
}

// show puts an update on the screen.
func (e *editor) show(ctx context.Context, u update) {
	s := e.screen
	switch u.Kind {
	case "agent_message_chunk":
		var c struct{ Text string }
		if json.Unmarshal(u.Content, &c) == nil {
			s.stream(c.Text)
		}
	case "tool_call":
		e.calls[u.CallID] = u.Name
	case "tool_call_update":
		e.showCall(ctx, u)
	}
}

// showCall says what came of a call. What edits came to was seen hunk by hunk.
func (e *editor) showCall(ctx context.Context, u update) {
	s := e.screen
	name := e.calls[u.CallID]
	running := u.Status == "in_progress"
	if running && name == "run_shell_command" && !e.seen[u.CallID] {
		e.seen[u.CallID] = true
		s.note("·", "it runs; where Go has built nothing yet, that takes a while")
	}
	over := u.Status == "completed" || u.Status == "failed"
	if !over || name == "replace" {
		return
	}
	mark := s.paint(green, "✓")
	if u.Status == "failed" {
		mark = s.paint(red, "✗")
	}
	if name == "run_shell_command" {
		for _, l := range output(u.Content) {
			s.line("  " + s.paint(dim, "│ ") + tabs(l))
		}
	}
	s.note(mark, s.paint(bold, name)+"  "+s.paint(dim, u.Meta.Emendo.Summary))
	s.pause(ctx, brief)
}

// output is the text of a call's content without its fences.
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
