// Package textcall lets models call tools that cannot do so natively: tools are
// declared in the system prompt, calls and their results are written into the text,
// and a strict parser turns the text back into calls. It never guesses: whatever is
// not exactly a call makes the answer a malformed one, which the agent asks for again.
//
// A call is a block that begins at the beginning of a line, in the form that many
// open models were trained on:
//
//	<tool_call>
//	{"name": "read_file", "arguments": {"path": "a.go"}}
//	</tool_call>
package textcall

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// Markers of calls and results.
const (
	callBegin   = "<tool_call>"
	callEnd     = "</tool_call>"
	resultBegin = "<tool_result"
	resultEnd   = "</tool_result>"
)

//go:embed textcall.md
var instructions string // what the model reads about calls

// New returns a generator that calls tools through the text of g.
func New(g model.Generator) model.Generator { return model.With(g, textual{}) }

type textual struct{}

// Begin implements [model.Layer].
func (textual) Begin(_ context.Context, req *model.Request) (model.Watch, error) {
	called := len(req.Tools) > 0
	*req = written(*req)
	if !called {
		return nil, nil
	}
	return &blocks{splitter{markers: []string{callBegin, resultBegin, callEnd}, spaces: "\r\n"}}, nil
}

// blocks reads the calls in an answer, which have to be right.
type blocks struct{ splitter }

// maxShown is how much of a wrong call the model reads again, in bytes.
const maxShown = 400

// Chunk implements [model.Watch]: it returns c with the text that is certain not to belong
// to a call, and with the calls when the answer is complete.
func (b *blocks) Chunk(c model.Chunk, err error) (model.Chunk, error) {
	if err == nil {
		err = b.split(&c)
	}
	if c.Finish == "" {
		return c, err
	}
	text, holds := b.remainder()
	if !holds {
		if text != "" {
			c.Parts = append(c.Parts, model.Text{Text: text})
		}
		return c, err
	}
	calls, body, wrong := readBlocks(text)
	cut := c.Finish == model.MaxTokens
	switch {
	case wrong == "":
		for _, call := range calls {
			c.Parts = append(c.Parts, call)
		}
		return c, err
	case cut && wrong != unended: // the text before it counts
		return c, err
	case cut:
		wrong += "; the answer reached its limit of tokens in it: write less at once"
	}
	c.Finish, c.FinishWord, c.FinishWhy = model.MalformedCall, wrong, wrong
	if body = strings.TrimSpace(body); len(body) > maxShown {
		body = strings.ToValidUTF8(body[:maxShown/2], "") + " … " + strings.ToValidUTF8(body[len(body)-maxShown/2:], "")
	}
	if body != "" {
		c.FinishWhy += ": " + body
	}
	return c, err
}

// written returns the request with tools, calls and results as text.
func written(req model.Request) model.Request {
	if len(req.Tools) > 0 {
		req.System = strings.TrimSpace(req.System + "\n\n" + declared(req.Tools, req.Choice))
		req.Config.StopSequences = append(slices.Clip(req.Config.StopSequences), "\n"+resultBegin) // results are not the model's to write
	}
	req.Tools, req.Choice = nil, model.MayCall
	out := make([]model.Message, len(req.Messages))
	for i, m := range req.Messages {
		out[i] = model.Message{ID: m.ID, Role: m.Role}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case model.Call:
				out[i].Parts = append(out[i].Parts, model.Text{Text: callText(p)})
			case model.Result:
				out[i].Parts = append(out[i].Parts, model.Text{Text: resultText(p)})
				for _, b := range p.Blobs {
					out[i].Parts = append(out[i].Parts, b)
				}
			case model.Text, model.Thought, model.Blob:
				out[i].Parts = append(out[i].Parts, p)
			}
		}
	}
	req.Messages = out
	return req
}

func callText(c model.Call) string {
	name, _ := json.Marshal(c.Name) // a text never fails
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return fmt.Sprintf("\n%s\n{\"name\": %s, \"arguments\": %s}\n%s\n", callBegin, name, args, callEnd)
}

// resultText writes a result. Its own end marker cannot be in it, so that what a
// tool returned cannot look like something else.
func resultText(r model.Result) string {
	failed := ""
	if r.Failed {
		failed = ` failed="true"`
	}
	name := strings.NewReplacer(`"`, "", "<", "", ">", "", "\n", " ").Replace(r.Name)
	output := strings.ReplaceAll(r.Output, resultEnd, "</tool-result>")
	return fmt.Sprintf("\n%s name=\"%s\"%s>\n%s\n%s\n", resultBegin, name, failed, output, resultEnd)
}

// declared describes the tools and how to call them.
func declared(tools []model.Tool, choice model.Choice) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(instructions))
	switch choice {
	case model.MustCall:
		b.WriteString("\n\nYour next answer must call a tool.")
	case model.MustNotCall:
		b.WriteString("\n\nDo not call a tool in your next answer.")
	case model.MayCall:
	}
	b.WriteString("\n\n<tools>")
	for _, t := range tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		line, err := json.Marshal(struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		}{t.Name, t.Description, schema})
		if err != nil { // its schema is not JSON
			continue
		}
		b.WriteString("\n" + string(line))
	}
	b.WriteString("\n</tools>")
	return b.String()
}
