package chatdoc

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/lsp/client"
)

// mostOutput limits how much of a call's arguments and of its output a hover shows,
// in bytes.
const mostOutput = 2 << 10

// Hover answers textDocument/hover in a chat document: on the line of a call it shows
// the call.
func (r *Requests) Hover(_ context.Context, p client.HoverParams) (rpc.Work, error) {
	doc, err := r.asked(p.Document)
	if doc == nil {
		return client.Answered(nil), err
	}
	at, err := doc.Text.Offset(p.Position, r.d.c.Workspace.Encoding())
	if err != nil {
		return nil, client.Invalid("%v", err)
	}
	text := doc.Text.String()
	n := doc.Text.LineAt(at)
	from := doc.Text.LineStart(n)
	line := strings.TrimRight(doc.Text.Line(n), " \t\r\n")
	parsed := r.parse(doc)
	title := titleOf(line)
	if !strings.HasPrefix(line, "- `") || parsed.Session == "" || !inAnswer(parsed, from) {
		return client.Answered(nil), nil
	}
	before := 0 // lines of calls with the same title
	for _, l := range placesIn(text, 0, from) {
		if titleOf(l.text) == title {
			before++
		}
	}
	span := client.Range(doc.Text.Range(from, from+len(line), r.d.c.Workspace.Encoding()))
	return func(ctx context.Context) (any, error) {
		if r.d.belongs(ctx, doc.Path, parsed.Session) != nil {
			return nil, nil //nolint:nilerr // it does not show what was done elsewhere
		}
		words, err := r.describe(ctx, parsed.Session, title, before)
		if words == "" || err != nil {
			return nil, err
		}
		kind := protocol.MarkupKindPlainText
		if r.d.c.Can.HoverMarkdown {
			kind = protocol.MarkupKindMarkdown
		}
		return protocol.Hover{Contents: &protocol.MarkupContent{Kind: kind, Value: words}, Range: &span}, nil
	}, nil
}

func inAnswer(d grammar.Document, at int) bool {
	for _, s := range d.Sections {
		if s.Speaker == grammar.Emendo && s.Body <= at && at < s.End {
			return true
		}
	}
	return false
}

// describe returns the n-th call with a title, or the last one before it.
func (r *Requests) describe(ctx context.Context, session, title string, n int) (string, error) {
	ses, err := r.d.c.Host.Session(ctx, session)
	if err != nil {
		return "", err
	}
	updates, _, err := ses.Replay(1)
	if err != nil {
		return "", err
	}
	calls := map[string]transcript.ToolCall{}
	titles := map[string]string{}
	var ended []transcript.ToolUpdate
	for _, u := range updates {
		switch e := u.Event.(type) { //nolint:gochecksumtype // only these are about calls
		case transcript.ToolCall:
			calls[e.CallID], titles[e.CallID] = e, e.Title
		case transcript.ToolUpdate:
			if e.Title != "" {
				titles[e.CallID] = e.Title
			}
			if e.Over() && titleOf(grammar.CallLine(titles[e.CallID], "")) == title {
				ended = append(ended, e)
			}
		}
	}
	if len(ended) == 0 {
		return "", nil
	}
	e := ended[min(n, len(ended)-1)]
	return callText(calls[e.CallID], e, r.d.c.Can.HoverMarkdown), nil
}

// callText describes a call: its name, its arguments and the beginning of its output.
func callText(c transcript.ToolCall, e transcript.ToolUpdate, markdown bool) string {
	var b strings.Builder
	b.WriteString(visible.Line(c.Name) + "\n\n")
	args := string(c.Args)
	var v any
	if json.Unmarshal(c.Args, &v) == nil {
		if pretty, err := json.MarshalIndent(v, "", "  "); err == nil {
			args = string(pretty)
		}
	}
	quote(&b, "json", args, markdown)
	if e.Output != "" {
		b.WriteString("\n\n")
		quote(&b, "", e.Output, markdown)
	}
	return b.String()
}

// quote writes the beginning of a text as a block of code.
func quote(b *strings.Builder, language, text string, markdown bool) {
	if len(text) > mostOutput {
		text = strings.ToValidUTF8(text[:mostOutput], "") + "\n…"
	}
	text = strings.TrimRight(visible.Text(text), "\n")
	if !markdown {
		b.WriteString(text)
		return
	}
	b.WriteString(visible.Block(language, text))
}
