package review

import (
	"bytes"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/client"
)

// diagnosticSource is the source of the diagnostics for hunks and questions, and reviewCode
// the code of those for hunks that were applied.
const (
	diagnosticSource = "emendo"
	reviewCode       = "review"
)

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

// diagnostics returns the questions, the undecided hunks and the findings of a file, all at one
// version of its text. The params carry no version: Helix drops diagnostics of a
// version before its own, and ranges that have moved are published again anyway.
func (a *Announcer) diagnostics(u ide.URI, spelled string) protocol.PublishDiagnosticsParams {
	for {
		before := a.c.Workspace.Snapshot().Document(ide.ParseURI(spelled))
		if before == nil {
			a.rereadFindings(u)
		}
		var hunks []undecided
		if a.c.Can.MarksHunks() {
			hunks = a.review.shown(u)
		}
		questions, found := a.questions.ShownIn(before), a.review.findingsIn(before, u)
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
			d := diagnostic(a.review.visibleRange(h), severity, h.message())
			if h.Unreviewed() {
				d.Code = protocol.String(reviewCode)
			}
			if a.c.Can.PublishData {
				data, err := protocol.Marshal(diagnosticData{h.set.ID, h.ID})
				if err != nil {
					panic(err) // strings
				}
				d.Data = data
			}
			p.Diagnostics = append(p.Diagnostics, d)
		}
		for _, f := range found {
			p.Diagnostics = append(p.Diagnostics, a.findingDiagnostic(before, f))
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
