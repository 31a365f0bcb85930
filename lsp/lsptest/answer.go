package lsptest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// Notification implements [rpc.Handler].
func (e *Editor) Notification(_ context.Context, method string, raw json.RawMessage) error {
	if e.Heard != nil {
		e.Heard(method, raw)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if why := e.can.Undeclared(method, raw); why != "" {
		e.seen.Wrong = append(e.seen.Wrong, why)
		return nil
	}
	s := &e.seen
	switch method {
	case "emendo/session/update":
		return add(raw, &s.Updates)
	case "emendo/status":
		return add(raw, &s.Statuses)
	case "emendo/changes/didChange":
		return e.changed(raw)
	case "emendo/sessions/didChange":
		var p struct{ Session Session }
		err := json.Unmarshal(raw, &p)
		s.Sessions = append(s.Sessions, p.Session)
		return err
	case "emendo/comment/didChange":
		var p struct{ Comments []Comment }
		err := json.Unmarshal(raw, &p)
		s.Comments = append(s.Comments, p.Comments)
		return err
	case "emendo/models/didChange":
		s.ModelChanges++
	case "window/showMessage":
		var l []struct {
			Message string
			Type    int
		}
		err := add(raw, &l)
		s.Messages = append(s.Messages, l[0].Message)
		s.Severities = append(s.Severities, l[0].Type)
		s.Shown = append(s.Shown, "message")
		return err
	case "$/progress":
		err := add(raw, &s.Progress)
		s.Shown = append(s.Shown, "progress "+s.Progress[len(s.Progress)-1].Value.Kind)
		if token := string(s.Progress[len(s.Progress)-1].Token); !e.create[token] {
			s.Wrong = append(s.Wrong, "the progress "+token+" was never created")
		}
		return err
	case "textDocument/publishDiagnostics":
		var p struct {
			URI         string
			Diagnostics []Diagnostic
		}
		err := json.Unmarshal(raw, &p)
		s.Diagnostics[p.URI] = p.Diagnostics
		return err
	}
	return nil
}

// changed records emendo/changes/didChange, whole or a delta.
func (e *Editor) changed(raw json.RawMessage) error {
	var p struct {
		ChangeSet *ChangeSet
		Delta     *Delta
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	s := &e.seen
	if p.ChangeSet != nil {
		s.ChangeSets = append(s.ChangeSets, *p.ChangeSet)
		return nil
	}
	if !e.can.Has("experimental.emendo.changes.delta") {
		s.Wrong = append(s.Wrong, "a delta of a change set needs experimental.emendo.changes.delta")
	}
	s.Deltas = append(s.Deltas, *p.Delta)
	for _, cs := range slices.Backward(s.ChangeSets) {
		if cs.ChangeSetID == p.Delta.ChangeSetID {
			if cs.Version+1 != p.Delta.Version {
				s.Wrong = append(s.Wrong, fmt.Sprintf("version %d of change set %s follows on %d", p.Delta.Version, cs.ChangeSetID, cs.Version))
			}
			s.ChangeSets = append(s.ChangeSets, cs.with(*p.Delta))
			return nil
		}
	}
	s.Wrong = append(s.Wrong, "a delta of an unknown change set")
	return nil
}

// add decodes raw and appends it.
func add[T any](raw json.RawMessage, l *[]T) error {
	var v T
	err := json.Unmarshal(raw, &v)
	*l = append(*l, v)
	return err
}

// Token registers a progress token of the editor's own.
func (e *Editor) Token(token string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.create[fmt.Sprintf("%q", token)] = true
	return token
}

func (e *Editor) wrong(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen.Wrong = append(e.seen.Wrong, what)
}

// Request implements [rpc.Handler].
func (e *Editor) Request(_ context.Context, method string, raw json.RawMessage) (rpc.Work, error) {
	if why := e.can.Undeclared(method, raw); why != "" {
		e.wrong(why)
		return nil, rpc.ErrMethodNotFound
	}
	switch method {
	case "workspace/applyEdit":
		apply := e.apply
		if e.Applies != nil {
			apply = func(ctx context.Context, raw json.RawMessage) (any, error) {
				e.Applies()
				return e.apply(ctx, raw)
			}
		}
		if e.Apply != nil {
			apply = e.Apply
		}
		return func(ctx context.Context) (any, error) { return apply(ctx, raw) }, nil
	case "emendo/session/requestPermission":
		return e.permission(raw)
	case "emendo/session/elicit":
		return e.elicit(raw), nil
	case "window/showMessageRequest":
		return e.request(raw)
	case "emendo/editor/save":
		return func(ctx context.Context) (any, error) { return e.save(ctx, raw) }, nil
	case "emendo/editor/diagnostics":
		return func(context.Context) (any, error) {
			items := []any{}
			if e.Problems != nil {
				items = e.Problems(raw)
			}
			return map[string]any{"items": items}, nil
		}, nil
	case "emendo/editor/request":
		return e.passOn(raw)
	case "workspace/configuration":
		return e.configured(raw)
	case "window/workDoneProgress/create":
		var p struct{ Token json.RawMessage }
		err := json.Unmarshal(raw, &p)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.create[string(p.Token)] = true
		return nil, err
	case "window/showDocument":
		var p struct{ URI string }
		err := json.Unmarshal(raw, &p)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.seen.Documents = append(e.seen.Documents, p.URI)
		if e.ShowDocument != nil {
			e.ShowDocument(raw)
		}
		return func(context.Context) (any, error) { return map[string]any{"success": true}, nil }, err
	}
	return nil, nil
}

// passOn has the editor's own language servers answer a request.
func (e *Editor) passOn(raw json.RawMessage) (rpc.Work, error) {
	var p struct {
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		if e.Pass == nil {
			return nil, nil
		}
		return e.Pass(ctx, p.Method, p.Params)
	}, nil
}

// configured returns what the user has configured.
func (e *Editor) configured(raw json.RawMessage) (rpc.Work, error) {
	var p struct{ Items []struct{ Section string } }
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		values := make([]any, len(p.Items))
		for i, x := range p.Items {
			if e.config != nil {
				values[i] = e.config(x.Section)
			}
		}
		return values, nil
	}, nil
}

// permission asks the user for permission.
func (e *Editor) permission(raw json.RawMessage) (rpc.Work, error) {
	var q Question
	if err := json.Unmarshal(raw, &q); err != nil {
		return nil, err
	}
	q.Raw = raw
	e.mu.Lock()
	e.seen.Questions = append(e.seen.Questions, q)
	ask := e.Ask
	e.mu.Unlock()
	return func(ctx context.Context) (any, error) {
		defer e.noteWithdrawn(ctx)
		if ask != nil {
			return ask(ctx, q)
		}
		return Selected(q.Options[0].OptionID), nil
	}, nil
}

// elicit asks the user the model's questions.
func (e *Editor) elicit(raw json.RawMessage) rpc.Work {
	e.mu.Lock()
	ask := e.Elicit
	e.mu.Unlock()
	return func(ctx context.Context) (any, error) {
		defer e.noteWithdrawn(ctx)
		if ask != nil {
			return ask(ctx, raw)
		}
		return map[string]any{"cancelled": true}, nil
	}
}

// Selected returns the answer that chooses an option.
func Selected(optionID string) any {
	return map[string]any{"outcome": "selected", "optionId": optionID}
}

func (e *Editor) noteWithdrawn(ctx context.Context) {
	if ctx.Err() != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.seen.Withdrawn++
	}
}

