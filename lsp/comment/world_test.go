package comment_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestMain(m *testing.M) { worldtest.Main(m) }

// world is a world with what the tests of this package do in it.
type world struct{ *worldtest.World }

// commenting is a client that shows comments.
var commenting = worldtest.Plugin.With("experimental.emendo.comments", true)

func play(t *testing.T, p lsptest.Profile, replies []modeltest.Reply, f func(w *world)) {
	t.Helper()
	worldtest.Play(t, p, replies, func(w *worldtest.World) { f(&world{w}) })
}

// say adds a comment on a text of an open document.
func (w *world) say(session, uri, at, text string) (id string) {
	w.Helper()
	return w.add(worldtest.Obj{"sessionId": session, "uri": uri, "range": w.RangeOf(uri, at), "text": text})
}

func (w *world) add(params worldtest.Obj) string {
	w.Helper()
	var r struct{ ID string }
	w.Call("emendo/comment/add", params, &r)
	w.Advance()
	return r.ID
}

func (w *world) list(params worldtest.Obj) []lsptest.Comment {
	w.Helper()
	var r struct{ Comments []lsptest.Comment }
	w.Call("emendo/comment/list", params, &r)
	return r.Comments
}

// send sends what waits.
func (w *world) send(session, text string) worldtest.TurnEnd {
	w.Helper()
	var end worldtest.TurnEnd
	w.Call("emendo/comment/send", worldtest.Obj{"sessionId": session, "text": text}, &end)
	w.Advance()
	return end
}

// compared says what the diff of two rounds has.
func (w *world) compared(params worldtest.Obj) string {
	w.Helper()
	var r struct {
		Files []struct {
			URI, Op, Diff string
			OpenInEditor  bool
			Hunks         []struct {
				Range            ide.Range
				OldText, NewText string
			}
		}
	}
	w.Call("emendo/changes/diff", params, &r)
	var l []string
	for _, f := range r.Files {
		if f.URI != w.URI("main.go") || !f.OpenInEditor || !strings.Contains(f.Diff, "@@ -") {
			w.Errorf("a file is %+v", f)
		}
		for _, h := range f.Hunks {
			in := strings.NewReplacer("func a() int { ", "", " }\n", "")
			l = append(l, fmt.Sprintf("%s %d %s > %s", f.Op, h.Range.Start.Line, in.Replace(h.OldText), in.Replace(h.NewText)))
		}
	}
	return strings.Join(l, "; ")
}

// remove removes a file, as a command does.
func (w *world) remove(name string) {
	if err := os.Remove(filepath.Join(w.Dir, name)); err != nil {
		w.Error(err)
	}
}

// changed lists what became of three files after a round.
func (w *world) changed(session string, from int) string {
	w.Helper()
	var l []string
	for _, name := range []string{"logo.bin", "new.txt", "old.txt"} {
		var r struct {
			Files []struct {
				URI, Op, Omitted string
				Hunks            []struct{ OldText, NewText string }
			}
		}
		w.Call("emendo/changes/diff", worldtest.Obj{"sessionId": session, "from": from, "uri": w.URI(name)}, &r)
		for _, f := range r.Files {
			var hunks []string
			for _, h := range f.Hunks {
				hunks = append(hunks, fmt.Sprintf("%q > %q", h.OldText, h.NewText))
			}
			l = append(l, fmt.Sprintf("%s %s %s %v", f.Op, path.Base(f.URI), f.Omitted, hunks))
		}
	}
	return strings.Join(l, ", ")
}
