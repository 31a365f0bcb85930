package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

// replacing is a call that replaces a passage of a.words.
func replacing(old, new string) modeltest.Reply {
	return modeltest.Reply{modeltest.Call("replace", `{"file_path":"a.words","old_string":"`+old+`","new_string":"`+new+`"}`)}
}

// both is one response with the calls of two.
func both(a, b modeltest.Reply) modeltest.Reply { return append(a, b...) }

func TestEditsAreVerifiedBeforeTheyAreShown(t *testing.T) {
	for _, tt := range []struct {
		name    string
		text    string // of a.words
		fault   langservertest.Fault
		off     bool
		replies []modeltest.Reply
		results []string              // in the result of each request's calls; empty: not checked
		sets    []ledger.Verification // of the change sets
		end     string                // text of the file
		left    string                // of the last result
	}{
		{
			name: "fine", text: "one two", replies: []modeltest.Reply{replacing("two", "three")},
			sets: []ledger.Verification{{State: ledger.Verified}}, end: "one three",
		},
		{
			name: "corrected before it is shown", text: "one two\n", replies: []modeltest.Reply{replacing("two", "badthree"), replacing("two", "three")},
			results: []string{"a.words:\n- line 1: the word badthree (in: one badthree)\n"}, sets: []ledger.Verification{{State: ledger.Verified}}, end: "one three\n",
		},
		{
			name: "shown with what is left the second time", text: "one two", replies: []modeltest.Reply{replacing("two", "badthree"), replacing("two", "badfour")},
			results: []string{"the word badthree"}, sets: []ledger.Verification{{State: ledger.Problems, Introduced: 1}}, end: "one badfour",
			left: "The text now has new errors:\na.words:\n- line 1: the word badfour (in: one badfour)",
		},
		{
			name: "another round once an edit was shown", text: "one two",
			replies: []modeltest.Reply{replacing("two", "bad1"), replacing("two", "bad2"), replacing("one", "bad3"), replacing("one", "three")},
			results: []string{"the word bad1", "", "the word bad3"}, end: "three bad2",
			sets: []ledger.Verification{{State: ledger.Problems, Introduced: 1}, {State: ledger.Verified}},
		},
		{
			name: "calls of one response count together", text: "one two", replies: []modeltest.Reply{both(replacing("two", "bad3"), replacing("bad3", "four"))},
			sets: []ledger.Verification{{State: ledger.Verified}, {State: ledger.Verified}}, end: "one four",
		},
		{
			name: "calls on the same file end together", text: "one two", replies: []modeltest.Reply{both(replacing("two", "bad3"), replacing("one", "four")), replacing("two", "three")},
			results: []string{"the word bad3"}, sets: []ledger.Verification{{State: ledger.Verified}}, end: "one three",
		},
		{
			name: "an error that was there, and one that is gone", text: "bad1\nbad2 two\n", replies: []modeltest.Reply{replacing("bad2 two", "new\\nlines\\ntwo")},
			sets: []ledger.Verification{{State: ledger.Verified, Resolved: 1}}, end: "bad1\nnew\nlines\ntwo\n",
		},
		{
			name: "moved errors are not new", text: "two\nbad1\n", replies: []modeltest.Reply{replacing("two", "some\\nmore\\nlines")},
			sets: []ledger.Verification{{State: ledger.Verified}}, end: "some\nmore\nlines\nbad1\n",
		},
		{
			name: "warnings do not count", text: "one two", replies: []modeltest.Reply{replacing("two", "odd")},
			sets: []ledger.Verification{{State: ledger.Verified}}, end: "one odd",
		},
		{
			name: "a server that does not answer", text: "one two", fault: langservertest.Deaf, replies: []modeltest.Reply{replacing("two", "bad")},
			sets: []ledger.Verification{{State: ledger.Unverified, Reason: "words did not answer in time"}}, end: "one bad",
		},
		{
			name: "a server that does not start in time", text: "one two", fault: langservertest.Mute, replies: []modeltest.Reply{replacing("two", "bad")},
			sets: []ledger.Verification{{State: ledger.Unverified, Reason: "words is still starting"}}, end: "one bad",
		},
		{
			name: "a server that crashes", text: "one two", fault: langservertest.Crash, replies: []modeltest.Reply{replacing("two", "bad")},
			sets: []ledger.Verification{{State: ledger.Unverified, Reason: "words failed"}}, end: "one bad",
		},
		{
			name: "formatted as the file was", text: "one two\nfour\n", replies: []modeltest.Reply{replacing("two", "three  ")},
			sets: []ledger.Verification{{State: ledger.Verified}}, end: "one three\nfour\n", left: "Note: the file's formatter was applied to the new text",
		},
		{
			name: "not formatted, as the file was not", text: "one two\nfour  \n", replies: []modeltest.Reply{replacing("two", "three  ")},
			sets: []ledger.Verification{{State: ledger.Verified}}, end: "one three  \nfour  \n",
		},
		{
			name: "formatted after the last of several calls", text: "one two\n", replies: []modeltest.Reply{both(replacing("one", "zero  \\none"), replacing("two", "three  "))},
			sets: []ledger.Verification{{State: ledger.Verified}, {State: ledger.Verified}}, end: "zero\none three\n",
		},
		{
			name: "not formatted while it has errors", text: "one two\n", replies: []modeltest.Reply{replacing("two", "bad1 "), replacing("two", "bad2 ")},
			sets: []ledger.Verification{{State: ledger.Problems, Introduced: 1}}, end: "one bad2 \n",
		},
		{
			name: "switched off", text: "one two", off: true, replies: []modeltest.Reply{replacing("two", "bad")},
			sets: []ledger.Verification{{State: ledger.Unverified}}, end: "one bad",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, map[string]string{"a.words": tt.text}, append(tt.replies, done()), func(t *testing.T, w *world) {
				w.withOptions(&langservertest.Server{Fault: tt.fault}, func(o *state.Options) {
					o.LanguageServers.Verify, o.LanguageServers.VerifyTime = !tt.off, 1500*time.Millisecond
				})
				s := w.session(policy.AutoEdit)
				began := time.Now()
				w.prompt(s, "edit")
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("the turn took %v, longer than edits may wait", took)
				}
				requests := w.model.Requests()
				for i, want := range tt.results {
					for _, r := range results(requests[i+1]) {
						if want != "" && (!r.Failed || !strings.Contains(r.Output, want)) {
							t.Errorf("the result %d is %q, want a failure with %q", i+1, r.Output, want)
						}
					}
				}
				if last := results(requests[len(requests)-1]); !strings.Contains(last[len(last)-1].Output, tt.left) {
					t.Errorf("the last result is %q, want %q in it", last[len(last)-1].Output, tt.left)
				}
				var got []ledger.Verification
				for _, cs := range w.ledger.List(s.ID(), "", "") {
					got = append(got, cs.Verification())
				}
				if len(got) != len(tt.sets) {
					t.Fatalf("got %+v, want %+v", got, tt.sets)
				}
				for i := range got {
					if got[i] != tt.sets[i] {
						t.Errorf("change set %d: got %+v, want %+v", i+1, got[i], tt.sets[i])
					}
				}
				if text := w.file("a.words"); text != tt.end {
					t.Errorf("the file is %q, want %q", text, tt.end)
				}
			})
		})
	}
}

