package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// project is a workspace of one language, in which many files use base of one file.
type project struct {
	name     string
	config   map[string]string
	file     string // the name of file 0, with %d for the others
	base     string // its text, which defines base
	use      string // the text of the others; %d is their number
	unsaved  string // added to some of them in the editor; %d likewise
	line     int    // of base, from one
	old, bad string // a passage of the base, and what does not compile in its place
	good     string
	says     string // of the bad one
}

func projects() []project {
	return []project{
		{
			name: "Go", config: map[string]string{"go.mod": "module example.com/x\n\ngo 1.24\n"}, file: "f%d.go",
			base: "package x\n\nfunc base() int { return 1 }\n", line: 3,
			use: "package x\n\nfunc use%[1]d() int { return base() + %[1]d }\n", unsaved: "\nfunc unsaved%[1]d() int { return base() - %[1]d }\n",
			old: "return 1", bad: "return (1", good: "return 2", says: "f0.go:\\n- line 3: ",
		},
		{
			name: "TypeScript", config: map[string]string{"tsconfig.json": `{"compilerOptions": {"strict": true}}`}, file: "f%d.ts",
			base: "export function base(): number { return 1 }\n", line: 1,
			use: "import {base} from './f0';\nexport const use%[1]d = base() + %[1]d;\n", unsaved: "export const unsaved%[1]d = base() - %[1]d;\n",
			old: "return 1", bad: "return (1", good: "return 2", says: "f0.ts:\\n- line 1: ')' expected.",
		},
	}
}

// used is the number of files that use base.
const used = 10

// open writes the project's files and opens every third one with unsaved text.
func (p project) open(w *world) (e visitor, texts map[string]string) {
	w.t.Helper()
	w.withServers("A")
	w.put(filepath.Join(w.home, "config", "settings.json"), `{"edits": {"verifyTimeoutMs": 60000}}`)
	for name, text := range p.config {
		w.write(name, text)
	}
	texts = map[string]string{fmt.Sprintf(p.file, 0): p.base}
	for i := range used {
		texts[fmt.Sprintf(p.file, i+1)] = fmt.Sprintf(p.use, i+1)
	}
	for name, text := range texts {
		w.write(name, text)
	}
	e = w.edit()
	for i := 3; i <= used; i += 3 {
		name := fmt.Sprintf(p.file, i)
		texts[name] += fmt.Sprintf(p.unsaved, i)
		e.Open(w.uri(name), texts[name])
	}
	return e, texts
}

func (w *world) uri(name string) string { return string(ide.FileURI(filepath.Join(w.dir, name))) }

// text returns the text of a file's buffer, or of the file if it is not open.
func (w *world) text(e visitor, name string) string {
	w.t.Helper()
	if e.IsOpen(w.uri(name)) {
		return e.Text(w.uri(name))
	}
	return w.read(name)
}

// hasOnly checks that no other change set was shown.
func (v visitor) hasOnly(id string) {
	v.t.Helper()
	for _, set := range v.Seen().ChangeSets {
		if set.ChangeSetID != id {
			v.t.Errorf("another change set was shown: %s", set.Title)
		}
	}
}

// A rename over many files, some with unsaved text, is one change set. Accepted parts
// change that text, rejected parts do not.
func TestRenameOfUnsavedTextIsOneChangeSet(t *testing.T) {
	for _, p := range projects() {
		t.Run(p.name, func(t *testing.T) {
			at := fmt.Sprintf(`"file_path": %q, "line": %d, "symbol": "base"`, fmt.Sprintf(p.file, 0), p.line)
			w := newWorld(t,
				geminitest.Do(geminitest.Call("find_references", "{"+at+"}")),
				geminitest.Do(geminitest.Call("rename_symbol", "{"+at+`, "new_name": "root"}`)),
				geminitest.Say("Done."))
			e, texts := p.open(w)
			turn := e.begin(ask[oneSession](e, "emendo/session/new", nil).Session.SessionID, "rename base to root")
			e.until("the rename", func(s lsptest.Seen) bool { return len(s.ChangeSets) > 0 })
			set := e.Seen().ChangeSets[0]
			if len(set.Files) != used+1 {
				t.Errorf("the change set has %d files, want %d", len(set.Files), used+1)
			}
			for name, text := range texts {
				if got := w.text(e, name); got != text {
					t.Errorf("before it is accepted %s is %q", name, got)
				}
			}
			kept := fmt.Sprintf(p.file, 3) // it has unsaved text
			ask[any](e, "emendo/changes/resolve", params{"decisions": []params{{"changeSetId": set.ChangeSetID, "uri": w.uri(kept), "action": "reject"}}})
			ask[any](e, "emendo/changes/resolve", params{"decisions": []params{{"changeSetId": set.ChangeSetID, "action": "accept"}}})
			if end := <-turn; end.StopReason != "end_turn" {
				t.Errorf("the turn ended as %+v", end)
			}
			for name, text := range texts {
				want := strings.ReplaceAll(text, "base", "root")
				if name == kept {
					want = text
				}
				if got := w.text(e, name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
				if open := e.IsOpen(w.uri(name)); open && strings.Contains(w.read(name), "unsaved") {
					t.Errorf("%s was saved", name)
				}
			}
			e.hasOnly(set.ChangeSetID)
			for i := 3; i <= used; i += 3 {
				if text, want := w.resultOf(1), fmt.Sprintf("unsaved%d", i); !strings.Contains(text, want) {
					t.Errorf("the references lack the unsaved use %s: %s", want, text)
				}
			}
			e.leave()
			w.noServerIsLeft()
		})
	}
}

// An edit that does not compile is corrected before the editor sees it. It is checked
// together with unsaved text.
func TestTheEditorSeesOnlyCorrectedEdits(t *testing.T) {
	for _, p := range projects() {
		t.Run(p.name, func(t *testing.T) {
			edit := func(text string) geminitest.Reply {
				return geminitest.Do(geminitest.Call("replace", fmt.Sprintf(`{"file_path": %q, "old_string": %q, "new_string": %q}`, fmt.Sprintf(p.file, 0), p.old, text)))
			}
			w := newWorld(t, edit(p.bad), edit(p.good), geminitest.Say("Done."))
			e, texts := p.open(w)
			turn := e.begin(ask[oneSession](e, "emendo/session/new", nil).Session.SessionID, "change it")
			e.until("the edit", func(s lsptest.Seen) bool { return len(s.ChangeSets) > 0 })
			set := e.Seen().ChangeSets[0]
			if h := set.Files[0].Hunks; len(h) != 1 || !strings.Contains(h[0].NewText, p.good) || set.Verification == nil || set.Verification.State != "verified" {
				t.Errorf("the first that is shown is %+v, %+v", set.Files, set.Verification)
			}
			if text := w.resultOf(1); !strings.Contains(text, p.says) {
				t.Errorf("after the bad edit the model got %s, want %s", text, p.says)
			}
			ask[any](e, "emendo/changes/resolve", params{"decisions": []params{{"changeSetId": set.ChangeSetID, "action": "accept"}}})
			<-turn
			name := fmt.Sprintf(p.file, 0)
			if got, want := w.text(e, name), strings.Replace(texts[name], p.old, p.good, 1); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
			e.hasOnly(set.ChangeSetID)
			e.leave()
			w.noServerIsLeft()
		})
	}
}
