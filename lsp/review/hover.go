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
	"github.com/emendo-dev/emendo/lsp/request"
)

// maxHover bounds how much of a hunk's old and of its new text a hover shows,
// in bytes.
const maxHover = 8 << 10

// Hover shows the pending hunks under the cursor, old and new.
func (a *Actions) Hover(_ context.Context, p request.HoverParams) (rpc.Work, error) {
	if err := request.Need(p.Document.URI, "textDocument.uri"); err != nil {
		return nil, err
	}
	u := ide.ParseURI(p.Document.URI)
	at := ide.Range{Start: p.Position, End: p.Position}
	a.c.Focus.Seen(u, at)
	if !a.c.Can.MarksHunks() {
		return request.Answered(nil), nil
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
		return request.Answered(nil), nil
	}
	kind := protocol.MarkupKindPlainText
	if a.c.Can.HoverMarkdown {
		kind = protocol.MarkupKindMarkdown
	}
	return request.Answered(protocol.Hover{
		Contents: &protocol.MarkupContent{Kind: kind, Value: strings.Join(shown, "\n\n")}, Range: new(client.Range(where)),
	}), nil
}

// hoverText returns a hunk as a diff.
func (a *Actions) hoverText(h pending) string {
	head := fmt.Sprintf("emendo proposes to %s (%s)", h.summary(), h.set.Title)
	diff := visible.Text(strings.ReplaceAll(h.diff(), "\r\n", "\n"))
	if !a.c.Can.HoverMarkdown {
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
