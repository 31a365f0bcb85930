package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/visible"
)

// source of the diagnostics for pending hunks and questions.
const diagnosticSource = "emendo"

// LSP's severities: of a question, which waits for the user, and of a hunk.
const (
	warning     = 2
	information = 3
)

// shownLines and shownWidth bound how much of a hunk a diagnostic's message
// holds; hovering shows all of it.
const (
	shownLines = 8
	shownWidth = 160 // characters
)

type diagnostic struct {
	Range    ide.Range       `json:"range"`
	Severity int             `json:"severity"`
	Source   string          `json:"source"`
	Message  string          `json:"message"`
	Data     *diagnosticData `json:"data,omitzero"`
}

type diagnosticData struct {
	ChangeSetID string `json:"changeSetId"`
	HunkID      string `json:"hunkId"`
}

// publishParams have no version. Helix drops diagnostics of a version before its
// own, and ranges that have moved meanwhile are published again anyway.
type publishParams struct {
	URI         string       `json:"uri"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

// published is what the client has for a file.
type published struct {
	uri         string
	diagnostics []byte
}

// publish brings the diagnostics of files up to date.
func (a *announcer) publish(files map[ide.URI]string) {
	if !a.s.can.publish {
		return
	}
	for u, spelled := range files {
		p := a.s.diagnosticsOf(u, spelled)
		seen, err := json.Marshal(p.Diagnostics)
		if err != nil {
			panic(err) // strings and numbers
		}
		had, known := a.published[u]
		if known && had.uri != p.URI { // opened or closed under another spelling
			a.clear(had.uri)
			known = false
		}
		switch {
		case len(p.Diagnostics) == 0:
			delete(a.published, u)
		case known && bytes.Equal(had.diagnostics, seen):
			continue
		default:
			a.published[u] = published{p.URI, seen}
			known = true
		}
		if known {
			a.s.notify(a.s.life, "textDocument/publishDiagnostics", p)
		}
	}
}

func (a *announcer) clear(uri string) {
	a.s.notify(a.s.life, "textDocument/publishDiagnostics", publishParams{URI: uri, Diagnostics: []diagnostic{}})
}

// diagnosticsOf are the questions and the pending hunks of a file at one version
// of it.
func (s *server) diagnosticsOf(u ide.URI, spelled string) publishParams {
	for {
		before := s.workspace.Snapshot().Document(ide.ParseURI(spelled))
		var hunks []pending
		if s.can.marksHunks() {
			hunks = s.pendingHunks(u)
		}
		questions := s.ask.in(before, s.workspace.Encoding())
		if s.workspace.Snapshot().Document(ide.ParseURI(spelled)) != before {
			continue // typed meanwhile: the ranges may be of either version
		}
		p := publishParams{URI: spelled, Diagnostics: []diagnostic{}}
		for _, q := range questions {
			p.Diagnostics = append(p.Diagnostics, diagnostic{Range: q.line, Severity: warning, Source: diagnosticSource, Message: withoutTabs(questionMessage(q))})
		}
		for _, h := range hunks {
			p.Diagnostics = append(p.Diagnostics, s.diagnostic(h))
		}
		return p
	}
}

func (s *server) diagnostic(h pending) diagnostic {
	d := diagnostic{Range: s.visibleRange(h), Severity: information, Source: diagnosticSource, Message: withoutTabs(hunkMessage(h))}
	if s.can.publishData {
		d.Data = &diagnosticData{h.set.ID, h.ID}
	}
	return d
}

// tabStop is how far apart tabs are set in a diagnostic.
const tabStop = 4

// withoutTabs replaces tabs by spaces: a terminal editor that prints a tab as it
// is garbles its screen.
func withoutTabs(text string) string {
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

// visibleRange is a hunk's range without the end of its last line, since editors
// would underline the next line too; of lines that are added behind the last one,
// that one.
func (s *server) visibleRange(h pending) ide.Range {
	if h.last != nil {
		return *h.last
	}
	r := h.Range
	if r.End.Character > 0 || r.End.Line <= r.Start.Line || h.OldText == "" {
		return r
	}
	t := ide.NewText(strings.TrimRight(h.OldText, "\r\n"))
	end := t.Position(t.Len(), s.workspace.Encoding())
	end.Line += r.Start.Line
	if end.Line < r.End.Line {
		r.End = end
	}
	return r
}

// hunkMessage says what a hunk changes, and how it begins.
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
