package language_test

import (
	"encoding/json"
	"errors"
	"flag"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
	"github.com/emendo-dev/emendo/tools/match"
	"github.com/emendo-dev/emendo/tools/match/matchtest"
)

var seeds = flag.Int("seeds", 1, "of how many seeds TestGarbledEditsAreHeldBackForNewSyntaxErrorsAlone makes edits")

// goErrors returns the lines, from zero, of the syntax errors of a text in Go.
func goErrors(text string) map[int]string {
	_, err := parser.ParseFile(token.NewFileSet(), "x.go", text, parser.AllErrors|parser.SkipObjectResolution)
	all := map[int]string{}
	if list := scanner.ErrorList(nil); errors.As(err, &list) {
		for _, e := range list {
			all[e.Pos.Line-1] = e.Msg
		}
	}
	return all
}

// Edits as models garble them, checked by a server that finds an error of meaning in every
// line that an edit writes, and Go's errors of syntax.
func TestGarbledEditsAreHeldBackForNewSyntaxErrorsAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("makes hundreds of edits")
	}
	var cases []matchtest.Case
	for seed := range *seeds {
		cases = append(cases, matchtest.Generate(1001+uint64(seed), 2)...) //nolint:gosec // not negative
	}
	languages := map[string]string{}
	var replies []modeltest.Reply
	for _, c := range cases {
		languages[path.Ext(c.File)] = "any"
		args, err := json.Marshal(map[string]any{"file_path": c.File, "old_string": c.Old, "new_string": c.New, "allow_multiple": c.Multiple})
		if err != nil {
			t.Fatal(err)
		}
		replies = append(replies, modeltest.Reply{modeltest.Call("replace", string(args))}, agenttest.Done())
	}
	find := func(path, text string) (l []langservertest.Finding) {
		if strings.HasSuffix(path, ".go") {
			for line, message := range goErrors(text) {
				l = append(l, langservertest.Finding{Line: line, Source: "syntax", Message: message})
			}
		}
		for i, line := range strings.Split(text, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				l = append(l, langservertest.Finding{Line: i, Source: "compiler", Message: "undefined: " + line})
			}
		}
		return l
	}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		withOptions(w, &langservertest.Server{Find: find}, func(o *state.Options) {
			o.LanguageServers[0].Languages = languages
			o.Settings.Edits.Verify, o.Settings.Edits.VerifyTimeout = true, 60_000
		})
		applied, told, held := 0, 0, 0
		for _, c := range cases {
			if err := os.WriteFile(filepath.Join(w.Dir, c.File), []byte(c.Text), 0o600); err != nil {
				t.Fatal(err)
			}
			s := w.Session(policy.AutoEdit)
			w.Prompt(s, "edit")
			r := agenttest.Results(w.LastRequest())[0]
			found, err := match.Find(c.Text, c.Old, c.New, c.Multiple)
			breaks := false // the text that would be new has errors of syntax
			if err == nil && strings.HasSuffix(c.File, ".go") {
				breaks = len(goErrors(found.Apply(c.Text))) > len(goErrors(c.Text))
			}
			back := strings.Contains(r.Output, "syntax errors")
			changed := w.ReadFile(c.File) != c.Text
			switch {
			case r.Failed && !back: // its passage was not found
			case back != breaks:
				t.Errorf("%s in %s: held back: %t, breaks the syntax: %t: %s", c.Class, c.File, back, breaks, r.Output)
			case back && changed:
				t.Errorf("%s in %s: held back and changed", c.Class, c.File)
			case back:
				held++
			case changed:
				applied++
				if strings.Contains(r.Output, "new errors:") {
					told++
				}
			}
		}
		t.Logf("of %d garbled edits %d were applied, %d of them with new errors, and %d held back", len(cases), applied, told, held)
		if len(cases) < 100**seeds || told < 50**seeds || held == 0 {
			t.Errorf("of %d edits only %d had new errors of meaning, and %d of syntax", len(cases), told, held)
		}
	})
}
