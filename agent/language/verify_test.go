package language_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/agenttest"
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

// defining is a call that defines a name in b.words.
func defining(name string) modeltest.Reply {
	return modeltest.Reply{modeltest.Call("replace", `{"file_path":"b.words","old_string":"b","new_string":"def `+name+`"}`)}
}

func problem(line, from, to uint32, message string) ledger.Problem {
	return ledger.Problem{Range: ide.Range{Start: ide.Position{Line: line, Character: from}, End: ide.Position{Line: line, Character: to}}, Message: message}
}

func problems(l ...ledger.Problem) ledger.Verification {
	return ledger.Verification{State: ledger.Problems, Introduced: len(l), Problems: l}
}

func TestEditsAreVerifiedBeforeTheyAreShown(t *testing.T) {
	for _, tt := range []struct {
		name    string
		text    string // of a.words
		fault   langservertest.Fault
		off     bool
		replies []modeltest.Reply
		files   map[string]string     // others
		results []string              // in the failed result of each request's calls; empty: they did not fail
		told    []string              // what the results of the last request say of new errors, in order
		sets    []ledger.Verification // of the change sets
		end     string                // text of the file
		left    string                // of the last result
	}{
		{
			name: "fine", text: "one two", replies: []modeltest.Reply{replacing("two", "three")},
			sets: []ledger.Verification{{State: ledger.Verified}}, end: "one three",
		},
		{
			name: "an error that is none of syntax", text: "one two\n", replies: []modeltest.Reply{replacing("two", "badthree")},
			told: []string{"The text now has new errors:\na.words:\n- line 1: the word badthree (in: one badthree)\n"},
			sets: []ledger.Verification{problems(problem(0, 4, 12, "the word badthree"))}, end: "one badthree\n",
		},
		{
			name: "an error of syntax is corrected before it is shown", text: "one two\n", replies: []modeltest.Reply{replacing("two", "broken"), replacing("two", "three")},
			results: []string{"syntax errors (lines are those of the new text):\na.words:\n- line 1: the word broken (in: one broken)\n"}, sets: []ledger.Verification{{State: ledger.Verified}}, end: "one three\n",
		},
		{
			name: "of several errors those of syntax are sent back", text: "one two\n", replies: []modeltest.Reply{replacing("two", "bad1 broken1"), replacing("two", "bad1")},
			results: []string{"a.words:\n- line 1: the word broken1 (in: one bad1 broken1)\nCorrect"}, told: []string{"the word bad1"},
			sets: []ledger.Verification{problems(problem(0, 4, 8, "the word bad1"))}, end: "one bad1\n",
		},
		{
			name: "shown with what is left the second time", text: "one two", replies: []modeltest.Reply{replacing("two", "broken3"), replacing("two", "broken4")},
			results: []string{"the word broken3"}, sets: []ledger.Verification{problems(problem(0, 4, 11, "the word broken4"))}, end: "one broken4",
			told: []string{"The text now has new errors:\na.words:\n- line 1: the word broken4 (in: one broken4)"},
		},
		{
			name: "another round once an edit was shown", text: "one two",
			replies: []modeltest.Reply{replacing("two", "broken1"), replacing("two", "broken2"), replacing("one", "broken3"), replacing("one", "three")},
			results: []string{"the word broken1", "", "the word broken3"}, end: "three broken2",
			sets: []ledger.Verification{problems(problem(0, 4, 11, "the word broken2")), {State: ledger.Verified}},
		},
		{
			name: "calls of one response count together", text: "one two", replies: []modeltest.Reply{both(replacing("two", "broken3"), replacing("broken3", "four"))},
			sets: []ledger.Verification{{State: ledger.Verified}, {State: ledger.Verified}}, end: "one four",
		},
		{
			name: "calls on the same file end together", text: "one two", replies: []modeltest.Reply{both(replacing("two", "broken3"), replacing("one", "four")), replacing("two", "three")},
			results: []string{"the word broken3"}, sets: []ledger.Verification{{State: ledger.Verified}}, end: "one three",
		},
		{
			name: "a name that a later call of the response defines in another file", text: "one two\n", files: map[string]string{"b.words": "b\n"},
			replies: []modeltest.Reply{both(replacing("two", "useThree"), defining("Three"))}, told: []string{"", ""},
			sets: []ledger.Verification{{State: ledger.Verified}, {State: ledger.Verified}}, end: "one useThree\n",
		},
		{
			name: "a name that an earlier call of the response defines in another file", text: "one two\n", files: map[string]string{"b.words": "b\n"},
			replies: []modeltest.Reply{both(defining("Three"), replacing("two", "useThree"))}, told: []string{"", ""},
			sets: []ledger.Verification{{State: ledger.Verified}, {State: ledger.Verified}}, end: "one useThree\n",
		},
		{
			name: "a name that nobody defines", text: "one two\n", files: map[string]string{"b.words": "b\n"},
			replies: []modeltest.Reply{both(defining("Four"), replacing("two", "useThree"))}, told: []string{"", "undefined: Three"},
			sets: []ledger.Verification{{State: ledger.Verified}, problems(problem(0, 4, 12, "undefined: Three"))}, end: "one useThree\n",
		},
		{
			name: "each call has the errors of its lines", text: "one\ntwo\nthree\n",
			replies: []modeltest.Reply{both(both(replacing("one", "bad1\\nbad2"), replacing("two", "four")), replacing("three", "bad3"))}, told: []string{"line 1: the word bad1 (in: bad1)\n- line 2: the word bad2", "", "line 4: the word bad3 (in: bad3)"},
			sets: []ledger.Verification{problems(problem(0, 0, 4, "the word bad1"), problem(1, 0, 4, "the word bad2")), {State: ledger.Verified}, problems(problem(3, 0, 4, "the word bad3"))}, end: "bad1\nbad2\nfour\nbad3\n",
		},
		{
			name: "an error elsewhere in the file is the last call's", text: "def Three\none two\nuseThree\n",
			replies: []modeltest.Reply{both(replacing("def Three", "def Four"), replacing("one", "five"))}, told: []string{"", "line 3: undefined: Three"},
			sets: []ledger.Verification{{State: ledger.Verified}, problems(problem(2, 0, 8, "undefined: Three"))}, end: "def Four\nfive two\nuseThree\n",
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
			name: "not formatted while it has errors of syntax", text: "one two\n", replies: []modeltest.Reply{replacing("two", "broken1 "), replacing("two", "broken2 ")},
			results: []string{"broken1"}, sets: []ledger.Verification{problems(problem(0, 4, 11, "the word broken2"))}, end: "one broken2 \n",
		},
		{
			name: "formatted with other errors", text: "one two\n", replies: []modeltest.Reply{replacing("two", "bad2 ")},
			sets: []ledger.Verification{problems(problem(0, 4, 8, "the word bad2"))}, end: "one bad2\n",
		},
		{
			name: "switched off", text: "one two", off: true, replies: []modeltest.Reply{replacing("two", "bad")},
			sets: []ledger.Verification{{State: ledger.Unverified}}, end: "one bad",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"a.words": tt.text}
			maps.Copy(files, tt.files)
			agenttest.InWorld(t, files, append(tt.replies, agenttest.Done()), func(t *testing.T, w *agenttest.World) {
				withOptions(w, &langservertest.Server{Fault: tt.fault}, func(o *state.Options) {
					o.Settings.Edits.Verify = !tt.off
				})
				s := w.Session(policy.AutoEdit)
				began := time.Now()
				w.Prompt(s, "edit")
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("the turn took %v, longer than edits may wait", took)
				}
				requests := w.Model.Requests()
				for i := range tt.replies {
					want := ""
					if i < len(tt.results) {
						want = tt.results[i]
					}
					for _, r := range agenttest.Results(requests[i+1]) {
						if r.Failed != (want != "") || !strings.Contains(r.Output, want) {
							t.Errorf("the result %d is %q, want %q", i+1, r.Output, want)
						}
					}
				}
				for i, r := range agenttest.Results(requests[len(requests)-1]) {
					if len(tt.told) > 0 && (!strings.Contains(r.Output, tt.told[i]) || tt.told[i] == "" && strings.Contains(r.Output, "new errors")) {
						t.Errorf("the last result %d is %q, want %q in it", i+1, r.Output, tt.told[i])
					}
				}
				if last := agenttest.Results(requests[len(requests)-1]); !strings.Contains(last[len(last)-1].Output, tt.left) {
					t.Errorf("the last result is %q, want %q in it", last[len(last)-1].Output, tt.left)
				}
				var got []ledger.Verification
				for _, cs := range w.Ledger.List(s.ID(), "", "") {
					got = append(got, cs.Files[0].Verification)
				}
				if !reflect.DeepEqual(got, tt.sets) {
					t.Errorf("got %+v, want %+v", got, tt.sets)
				}
				if text := w.ReadFile("a.words"); text != tt.end {
					t.Errorf("the file is %q, want %q", text, tt.end)
				}
			})
		})
	}
}

