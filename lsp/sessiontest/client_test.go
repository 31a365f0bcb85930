package sessiontest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// kind of client: what it declares.
type kind string

const (
	reviewing kind = "review"     // draws hunks, asks, shows updates
	asking    kind = "permission" // shows updates and asks, and draws no hunks
	plain     kind = "plain"      // has nothing of emendo's own, but can show a question
	silent    kind = "silent"     // nor that
)

// capabilities are what a client of the kind declares.
func (k kind) capabilities(saves bool) object {
	c := object{
		"general":   object{"positionEncodings": []string{"utf-16"}},
		"workspace": object{"applyEdit": true, "workspaceEdit": object{"documentChanges": true, "resourceOperations": []string{"create", "rename", "delete"}}},
		"window":    object{"workDoneProgress": true},
		"textDocument": object{
			"codeAction": object{"codeActionLiteralSupport": object{"codeActionKind": object{"valueSet": []string{"quickfix"}}}},
			"hover":      object{"contentFormat": []string{"plaintext"}},
		},
	}
	switch k {
	case reviewing, asking:
		c["experimental"] = object{"emendo": object{"version": 1, "session": true, "permission": true, "changes": k == reviewing, "status": true, "save": saves}}
	case plain:
		c["window"] = object{"workDoneProgress": true, "showMessage": object{}}
		fallthrough
	case silent:
		c["textDocument"].(object)["publishDiagnostics"] = object{"dataSupport": true}
	}
	return c
}

// client is the editor's side of one connection.
type client struct {
	editor *editor
	kind   kind
	conn   *rpc.Conn

	mu        sync.Mutex
	updates   []update
	sets      map[string]changeSet // as the server told them
	questions []*question
	status    status
	messages  []string                 // shown to the user
	marks     map[string][]mark        // diagnostics by document
	work      map[string]chan struct{} // by the token of its progress; closed at its end
	last      string                   // the token of what was begun last
	wrong     []string                 // what the server should not have done
}

// question waits for the user.
type question struct {
	session string
	raw     json.RawMessage
	ids     []string // of the options, in order
	answer  chan any
}

// status is what a status line shows.
type status struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Mode    string `json:"mode"`
	Pending int    `json:"pendingHunks"`
	Command *struct {
		Command string `json:"command"`
	} `json:"command"`
}

// mark is a diagnostic.
type mark struct {
	Range    ide.Range `json:"range"`
	Severity int       `json:"severity"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
}

// Notification implements [rpc.Handler].
func (c *client) Notification(_ context.Context, method string, raw json.RawMessage) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.kind == reviewing || c.kind == asking
	switch {
	case method == "emendo/session/update" && own:
		u, err := readUpdate(raw)
		c.updates = append(c.updates, u)
		return err
	case method == "emendo/changes/didChange" && c.kind == reviewing:
		var p struct {
			ChangeSet changeSet `json:"changeSet"`
		}
		err := json.Unmarshal(raw, &p)
		c.sets[p.ChangeSet.ID] = p.ChangeSet
		return err
	case method == "emendo/status" && own:
		c.status = status{}
		return json.Unmarshal(raw, &c.status)
	case method == "window/showMessage":
		var p struct {
			Message string `json:"message"`
		}
		err := json.Unmarshal(raw, &p)
		c.messages = append(c.messages, p.Message)
		return err
	case method == "textDocument/publishDiagnostics" && !own:
		var p struct {
			URI         string `json:"uri"`
			Diagnostics []mark `json:"diagnostics"`
		}
		err := json.Unmarshal(raw, &p)
		c.marks[p.URI] = p.Diagnostics
		return err
	case method == "$/progress":
		return c.progressed(raw)
	case method == "window/logMessage":
		return nil
	}
	c.wrong = append(c.wrong, "it sent "+method+", which this client did not declare")
	return nil
}

// progressed notes the end of a piece of work; c.mu is held.
func (c *client) progressed(raw json.RawMessage) error {
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind string `json:"kind"`
		} `json:"value"`
	}
	err := json.Unmarshal(raw, &p)
	token := string(p.Token)
	switch p.Value.Kind {
	case "begin":
		c.last = token
		c.work[token] = make(chan struct{})
	case "end":
		if done := c.work[token]; done != nil {
			close(done)
		}
	}
	return err
}

// token is that of the work that was begun last.
func (c *client) token() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// Request implements [rpc.Handler].
func (c *client) Request(_ context.Context, method string, raw json.RawMessage) (rpc.Work, error) {
	own := c.kind == reviewing || c.kind == asking
	switch {
	case method == "workspace/applyEdit":
		return func(ctx context.Context) (any, error) { return c.editor.applyEdit(ctx, raw) }, nil
	case method == "emendo/session/requestPermission" && own, method == "window/showMessageRequest" && c.kind == plain:
		q, err := c.asked(raw)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (any, error) { return c.wait(ctx, q) }, nil
	case method == "emendo/editor/save" && own:
		return func(context.Context) (any, error) { return c.save(raw) }, nil
	case method == "window/workDoneProgress/create":
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, "it asked "+method+", which this client did not declare")
	return nil, rpc.ErrMethodNotFound
}

// asked puts a question before the user.
func (c *client) asked(raw json.RawMessage) (*question, error) {
	var p struct {
		Session string `json:"sessionId"`
		Options []struct {
			ID string `json:"optionId"`
		} `json:"options"`
		Actions []struct {
			Title string `json:"title"`
		} `json:"actions"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	q := &question{session: p.Session, raw: raw, answer: make(chan any, 1)}
	for _, o := range p.Options {
		q.ids = append(q.ids, o.ID)
	}
	for _, a := range p.Actions {
		q.ids = append(q.ids, a.Title)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.questions = append(c.questions, q)
	return q, nil
}

// wait waits for the user's answer, or for the question to be withdrawn.
func (c *client) wait(ctx context.Context, q *question) (any, error) {
	select {
	case a := <-q.answer:
		return a, nil
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		c.questions = slices.DeleteFunc(c.questions, func(o *question) bool { return o == q })
		return nil, context.Cause(ctx)
	}
}

// answer chooses an option of the oldest open question.
func (c *client) answer(option, feedback string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.questions) == 0 {
		return fmt.Errorf("there is no open question")
	}
	q := c.questions[0]
	c.questions = c.questions[1:]
	switch {
	case c.kind == plain:
		i := slices.IndexFunc(q.ids, func(title string) bool { return strings.EqualFold(title, option) })
		if option != "nothing" && i < 0 {
			return fmt.Errorf("the question offers %q, not %q", q.ids, option)
		}
		if i < 0 {
			q.answer <- nil
		} else {
			q.answer <- object{"title": q.ids[i]}
		}
	case option == "nothing":
		q.answer <- object{"outcome": "cancelled"}
	default:
		a := object{"outcome": "selected", "optionId": option}
		if feedback != "" {
			a["feedback"] = feedback
		}
		q.answer <- a
	}
	return nil
}

// save saves buffers at the server's wish.
func (c *client) save(raw json.RawMessage) (any, error) {
	var p struct {
		URIs []ide.URI `json:"uris"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	saved, err := c.editor.Save(context.Background(), p.URIs)
	return object{"saved": saved, "failed": []string{}}, err
}
