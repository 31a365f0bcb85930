package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// An editor is told what a command changed, as a change set to review, and its user keeps some
// of it and undoes the rest.
func TestAnEditorReviewsWhatACommandChanged(t *testing.T) {
	command := `{"command": "echo two > a.txt; echo new > new.txt; echo 'all:' > Makefile"}`
	w := newWorld(t, geminitest.Do(geminitest.Call("run_shell_command", command)), geminitest.Say("Done."))
	w.put(filepath.Join(w.dir, "a.txt"), "one\n")
	c := w.start(t.Context(), "lsp", "--stdio")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	e := wire{t, in, bufio.NewReader(out)}
	id := 0
	ask := func(method, params string, result any) {
		t.Helper()
		id++
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
		var a struct {
			Result json.RawMessage
			Error  any
		}
		for text := ""; !strings.Contains(text, `"result"`) && !strings.Contains(text, `"error"`); {
			text = e.until(fmt.Sprintf(`"id":%d`, id))
			if err := json.Unmarshal([]byte(text), &a); err != nil {
				t.Fatal(err)
			}
		}
		if a.Error != nil {
			t.Fatalf("%s: %v", method, a.Error)
		}
		if result == nil {
			return
		}
		if err := json.Unmarshal(a.Result, result); err != nil {
			t.Fatalf("%s: %s: %v", method, a.Result, err)
		}
	}
	type set struct {
		ID     string `json:"changeSetId"`
		Origin string
		Files  []struct {
			URI, Op string
			Runs    bool
			Hunks   []struct {
				HunkID, State string
				Reviewed      *bool
			}
		}
	}
	var sets struct{ ChangeSets []set }
	list := func(params string) {
		t.Helper()
		sets.ChangeSets = nil
		ask("emendo/changes/list", params, &sets)
	}

	ask("initialize", `{"processId":null,"rootUri":"file://`+filepath.ToSlash(w.dir)+`","initializationOptions":{"trust":"trusted"},"capabilities":{"experimental":{"emendo":{"version":1,"session":true,"changes":true,"permission":true}}}}`, nil)
	e.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	type session struct {
		ID         string `json:"sessionId"`
		Unreviewed *int   `json:"unreviewedHunks"`
	}
	var made struct{ Session session }
	ask("emendo/session/new", `{"mode":"yolo"}`, &made)
	ask("emendo/session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}`, made.Session.ID), nil)

	list(`{"origin":"command","reviewed":false}`)
	if len(sets.ChangeSets) != 1 || len(sets.ChangeSets[0].Files) != 3 || !sets.ChangeSets[0].Files[0].Runs || !strings.HasSuffix(sets.ChangeSets[0].Files[0].URI, "/Makefile") {
		t.Fatalf("the change sets are %+v", sets)
	}
	of := sets.ChangeSets[0]
	for _, f := range of.Files {
		if h := f.Hunks[0]; h.State != "accepted" || h.Reviewed == nil || *h.Reviewed {
			t.Errorf("a hunk of %s is %+v", f.URI, h)
		}
	}
	unreviewed := func() int {
		t.Helper()
		var l struct{ Sessions []session }
		ask("emendo/session/list", `{}`, &l)
		if len(l.Sessions) != 1 || l.Sessions[0].Unreviewed == nil {
			t.Fatalf("the sessions are %+v", l)
		}
		return *l.Sessions[0].Unreviewed
	}
	if n := unreviewed(); n != 3 {
		t.Errorf("%d hunks are to be reviewed", n)
	}
	resolve := func(hunk, action string) {
		t.Helper()
		var r struct{ Conflicts []any }
		ask("emendo/changes/resolve", fmt.Sprintf(`{"decisions":[{"changeSetId":%q,"hunkId":%q,"action":%q}]}`, of.ID, hunk, action), &r)
		if len(r.Conflicts) > 0 {
			t.Errorf("%s: %v", action, r.Conflicts)
		}
	}
	resolve(of.Files[0].Hunks[0].HunkID, "keep")
	resolve(of.Files[1].Hunks[0].HunkID, "undo")
	resolve(of.Files[2].Hunks[0].HunkID, "undo")
	if n := unreviewed(); n != 0 {
		t.Errorf("once they were decided, %d hunks are to be reviewed", n)
	}
	for name, want := range map[string]string{"Makefile": "all:\n", "a.txt": "one\n", "new.txt": ""} {
		got, err := os.ReadFile(filepath.Join(w.dir, name))
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s has %q, %v, want %q", name, got, err, want)
		}
	}
	if list(`{"origin":"command","reviewed":false}`); len(sets.ChangeSets) != 0 {
		t.Errorf("to be reviewed is %+v", sets)
	}
	ask("shutdown", `null`, nil)
	e.send(`{"jsonrpc":"2.0","method":"exit"}`)
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}