// request shows a message with buttons.
func (e *Editor) request(raw json.RawMessage) (rpc.Work, error) {
	var p struct {
		Message string
		Actions []struct{ Title string }
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	var titles []string
	for _, a := range p.Actions {
		titles = append(titles, a.Title)
	}
	e.mu.Lock()
	e.seen.Requests = append(e.seen.Requests, p.Message)
	choose := e.Choose
	e.mu.Unlock()
	return func(ctx context.Context) (any, error) {
		defer e.noteWithdrawn(ctx)
		if choose == nil {
			return nil, nil
		}
		if title := choose(ctx, p.Message, titles); title != "" {
			return map[string]any{"title": title}, nil
		}
		return nil, nil
	}, nil
}

func (e *Editor) save(ctx context.Context, raw json.RawMessage) (any, error) {
	var p struct{ URIs []ide.URI }
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.seen.Saves++
	e.mu.Unlock()
	saved, err := e.Save(ctx, p.URIs)
	return map[string]any{"saved": saved, "failed": []any{}}, err
}

// apply applies an edit of the server, or answers as the script says.
func (e *Editor) apply(ctx context.Context, raw json.RawMessage) (any, error) {
	edit, err := e.read(raw)
	if err != nil {
		return nil, err
	}
	if err := e.ApplyEdit(ctx, edit); err != nil {
		return map[string]any{"applied": false, "failureReason": err.Error()}, nil //nolint:nilerr // LSP reports it in the result
	}
	return map[string]any{"applied": true}, nil
}

// read converts an edit on the wire to the editor's form, which checks versions.
// An edit without versions is applied to the current text.
func (e *Editor) read(raw json.RawMessage) (ide.Edit, error) {
	type textEdit struct {
		Range   ide.Range
		NewText string
	}
	var p struct {
		Label string
		Edit  struct {
			Documents []struct {
				Kind, URI, OldURI, NewURI string

				Document struct {
					URI     string
					Version *int32
				} `json:"textDocument"`
				Edits []textEdit
			} `json:"documentChanges"`
			Changes map[string][]textEdit
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return ide.Edit{}, err
	}
	out := ide.Edit{Label: p.Label}
	now := e.Workspace.Snapshot()
	put := func(uri string, version *int32, edits []textEdit) (ide.FileEdit, error) {
		d := now.Document(ide.ParseURI(uri))
		if d == nil {
			return ide.FileEdit{}, fmt.Errorf("%s is not open", uri)
		}
		f := ide.FileEdit{Document: d}
		if version != nil && *version != d.Version {
			old := *d
			old.Version = *version
			f.Document = &old
		}
		for _, x := range edits {
			a, b, err := d.Text.Offsets(x.Range, e.Workspace.Encoding())
			if err != nil {
				return f, err
			}
			f.Splices = append(f.Splices, ide.Splice{A: a, B: b, Text: x.NewText})
		}
		return f, nil
	}
	add := func(f ide.FileEdit, err error) error {
		out.Files = append(out.Files, f)
		return err
	}
	for uri, edits := range p.Edit.Changes {
		if err := add(put(uri, nil, edits)); err != nil {
			return out, err
		}
	}
	for _, d := range p.Edit.Documents {
		var f ide.FileEdit
		var err error
		switch d.Kind {
		case "delete":
			f, err = put(d.URI, nil, nil)
			f.Delete = true
		case "rename":
			f, err = put(d.OldURI, nil, nil)
			f.RenameTo = ide.ParseURI(d.NewURI).Path()
		default:
			f, err = put(d.Document.URI, d.Document.Version, d.Edits)
		}
		if err := add(f, err); err != nil {
			return out, err
		}
	}
	return out, nil
}
