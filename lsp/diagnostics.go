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

// source of the diagnostics that stand for pending hunks.
const diagnosticSource = "emendo"

// information is LSP's severity of a diagnostic that is no mistake.
const information = 3

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

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitzero"`
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

// diagnosticsOf are the pending hunks of a file at one version of it.
func (s *server) diagnosticsOf(u ide.URI, spelled string) publishParams {
	for {
		before := s.workspace.Snapshot().Document(ide.ParseURI(spelled))
		hunks := s.pendingHunks(u)
		if s.workspace.Snapshot().Document(ide.ParseURI(spelled)) != before {
			continue // typed meanwhile: the ranges may be of either version
		}
		p := publishParams{URI: spelled, Diagnostics: make([]diagnostic, len(hunks))}
		if before != nil && s.can.publishVersion {
			p.Version = &before.Version
		}
		for i, h := range hunks {
			p.Diagnostics[i] = s.diagnostic(h)
		}
		return p
	}
}

func (s *server) diagnostic(h pending) diagnostic {
	d := diagnostic{Range: s.visibleRange(h), Severity: information, Source: diagnosticSource, Message: hunkMessage(h)}
	if s.can.publishData {
		d.Data = &diagnosticData{h.set.ID, h.ID}
	}
	return d
}

// visibleRange is a hunk's range without the end of its last line: editors
// would underline the next line too.
func (s *server) visibleRange(h pending) ide.Range {
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
