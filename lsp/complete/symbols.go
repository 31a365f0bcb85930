package complete

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/names"
	"github.com/emendo-dev/emendo/internal/visible"
)

const (
	shortestSymbol = 2  // characters of a query for symbols
	mostSymbols    = 20 // in an answer
	mostAsked      = 500
	symbolLoss     = 30 // ranks a symbol after a file of the same score
)

// symbol is an LSP SymbolInformation or WorkspaceSymbol.
type symbol struct {
	Name      string `json:"name"`
	Container string `json:"containerName"`
	Location  struct {
		URI   string     `json:"uri"`
		Range *ide.Range `json:"range"`
	} `json:"location"`
}

// symbols holds the results of the client's language servers for a query.
type symbols struct {
	list       []symbol
	incomplete bool
}

// symbols asks the client's language servers, if the client passes requests on to
// them.
func (x *Completer) symbols(ctx context.Context, query string) symbols {
	if utf8.RuneCountInString(query) < shortestSymbol || strings.Contains(query, "/") {
		return symbols{incomplete: x.c.Can.Passes("workspace/symbol")}
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var l []symbol
	err := x.c.Request(ctx, "workspace/symbol", map[string]string{"query": query}, &l)
	switch {
	case errors.Is(err, ide.ErrUnsupported):
		return symbols{}
	case err != nil:
		x.c.Log.Debug("no symbols from the editor", "error", err)
		return symbols{incomplete: true}
	}
	return symbols{l[:min(len(l), mostAsked)], true}
}

// items returns the completions of the matching symbols in files that may be
// offered.
func (s symbols) items(query string, p place, lists []folderNames) []Item {
	type found struct {
		symbol
		root, rel string
		score     int
	}
	var matches []found
	wanted := map[string]bool{}
	q := names.NewQuery(query)
	for _, x := range s.list {
		n := names.New(x.Name, false)
		score, ok := q.Score(&n)
		root, rel, inside := p.within(ide.ParseURI(x.Location.URI).Path())
		if ok && inside && x.Name != "" {
			matches = append(matches, found{x, root, rel, score - symbolLoss})
			wanted[filepath.Join(root, rel)] = true
		}
	}
	if len(matches) == 0 {
		return nil
	}
	offered := map[string]bool{}
	for _, l := range lists {
		for i := range l.names {
			if path := filepath.Join(l.root, l.names[i].Rel); wanted[path] {
				offered[path] = true
			}
		}
	}
	matches = slices.DeleteFunc(matches, func(m found) bool { return !offered[filepath.Join(m.root, m.rel)] })
	slices.SortStableFunc(matches, func(a, b found) int { return b.score - a.score })
	var items []Item
	for _, m := range matches[:min(len(matches), mostSymbols)] {
		path, label := p.named(m.root, m.rel)
		b := transcript.Block{URI: m.Location.URI, Name: visible.Line(m.Name)}
		i := Item{Label: visible.Line(m.Name), Kind: transcript.MentionSymbol, Detail: label, InsertText: mention(path), score: m.score}
		if r := m.Location.Range; r != nil {
			b.Lines = linesOf(*r)
			i.InsertText = mention(fmt.Sprintf("%s:%s", path, spoken(*b.Lines)))
			i.Detail = fmt.Sprintf("%s:%s", label, spoken(*b.Lines))
		}
		if m.Container != "" {
			i.Detail = visible.Line(m.Container) + " · " + i.Detail
		}
		i.Block = blockOf(b, i.Kind, i.Label)
		items = append(items, i)
	}
	return items
}

// linesOf returns the lines of a range. An end at the start of a line excludes it.
func linesOf(r ide.Range) *transcript.Lines {
	last := int(r.End.Line)
	if r.End.Character > 0 || last <= int(r.Start.Line) {
		last++
	}
	return &transcript.Lines{First: int(r.Start.Line) + 1, Last: max(last, int(r.Start.Line)+1)}
}

// spoken formats lines for a mention: "3" or "3-9".
func spoken(l transcript.Lines) string {
	if l.First == l.Last {
		return fmt.Sprint(l.First)
	}
	return fmt.Sprintf("%d-%d", l.First, l.Last)
}
