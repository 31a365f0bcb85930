package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Each result shows the text after its own call, in open and closed files.
func TestEditsOfOneFileAreAppliedInCallOrder(t *testing.T) {
	const lines = 6
	var text strings.Builder
	var calls modeltest.Reply
	for i := range lines {
		fmt.Fprintf(&text, "line %d\n", i)
		calls = append(calls, replace("f.go", fmt.Sprintf("line %d", i), fmt.Sprintf("LINE %d", i)))
	}
	for _, open := range []bool{true, false} {
		t.Run(fmt.Sprintf("open %t", open), func(t *testing.T) {
			for range 5 {
				inWorld(t, map[string]string{"f.go": text.String()}, []modeltest.Reply{calls, done()}, func(t *testing.T, w *world) {
					if open {
						w.editor.Open(w.uri("f.go"), text.String())
					}
					w.prompt(w.session(policy.AutoEdit), "shout")
					rs := results(w.last())
					if len(rs) != lines {
						t.Fatalf("%d results", len(rs))
					}
					for i, r := range rs {
						if want := fmt.Sprintf("LINE %d", i); !strings.Contains(r.Output, want) || i > 0 && !strings.Contains(r.Output, fmt.Sprintf("LINE %d", i-1)) {
							t.Errorf("call %d shows no text with it and the call before it:\n%s", i, r.Output)
						}
						if later := fmt.Sprintf("LINE %d", i+1); strings.Contains(r.Output, later) {
							t.Errorf("call %d shows what a later call did:\n%s", i, r.Output)
						}
					}
				})
			}
		})
	}
}

// A write error is not reported as a rejection, so that the model may make the file
// writable and retry.
func TestAWriteErrorIsNotARejection(t *testing.T) {
	for _, tt := range []struct {
		name      string
		mode      policy.Mode
		abilities frontend.Abilities
	}{
		{"applied at once, nobody there", policy.AutoEdit, frontend.Abilities{}},
		{"applied at once, reviewed later", policy.AutoEdit, frontend.Abilities{Reviews: true, Asks: true}},
		{"allowed by the user", policy.Default, frontend.Abilities{Asks: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, map[string]string{"f": "a\nb\n"}, []modeltest.Reply{{replace("f", "a", "A")}, {replace("f", "b", "B")}, done(), done()}, func(t *testing.T, w *world) {
				w.abilities = tt.abilities
				path := filepath.Join(w.dir, "f")
				if err := os.Chmod(path, 0o444); err != nil {
					t.Fatal(err)
				}
				w.model.Replies[1] = append(modeltest.Reply{modeltest.Do(func() {
					if err := os.Chmod(path, 0o644); err != nil {
						t.Error(err)
					}
				})}, w.model.Replies[1]...)
				s := w.session(tt.mode)
				w.prompt(s, "shout")
				w.prompt(s, "and?")
				text := all(w.last())
				if !strings.Contains(text, "The edit failed") || strings.Contains(text, "rejected by the user") || strings.Contains(text, "<edit_decisions>") {
					t.Errorf("the model got\n%s", text)
				}
				if got := w.file("f"); got != "a\nB\n" {
					t.Errorf("the file holds %q", got)
				}
			})
		})
	}
}

// A model that repeats a call after it was asked back about a placeholder means it.
func TestARepeatedPlaceholderIsMeant(t *testing.T) {
	write := modeltest.Reply{call("write_file", map[string]any{"file_path": "f.go", "content": "package a\n\n// ... existing code ...\n"})}
	inWorld(t, map[string]string{"f.go": "package a\n\nvar x = 1\n"}, []modeltest.Reply{write, write, done()}, func(t *testing.T, w *world) {
		w.prompt(w.session(policy.AutoEdit), "shorten it")
		if text := all(w.last()); !strings.Contains(text, "make the same call again") || !strings.Contains(text, "applied in full") {
			t.Errorf("the model got\n%s", text)
		}
		if text, err := os.ReadFile(filepath.Join(w.dir, "f.go")); err != nil || !strings.Contains(string(text), "existing code") {
			t.Errorf("the file has %q, %v", text, err)
		}
	})
}

func TestANewFileWithAByteOrderMarkIsApplied(t *testing.T) {
	const text = "\ufeffone\ntwo\n"
	for name, c := range map[string]modeltest.Reply{
		"write_file": {call("write_file", map[string]any{"file_path": "f.cs", "content": text})},
		"replace":    {replace("f.cs", "", text)},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, nil, []modeltest.Reply{c, {replace("f.cs", "two", "2")}, done()}, func(t *testing.T, w *world) {
				w.prompt(w.session(policy.AutoEdit), "write it")
				if text := all(w.last()); strings.Contains(text, "Nothing was changed") || strings.Contains(text, "with the user's edits") {
					t.Errorf("the model got\n%s", text)
				}
				if got, err := os.ReadFile(filepath.Join(w.dir, "f.cs")); err != nil || string(got) != "\ufeffone\n2\n" {
					t.Errorf("the file has %q, %v", got, err)
				}
			})
		})
	}
}

// The user reads in its title where a call failed that could not even begin.
func TestAFailedEditNamesItsFile(t *testing.T) {
	inWorld(t, map[string]string{"sub/f": "a\n"}, nil, func(t *testing.T, w *world) {
		absolute := call("replace", map[string]any{"file_path": filepath.Join(w.dir, "sub", "f"), "old_string": "zebra", "new_string": "y"})
		w.model.Replies = []modeltest.Reply{{absolute}, done()}
		w.prompt(w.session(policy.AutoEdit), "go")
		var title string
		for _, u := range w.updates {
			if e, ok := u.Event.(transcript.ToolUpdate); ok && e.State == transcript.Failure {
				title = e.Title
			}
		}
		if want := "Edit " + filepath.Join("sub", "f"); title != want {
			t.Errorf("the title is %q, want %q", title, want)
		}
	})
}
