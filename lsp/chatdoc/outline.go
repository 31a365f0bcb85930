package chatdoc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Symbols answers textDocument/documentSymbol: the questions, each with its answer.
func (r *Requests) Symbols(_ context.Context, p client.DocumentParams) (rpc.Work, error) {
	doc, err := r.asked(p.Document)
	if err != nil {
		return nil, err
	}
	tree := []protocol.DocumentSymbol{}
	flat := []protocol.SymbolInformation{}
	if doc != nil {
		enc := r.d.c.Workspace.Encoding()
		for _, s := range r.parse(doc).Symbols() {
			x := protocol.DocumentSymbol{
				Name: visible.Line(s.Name), Kind: protocol.SymbolKindString,
				Range: client.Range(doc.Text.Range(s.Start, s.End, enc)), SelectionRange: client.Range(doc.Text.Range(s.Start, s.NameEnd, enc)),
			}
			if n := len(tree); s.Speaker == grammar.Emendo && n > 0 && len(tree[n-1].Children) == 0 {
				x.Kind = protocol.SymbolKindObject
				tree[n-1].Children = []protocol.DocumentSymbol{x}
				tree[n-1].Range.End = x.Range.End
				continue
			}
			tree = append(tree, x)
			flat = append(flat, protocol.SymbolInformation{
				BaseSymbolInformation: protocol.BaseSymbolInformation{Name: x.Name, Kind: x.Kind},
				Location:              protocol.Location{URI: uri.URI(doc.Spelling), Range: x.Range},
			})
		}
	}
	if r.d.c.Can.SymbolTree {
		return client.AnsweredList(tree), nil
	}
	return client.AnsweredList(flat), nil
}

// Folds answers textDocument/foldingRange.
func (r *Requests) Folds(_ context.Context, p client.DocumentParams) (rpc.Work, error) {
	doc, err := r.asked(p.Document)
	if err != nil {
		return nil, err
	}
	l := []protocol.FoldingRange{}
	if doc != nil {
		for _, f := range r.parse(doc).Folds() {
			first, last := doc.Text.LineAt(f.Start), doc.Text.LineAt(f.End)
			if first < last {
				l = append(l, protocol.FoldingRange{StartLine: uint32(first), EndLine: uint32(last)})
			}
		}
	}
	return client.AnsweredList(l), nil
}

// mostLinks limits how many places of a document are looked up.
const mostLinks = 500

// Links answers textDocument/documentLink: the files that the conversation mentions.
func (r *Requests) Links(_ context.Context, p client.DocumentParams) (rpc.Work, error) {
	doc, err := r.asked(p.Document)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return client.AnsweredList([]protocol.DocumentLink{}), nil
	}
	roots, enc := r.d.c.Workspace.Snapshot().Tree().Folders(), r.d.c.Workspace.Encoding()
	return func(ctx context.Context) (any, error) {
		places := r.parse(doc).Places()
		l := []protocol.DocumentLink{}
		found := map[string]string{}
		for _, x := range places[max(len(places)-mostLinks, 0):] {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			file, known := found[x.Path]
			if !known {
				file = fileIn(roots, x.Path)
				found[x.Path] = file
			}
			if file == "" {
				continue
			}
			target := string(ide.FileURI(file))
			if x.Line > 0 {
				target += fmt.Sprintf("#L%d", x.Line)
			}
			l = append(l, protocol.DocumentLink{Range: client.Range(doc.Text.Range(x.Start, x.End, enc)), Target: new(uri.URI(target))})
		}
		return l, nil
	}, nil
}

// fileIn returns the existing file that a path means in folders; empty if there is
// none. Paths that lead out of them are not looked at: the text may come from others,
// and a path such as //host/share makes some systems sign in there.
func fileIn(roots []string, path string) string {
	path = filepath.FromSlash(path)
	for _, root := range roots {
		rel := path
		if filepath.IsAbs(path) {
			rel, _ = filepath.Rel(root, path) // empty: on another drive
		}
		if !filepath.IsLocal(rel) {
			continue
		}
		name := filepath.Join(root, rel)
		if fi, err := os.Stat(name); err == nil && fi.Mode().IsRegular() {
			return name
		}
	}
	return ""
}