// A name that an edit of the session defines, on which the user has not decided, is no
// error in a later one; one that another session's edit defines is.
func TestEditsAreVerifiedWithWhatTheSessionHasProposed(t *testing.T) {
	for _, own := range []bool{true, false} {
		agenttest.InWorld(t, map[string]string{"a.words": "one two\n", "b.words": "b\n"}, []modeltest.Reply{replacing("two", "useThree"), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
			withOptions(w, &langservertest.Server{}, func(o *state.Options) {
				o.Settings.Edits.Verify = true
			})
			s := w.Session(policy.AutoEdit)
			proposer := "another"
			if own {
				proposer = s.ID()
			}
			base, err := w.Ledger.View(t.Context(), proposer, filepath.Join(w.Dir, "b.words"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.Ledger.Propose(t.Context(), ledger.Proposal{SessionID: proposer, TurnID: "t", Files: []ledger.Proposed{{Path: base.Path, Op: ledger.Modify, Base: base, New: "def Three\n"}}})
			if err != nil {
				t.Fatal(err)
			}
			w.Prompt(s, "edit")
			if r := agenttest.Results(w.LastRequest())[0]; strings.Contains(r.Output, "undefined: Three") == own {
				t.Errorf("proposed by the same session: %t: the result is %q", own, r.Output)
			}
		})
	}
}

// A hunk says that the formatter has changed it.
func TestHunksThatWereFormattedSaySo(t *testing.T) {
	replies := []modeltest.Reply{{modeltest.Call("write_file", `{"file_path":"a.words","content":"zero  \n2\n3\n4\n5\nsix\n"}`)}, agenttest.Done()}
	agenttest.InWorld(t, map[string]string{"a.words": "1\n2\n3\n4\n5\n6\n"}, replies, func(t *testing.T, w *agenttest.World) {
		withOptions(w, &langservertest.Server{}, func(o *state.Options) {
			o.Settings.Edits.Verify = true
		})
		s := w.Session(policy.AutoEdit)
		w.Prompt(s, "edit")
		hunks := w.Ledger.List(s.ID(), "", "")[0].Files[0].Hunks
		if len(hunks) != 2 || hunks[0].NewText != "zero\n" || !hunks[0].Formatted || hunks[1].Formatted {
			t.Errorf("got %+v", hunks)
		}
	})
}

// An edit does not reach the editor before it is verified.
func TestTheEditorDoesNotSeeUnverifiedEdits(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"a.words": "one"}, []modeltest.Reply{replacing("unsaved", "broken"), replacing("unsaved", "fine"), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		withOptions(w, &langservertest.Server{}, func(o *state.Options) {
			o.Settings.Edits.Verify = true
		})
		w.Editor.Open(w.URI("a.words"), "unsaved text")
		w.Prompt(w.Session(policy.AutoEdit), "edit")
		if edits := w.Editor.Edits(); len(edits) != 1 {
			t.Errorf("the editor made %d edits, want one", len(edits))
		}
		if got := w.Editor.Text(w.URI("a.words")); got != "fine text" {
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
			agenttest.InWorld(t, map[string]string{"a.words": ""}, append(tt.replies, agenttest.Done()), func(t *testing.T, w *agenttest.World) {
				withOptions(w, &langservertest.Server{}, func(o *state.Options) {
					o.LanguageServers = nil
					o.Settings.Edits.Verify = true
				})
				const text = "one\ntwo\nend\n"
				w.Editor.Open(w.URI("a.words"), text)
				w.Editor.Answers = map[string]json.RawMessage{}
				var edited time.Time
				w.Editor.Problems = func([]ide.URI) json.RawMessage {
					now := w.Editor.Text(w.URI("a.words"))
					shown := tt.before
					if now != text {
						if edited.IsZero() {
							edited = time.Now()
						}
						if time.Since(edited) >= tt.late {
							shown = tt.after(now)
						}
					}
					return json.RawMessage(fmt.Sprintf(`[{"uri":%q,"diagnostics":[%s]}]`, w.URI("a.words"), strings.Join(shown, ",")))
				}
				began := time.Now()
				w.Prompt(w.Session(policy.AutoEdit), "edit")
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("the turn took %v, longer than edits may wait", took)
				}
				for i, r := range agenttest.Results(w.LastRequest()) {
					if r.Failed || !strings.Contains(r.Output, tt.want[i]) || tt.want[i] == "" && strings.Contains(r.Output, "new errors") {
						t.Errorf("result %d is %q, want %q in it", i+1, r.Output, tt.want[i])
					}
				}
			})
		})
	}
}
