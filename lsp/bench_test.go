package lsp_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// BenchmarkReview makes the requests of an editor at every cursor move, over the wire,
// with 200 pending hunks in the document. The protocol allows 5 ms.
func BenchmarkReview(b *testing.B) {
	const hunks = 200
	var text, changed strings.Builder
	for i := range hunks {
		fmt.Fprintf(&text, "line %d\na\nb\nc\nd\n", i)
		fmt.Fprintf(&changed, "LINE %d\na\nb\nc\nd\n", i)
	}
	w := &worldtest.World{Dir: b.TempDir(), Trusted: map[string]bool{}}
	made := make(chan *lsp.Host, 1)
	var once sync.Once
	e, err := lsptest.Start(lsptest.Recorded("neovim"), w.Dir, func(ctx context.Context, r io.Reader, out io.Writer) error {
		return lsp.Serve(ctx, r, out, lsp.Options{Start: func(ctx context.Context, s lsp.Start) (*lsp.Host, error) {
			h, err := w.Host(ctx, s)
			once.Do(func() { made <- h })
			return h, err
		}})
	})
	if err != nil {
		b.Fatal(err)
	}
	h := <-made
	u := string(ide.FileURI(w.Dir + "/a.txt"))
	e.Open(u, text.String())
	var none []any
	if err := e.Call(b.Context(), "textDocument/codeLens", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}}, &none); err != nil { // the server has read the document now
		b.Fatal(err)
	}
	base, err := h.Ledger.View(b.Context(), "s", u)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := h.Ledger.Propose(b.Context(), ledger.Proposal{SessionID: "s", Files: []ledger.Proposed{
		{Path: base.Path, URI: ide.ParseURI(u), Op: ledger.Modify, Base: base, New: changed.String()},
	}}); err != nil {
		b.Fatal(err)
	}
	at := ide.Position{Line: 500}
	for method, params := range map[string]worldtest.Obj{
		"textDocument/codeAction": {"range": ide.Range{Start: at, End: at}, "context": worldtest.Obj{"diagnostics": []any{}}},
		"textDocument/codeLens":   {},
		"textDocument/hover":      {"position": at},
	} {
		params["textDocument"] = worldtest.Obj{"uri": u}
		b.Run(method, func(b *testing.B) {
			for b.Loop() {
				if err := e.Call(b.Context(), method, params, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	if err := e.End(); err != nil {
		b.Error(err)
	}
}
