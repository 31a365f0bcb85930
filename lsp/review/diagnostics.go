package review

import (
	"bytes"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
)

// diagnosticSource is the source of the diagnostics for pending hunks and
// questions.
const diagnosticSource = "emendo"

// shownLines and shownWidth bound how much of a hunk the message of a diagnostic
// holds; a hover shows all of it.
const (
	shownLines = 8
	shownWidth = 160 // characters
)

type diagnosticData struct {
	ChangeSetID string `json:"changeSetId"`
	HunkID      string `json:"hunkId"`
}

// published are the diagnostics that the client has for a file.
type published struct {
	uri         string
	diagnostics []byte
}

// publish brings the diagnostics of files up to date.
func (a *Announcer) publish(files map[ide.URI]string) {
	if !a.c.Can.Publish {
		return
	}
	for u, spelled := range files {
		p := a.diagnostics(u, spelled)
		encoded, err := protocol.Marshal(p.Diagnostics)
		if err != nil {
			panic(err) // strings and numbers
		}
		had, known := a.published[u]
		if known && had.uri != spelled { // opened or closed under another spelling
			a.send("textDocument/publishDiagnostics", protocol.PublishDiagnosticsParams{URI: uri.URI(had.uri)})
			known = false
		}
		switch {
		case len(p.Diagnostics) == 0:
			delete(a.published, u)
		case known && bytes.Equal(had.diagnostics, encoded):
			continue
		default:
			a.published[u] = published{spelled, encoded}
			known = true
		}
		if known {
			a.send("textDocument/publishDiagnostics", p)
		}
	}
}

// diagnostics returns the questions and the pending hunks of a file, all at one
// version of its text. The params carry no version: Helix drops diagnostics of a
// version before its own, and ranges that have moved are published again anyway.
func (a *Announcer) diagnostics(u ide.URI, spelled string) protocol.PublishDiagnosticsParams {
	for {
		before := a.c.Workspace.Snapshot().Document(ide.ParseURI(spelled))
		var hunks []pending
		if a.c.Can.MarksHunks() {
			hunks = a.review.pending(u)
		}
		questions := a.questions.ShownIn(before)
		if a.c.Workspace.Snapshot().Document(ide.ParseURI(spelled)) != before {
			continue // changed meanwhile: the ranges may be of either version
		}
		p := protocol.PublishDiagnosticsParams{URI: uri.URI(spelled)}
		for _, q := range questions {
			p.Diagnostics = append(p.Diagnostics, diagnostic(q.Line, protocol.DiagnosticSeverityWarning, q.Message()))
		}
		for _, h := range hunks {
			severity := protocol.DiagnosticSeverityInformation
			if a.c.Can.HidesHints {
				severity = protocol.DiagnosticSeverityWarning
			}
			d := diagnostic(a.review.visibleRange(h), severity, hunkMessage(h))
			if a.c.Can.PublishData {
				data, err := protocol.Marshal(diagnosticData{h.set.ID, h.ID})
				if err != nil {
					panic(err) // strings
				}
				d.Data = data
			}
			p.Diagnostics = append(p.Diagnostics, d)
		}
		return p
	}
}

func diagnostic(r ide.Range, severity protocol.DiagnosticSeverity, message string) protocol.Diagnostic {
	return protocol.Diagnostic{
		Range: client.Range(r), Severity: severity, Source: protocol.NewOptional(diagnosticSource), Message: protocol.String(expandTabs(message)),
	}
}

// tabStop is how far apart tabs are set in a diagnostic.
const tabStop = 4

// expandTabs replaces tabs with spaces: a terminal editor that prints tabs
// unchanged garbles its screen.
func expandTabs(text string) string {
	var b strings.Builder
	column := 0
	for _, r := range text {
		switch r {
		case '\n':
			b.WriteRune(r)
			column = 0
		case '\t':
			n := tabStop - column%tabStop
			b.WriteString(strings.Repeat(" ", n))
			column += n
		default:
			b.WriteRune(r)
			column++
		}
	}
	return b.String()
}

// hunkMessage returns what a hunk changes, and its first lines.
func hunkMessage(h pending) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", h.set.Title, h.summary())
	if h.file.Op != ledger.Modify {
		return b.String()
	}
	left := shownLines
	quote(&b, "-", h.OldText, left/2)
	quote(&b, "+", h.NewText, left/2)
	return b.String()
}

// quote writes the first lines of a text, each after a mark.
func quote(b *strings.Builder, mark, text string, most int) {
	if text == "" {
		return
	}
	l := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range l {
		if i == most {
			fmt.Fprintf(b, "\n%s …", mark)
			return
		}
		r, rest := []rune(strings.TrimSuffix(line, "\r")), ""
		if len(r) > shownWidth {
			r, rest = r[:shownWidth], "…"
		}
		fmt.Fprintf(b, "\n%s %s%s", mark, visible.Text(string(r)), rest)
	}
}
