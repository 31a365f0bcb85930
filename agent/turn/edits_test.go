package turn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
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
		calls = append(calls, agenttest.Replace("f.go", fmt.Sprintf("line %d", i), fmt.Sprintf("LINE %d", i)))
	}
	for _, open := range []bool{true, false} {
		t.Run(fmt.Sprintf("open %t", open), func(t *testing.T) {
			for range 5 {
				agenttest.InWorld(t, map[string]string{"f.go": text.String()}, []modeltest.Reply{calls, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
					if open {
						w.Editor.Open(w.URI("f.go"), text.String())
					}
					w.Prompt(w.Session(policy.AutoEdit), "shout")
					rs := agenttest.Results(w.LastRequest())
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
			agenttest.InWorld(t, map[string]string{"f": "a\nb\n"}, []modeltest.Reply{{agenttest.Replace("f", "a", "A")}, {agenttest.Replace("f", "b", "B")}, agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				w.Can = tt.abilities
				path := filepath.Join(w.Dir, "f")
				if err := os.Chmod(path, 0o444); err != nil {
					t.Fatal(err)
				}
				w.Model.Replies[1] = append(modeltest.Reply{modeltest.Do(func() {
					if err := os.Chmod(path, 0o644); err != nil {
						t.Error(err)
					}
				})}, w.Model.Replies[1]...)
				s := w.Session(tt.mode)
				w.Prompt(s, "shout")
				w.Prompt(s, "and?")
				text := agenttest.TextOf(w.LastRequest())
				if !strings.Contains(text, "The edit failed") || strings.Contains(text, "rejected by the user") || strings.Contains(text, "<edit_decisions>") {
					t.Errorf("the model got\n%s", text)
				}
				if got := w.ReadFile("f"); got != "a\nB\n" {
					t.Errorf("the file holds %q", got)
				}
			})
		})
	}
}

// A model that repeats a call after it was asked back about a placeholder means it.
func TestARepeatedPlaceholderIsMeant(t *testing.T) {
	write := modeltest.Reply{agenttest.Call("write_file", map[string]any{"file_path": "f.go", "content": "package a\n\n// ... existing code ...\n"})}
	agenttest.InWorld(t, map[string]string{"f.go": "package a\n\nvar x = 1\n"}, []modeltest.Reply{write, write, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Prompt(w.Session(policy.AutoEdit), "shorten it")
		if text := agenttest.TextOf(w.LastRequest()); !strings.Contains(text, "make the same call again") || !strings.Contains(text, "applied in full") {
			t.Errorf("the model got\n%s", text)
		}
		if text, err := os.ReadFile(filepath.Join(w.Dir, "f.go")); err != nil || !strings.Contains(string(text), "existing code") {
			t.Errorf("the file has %q, %v", text, err)
		}
	})
}

func TestANewFileWithAByteOrderMarkIsApplied(t *testing.T) {
	const text = "\ufeffone\ntwo\n"
	for name, c := range map[string]modeltest.Reply{
		"write_file": {agenttest.Call("write_file", map[string]any{"file_path": "f.cs", "content": text})},
		"replace":    {agenttest.Replace("f.cs", "", text)},
	} {
		t.Run(name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{c, {agenttest.Replace("f.cs", "two", "2")}, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				w.Prompt(w.Session(policy.AutoEdit), "write it")
				if text := agenttest.TextOf(w.LastRequest()); strings.Contains(text, "Nothing was changed") || strings.Contains(text, "with the user's edits") {
					t.Errorf("the model got\n%s", text)
				}
				if got, err := os.ReadFile(filepath.Join(w.Dir, "f.cs")); err != nil || string(got) != "\ufeffone\n2\n" {
					t.Errorf("the file has %q, %v", got, err)
				}
			})
		})
	}
}

// The user reads in its title where a call failed that could not even begin.
func TestAFailedEditNamesItsFile(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"sub/f": "a\n"}, nil, func(t *testing.T, w *agenttest.World) {
		absolute := agenttest.Call("replace", map[string]any{"file_path": filepath.Join(w.Dir, "sub", "f"), "old_string": "zebra", "new_string": "y"})
		w.Model.Replies = []modeltest.Reply{{absolute}, agenttest.Done()}
		w.Prompt(w.Session(policy.AutoEdit), "go")
		var title string
		for _, u := range w.Updates {
			if e, ok := u.Event.(transcript.ToolUpdate); ok && e.State == transcript.Failure {
				title = e.Title
			}
		}
		if want := "Edit " + filepath.Join("sub", "f"); title != want {
			t.Errorf("the title is %q, want %q", title, want)
		}
	})
}