// An edit does not reach the editor before it is verified.
func TestTheEditorDoesNotSeeUnverifiedEdits(t *testing.T) {
	inWorld(t, map[string]string{"a.words": "one"}, []modeltest.Reply{replacing("unsaved", "bad"), replacing("unsaved", "fine"), done()}, func(t *testing.T, w *world) {
		w.withOptions(&langservertest.Server{}, func(o *state.Options) {
			o.LanguageServers.Verify, o.LanguageServers.VerifyTime = true, 1500*time.Millisecond
		})
		w.editor.Open(w.uri("a.words"), "unsaved text")
		w.prompt(w.session(policy.AutoEdit), "edit")
		if edits := w.editor.Edits(); len(edits) != 1 {
			t.Errorf("the editor made %d edits, want one", len(edits))
		}
		if got := w.editor.Text(w.uri("a.words")); got != "fine text" {
			t.Errorf("the buffer is %q", got)
		}
	})
}

// Where only the editor has language servers, they see an edit once it is in the buffer.
func TestErrorsThatTheEditorReportsAfterAnEditAreInItsResult(t *testing.T) {
	problem := func(line int, message string) string {
		return fmt.Sprintf(`{"range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":1}},"severity":1,"message":%q}`, line, line, message)
	}
	for _, tt := range []struct {
		name    string
		before  []string                   // the problems that the editor shows at first
		after   func(text string) []string // and once it has an edited text
		late    time.Duration              // how long they take
		replies []modeltest.Reply          // the edits, in one response
		want    []string                   // in the results, one for each edit
	}{
		{
			name: "a new error", after: func(string) []string { return []string{problem(1, "undefined: three")} }, late: 700 * time.Millisecond,
			replies: []modeltest.Reply{replacing("two", "three")}, want: []string{"The text now has new errors:\na.words:\n- line 2: undefined: three (in: three)\n"},
		},
		{name: "none", after: func(string) []string { return nil }, replies: []modeltest.Reply{replacing("two", "three")}, want: []string{""}},
		{
			name: "one that was there, further down", before: []string{problem(2, "undefined: end")}, after: func(string) []string { return []string{problem(4, "undefined: end")} }, late: 700 * time.Millisecond,
			replies: []modeltest.Reply{replacing("two", "x\\ny\\nz")}, want: []string{""},
		},
		{
			name: "of two edits the last says what is left", late: 50 * time.Millisecond,
			after: func(text string) []string {
				if strings.Contains(text, "four") {
					return []string{problem(1, "undefined: four")}
				}
				return []string{problem(1, "undefined: three")}
			},
			replies: []modeltest.Reply{both(replacing("two", "three"), replacing("three", "four"))}, want: []string{"", "undefined: four"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, map[string]string{"a.words": ""}, append(tt.replies, done()), func(t *testing.T, w *world) {
				w.withOptions(&langservertest.Server{}, func(o *state.Options) {
					o.LanguageServers.Programs = nil
					o.LanguageServers.Verify, o.LanguageServers.VerifyTime = true, 1500*time.Millisecond
				})
				const text = "one\ntwo\nend\n"
				w.editor.Open(w.uri("a.words"), text)
				w.editor.Answers = map[string]json.RawMessage{}
				var edited time.Time
				w.editor.Problems = func([]ide.URI) json.RawMessage {
					now := w.editor.Text(w.uri("a.words"))
					shown := tt.before
					if now != text {
						if edited.IsZero() {
							edited = time.Now()
						}
						if time.Since(edited) >= tt.late {
							shown = tt.after(now)
						}
					}
					return json.RawMessage(fmt.Sprintf(`[{"uri":%q,"diagnostics":[%s]}]`, w.uri("a.words"), strings.Join(shown, ",")))
				}
				began := time.Now()
				w.prompt(w.session(policy.AutoEdit), "edit")
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("the turn took %v, longer than edits may wait", took)
				}
				for i, r := range results(w.last()) {
					if r.Failed || !strings.Contains(r.Output, tt.want[i]) || tt.want[i] == "" && strings.Contains(r.Output, "new errors") {
						t.Errorf("result %d is %q, want %q in it", i+1, r.Output, tt.want[i])
					}
				}
			})
		})
	}
}
