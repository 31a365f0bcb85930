package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// maxHover bounds how much of a hunk's old and of its new text a hover shows,
// in bytes.
const maxHover = 8 << 10

type hoverParams struct {
	Document document     `json:"textDocument"`
	Position ide.Position `json:"position"`
}

type hoverAnswer struct {
	Contents markup    `json:"contents"`
	Range    ide.Range `json:"range"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// hover shows the pending hunks under the cursor, old and new.
func (s *server) hover(_ context.Context, p hoverParams) (rpc.Work, error) {
	if err := need(p.Document.URI, "textDocument.uri"); err != nil {
		return nil, err
	}
	u := ide.ParseURI(p.Document.URI)
	at := ide.Range{Start: p.Position, End: p.Position}
	s.focus.seen(u, at)
	if !s.can.marksHunks() {
		return answered(nil), nil
	}
	var shown []string
	var where ide.Range
	for _, h := range s.pendingHunks(u) {
		if h.touches(at) {
			shown = append(shown, s.hoverText(h))
			where = s.visibleRange(h)
		}
	}
	if len(shown) == 0 {
		return answered(nil), nil
	}
	kind := "plaintext"
	if s.can.hoverMarkdown {
		kind = "markdown"
	}
	return answered(hoverAnswer{markup{kind, strings.Join(shown, "\n\n")}, where}), nil
}

// hoverText is a hunk as a diff.
func (s *server) hoverText(h pending) string {
	head := fmt.Sprintf("emendo proposes to %s (%s)", h.summary(), h.set.Title)
	diff := visibleLines(marked("-", h.OldText) + marked("+", h.NewText))
	if !s.can.hoverMarkdown {
		return head + "\n\n" + diff
	}
	fence := "```"
	for strings.Contains(diff, fence) {
		fence += "`"
	}
	return escapeMarkdown(head) + "\n\n" + fence + "diff\n" + diff + fence
}

// marked puts a mark before every line.
func marked(mark, text string) string {
	if text == "" {
		return ""
	}
	cut := ""
	if len(text) > maxHover {
		text, cut = strings.ToValidUTF8(text[:maxHover], ""), mark+"…\n"
	}
	l := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return mark + strings.Join(l, "\n"+mark) + "\n" + cut
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, "#", `\#`, "!", `\!`)

// escapeMarkdown has a text shown as it is.
func escapeMarkdown(s string) string { return markdownEscapes.Replace(s) }
