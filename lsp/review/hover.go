package review

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
)

// maxHover bounds how much of a hunk's old and of its new text a hover shows,
// in bytes.
const maxHover = 8 << 10

// Hover shows the pending hunks under the cursor, old and new.
func (a *Actions) Hover(_ context.Context, p client.HoverParams) (rpc.Work, error) {
	if err := client.Need(p.Document.URI, "textDocument.uri"); err != nil {
		return nil, err
	}
	u := ide.ParseURI(p.Document.URI)
	at := ide.Range{Start: p.Position, End: p.Position}
	a.c.Focus.Seen(u, at)
	if !a.c.Can.MarksHunks() {
		return client.Answered(nil), nil
	}
	var shown []string
	var where ide.Range
	for _, h := range a.hunks.pending(u) {
		if h.touches(at) {
			shown = append(shown, a.hoverText(h))
			where = a.hunks.visibleRange(h)
		}
	}
	if len(shown) == 0 {
		return client.Answered(nil), nil
	}
	return client.Answered(protocol.Hover{Contents: a.contents(strings.Join(shown, "\n\n")), Range: new(client.Range(where))}), nil
}

// contents returns a text as the client takes it. One that declares no format knows only
// strings of Markdown.
func (a *Actions) contents(text string) protocol.HoverContents {
	switch can := a.c.Can; {
	case can.HoverMarkdown:
		return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
	case can.HoverPlain:
		return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: text}
	}
	return protocol.String(text)
}

// hoverText returns a hunk as a diff.
func (a *Actions) hoverText(h pending) string {
	head := fmt.Sprintf("emendo proposes to %s (%s)", h.summary(), h.set.Title)
	diff := visible.Text(strings.ReplaceAll(h.diff(), "\r\n", "\n"))
	if !a.c.Can.HoverMarkdown && a.c.Can.HoverPlain {
		return head + "\n\n" + diff
	}
	fence := "```"
	for strings.Contains(diff, fence) {
		fence += "`"
	}
	return escapeMarkdown(head) + "\n\n" + fence + "diff\n" + diff + fence
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, "#", `\#`, "!", `\!`)

// escapeMarkdown returns Markdown that shows s as it is.
func escapeMarkdown(s string) string { return markdownEscapes.Replace(s) }
