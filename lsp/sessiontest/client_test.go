package sessiontest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// kind is a kind of client, by what it declares.
type kind string

const (
	reviewing kind = "review"     // draws hunks, asks, shows updates
	queueing  kind = "queue"      // as review, and shows the queue
	asking    kind = "permission" // shows updates and asks, and draws no hunks
	plain     kind = "plain"      // has nothing of emendo's own, but can show a question
	silent    kind = "silent"     // nor that
)

// plugged reports whether the client has emendo's plugin.
func (k kind) plugged() bool { return k.reviews() || k == asking }

// reviews reports whether the client draws hunks.
func (k kind) reviews() bool { return k == reviewing || k == queueing }

// object is a JSON object to send.
type object = map[string]any

// profile returns the profile of the script's editor.
func (p *play) profile() (lsptest.Profile, error) {
	c := object{
		"general":   object{"positionEncodings": []string{"utf-16"}},
		"workspace": object{"applyEdit": true, "workspaceEdit": object{"documentChanges": true, "resourceOperations": []string{"create", "rename", "delete"}}},
		"window":    object{"workDoneProgress": true},
		"textDocument": object{
			"codeAction": object{"codeActionLiteralSupport": object{"codeActionKind": object{"valueSet": []string{"quickfix"}}}},
			"hover":      object{"contentFormat": []string{"plaintext"}},
		},
	}
	switch p.kind {
	case reviewing, queueing, asking:
		c["experimental"] = object{"emendo": object{"version": 1, "session": true, "permission": true, "elicit": true, "changes": p.kind.reviews(), "queue": p.kind == queueing, "status": true, "save": p.saves}}
	case plain:
		c["window"] = object{"workDoneProgress": true, "showMessage": object{}}
		fallthrough
	case silent:
		c["textDocument"].(object)["publishDiagnostics"] = object{"dataSupport": true}
	default:
		return lsptest.Profile{}, fmt.Errorf("there is no client %q", p.kind)
	}
	trust := lsp.Restricted
	if p.trusted {
		trust = lsp.Trusted
	}
	params, err := json.Marshal(object{
		"processId": nil, "capabilities": c, "workspaceFolders": []object{{"uri": "ROOT", "name": "work"}},
		"initializationOptions": object{"trust": trust},
	})
	return lsptest.Profile{Name: string(p.kind), Initialize: string(params)}, err
}

// question waits for the user.
type question struct {
	raw    json.RawMessage // of emendo's own question
	elicit json.RawMessage // of questions of the model's
	text   string          // of a message
	ids    []string        // of the options, in order; the titles of a message's
	answer chan string     // an option's
	words  string          // that go with the answer; set before it
}

// ask asks the user and waits for the answer, or until the question is withdrawn.
func (p *play) ask(ctx context.Context, q *question) (option string, err error) {
	q.answer = make(chan string, 1)
	p.mu.Lock()
	p.questions = append(p.questions, q)
	p.mu.Unlock()
	select {
	case option = <-q.answer:
		return option, nil
	case <-ctx.Done():
		p.mu.Lock()
		defer p.mu.Unlock()
		p.questions = slices.DeleteFunc(p.questions, func(o *question) bool { return o == q })
		return "", context.Cause(ctx)
	}
}

// permission asks the user of a client with the plugin for permission.
func (p *play) permission(ctx context.Context, x lsptest.Question) (any, error) {
	q := &question{raw: x.Raw}
	for _, o := range x.Options {
		q.ids = append(q.ids, o.OptionID)
	}
	option, err := p.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if option == "" {
		return object{"outcome": "cancelled"}, nil
	}
	return object{"outcome": "selected", "optionId": option, "feedback": q.words}, nil
}

// elicited asks the user what the model wants to know. Bars separate the answers,
// commas the values of one answer.
func (p *play) elicited(ctx context.Context, raw json.RawMessage) (any, error) {
	answer, err := p.ask(ctx, &question{elicit: raw})
	if err != nil {
		return nil, err
	}
	switch answer {
	case "":
		return object{"cancelled": true}, nil
	case "declined":
		return object{"declined": true}, nil
	}
	answers := []object{}
	for one := range strings.SplitSeq(answer, " | ") {
		answers = append(answers, object{"values": strings.Split(one, ", ")})
	}
	return object{"answers": answers}, nil
}

// choice asks the user of a client without the plugin; an error means no choice.
func (p *play) choice(ctx context.Context, text string, titles []string) string {
	option, err := p.ask(ctx, &question{text: text, ids: titles})
	if err != nil {
		return ""
	}
	return option
}

// oldest returns the oldest open question.
func (p *play) oldest() (*question, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.questions) == 0 {
		return nil, errors.New("there is no open question")
	}
	return p.questions[0], nil
}

// answer chooses an option of the oldest open question; the rest is the user's
// feedback.
func (p *play) answer(words string) error {
	q, err := p.oldest()
	if err != nil {
		return err
	}
	option, feedback := words, ""
	if q.raw != nil {
		option, feedback = word(words)
	}
	if option == "nothing" {
		option = ""
	} else if q.elicit == nil && !slices.Contains(q.ids, option) {
		return fmt.Errorf("the question offers %q, not %q", q.ids, option)
	}
	p.mu.Lock()
	p.questions = p.questions[1:]
	p.mu.Unlock()
	q.words = feedback
	q.answer <- option
	return nil
}
