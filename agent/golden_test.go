package agent_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
)

var updateGolden = flag.Bool("update-golden", false, "write what the stored sessions of testdata/golden come to")

// The numbered logs in testdata/golden were written before the format had a version,
// the others in the format in their name. @WORK@ is the session's folder and @DIR…@ a
// folder that no longer exists. They must load, resume and export as they always did:
// never change them.
func TestGoldenSessions(t *testing.T) {
	logs, err := filepath.Glob("testdata/golden/session-*.jsonl")
	if err != nil || len(logs) == 0 {
		t.Fatalf("no golden sessions: %v", err)
	}
	for _, path := range logs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			stored, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := originalFiles(t, stored)
			agenttest.InWorld(t, files, []modeltest.Reply{{modeltest.Say("Resumed.")}}, func(t *testing.T, w *agenttest.World) {
				golden := strings.TrimSuffix(path, ".jsonl") + ".golden"
				got := goldenState(w, t, stored)
				if *updateGolden {
					if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("%s: got %s", golden, firstDifference(got, string(want)))
				}
			})
		})
	}
}

// originalFiles returns the files in the session's folder as they were before
// the edits that a log proposes.
func originalFiles(t *testing.T, stored []byte) map[string]string {
	t.Helper()
	files := map[string]string{}
	for line := range bytes.Lines(stored) {
		var r struct {
			Event struct {
				Diffs []struct {
					Path string
					Old  *string
				}
			}
		}
		if err := json.Unmarshal(line, &r); err != nil {
			continue // another kind of line
		}
		for _, d := range r.Event.Diffs {
			name, inside := strings.CutPrefix(d.Path, "@WORK@/")
			if _, have := files[name]; inside && !have && d.Old != nil {
				files[name] = *d.Old
			}
		}
	}
	return files
}

// goldenState opens a stored session and describes the result: its updates, its change
// sets, and the conversation that is sent when it is resumed.
func goldenState(w *agenttest.World, t *testing.T, stored []byte) string {
	t.Helper()
	var head struct {
		Event struct{ SessionID string }
	}
	first, _, _ := bytes.Cut(stored, []byte("\n"))
	if err := json.Unmarshal(first, &head); err != nil {
		t.Fatal(err)
	}
	id := head.Event.SessionID
	dir := filepath.Join(w.State, "sessions", "0123456789abcdef")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	log := bytes.ReplaceAll(stored, []byte("@WORK@"), []byte(w.Dir))
	if err := os.WriteFile(filepath.Join(dir, "20000101T000000Z-"+id+".jsonl"), log, 0o600); err != nil {
		t.Fatal(err)
	}
	w.IDs = 1000 // its ids are of their own
	s, err := w.Agent.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	i := s.Info()
	fmt.Fprintf(&b, "== session\n%s %q %q %s %s turns %d usage %+v created %s updated %s\n", i.ID, i.Title, i.Summary, i.Model, i.Mode, i.Turns, tokensOf(i.Usage.Usage), acp.Time(i.CreatedAt), acp.Time(i.UpdatedAt))
	updates, next, err := s.Replay(0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "== updates, next %d\n", next)
	for _, u := range updates {
		fmt.Fprintf(&b, "%d %s %s %s\n", u.Seq, u.TurnID, acp.Time(u.At), acp.Update(u.Event))
	}
	b.WriteString("== change sets\n")
	for _, cs := range w.Ledger.List(id, "", "") {
		fmt.Fprintf(&b, "%s %s %s %q %s\n", cs.ID, cs.TurnID, cs.CallID, cs.Title, cs.State)
		for _, f := range cs.Files {
			fmt.Fprintf(&b, "  %s %s %s %s %s open %t\n%s\n", f.Op, f.Path, f.URI, f.Spelling, f.NewPath, f.Open, f.Diff)
			for _, h := range f.Hunks {
				fmt.Fprintf(&b, "  %s %s %d-%d %+v %q %q edited %t %q\n", h.ID, h.State, h.A, h.B, h.Range, h.OldText, h.NewText, h.Edited, h.Reason)
			}
		}
	}
	if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("Resume.")}); err != nil {
		t.Fatalf("resuming: %v", err)
	}
	b.WriteString("== conversation\n")
	for _, m := range w.LastRequest().Messages {
		fmt.Fprintf(&b, "%s %s\n", m.Role, m.ID)
		for _, p := range m.Parts {
			describePart(&b, p)
		}
	}
	return strings.ReplaceAll(b.String(), w.Dir, "@WORK@")
}

// tokenCounts are the counts of a model.Usage, without their price.
type tokenCounts struct{ Input, Output, Cached, Thought, Tool, Total int64 }

func tokensOf(u model.Usage) tokenCounts {
	return tokenCounts{u.Input, u.Output, u.Cached, u.Thought, u.Tool, u.Total}
}

// inPrompt is the start of the context that the resuming prompt adds.
var inPrompt = regexp.MustCompile(`^<(session_context|editor_context|edit_decisions|folders)>`)

func describePart(b *strings.Builder, p model.Part) {
	switch p := p.(type) {
	case model.Text:
		if p.Given && inPrompt.MatchString(p.Text) {
			return // its words may change
		}
		fmt.Fprintf(b, "  text %q %x given %t\n", p.Text, p.Signature, p.Given)
	case model.Thought:
		fmt.Fprintf(b, "  thought %q\n", p.Text)
	case model.Call:
		fmt.Fprintf(b, "  call %s %s %s %s %x\n", p.ID, p.ProviderID, p.Name, p.Args, p.Signature)
	case model.Result:
		fmt.Fprintf(b, "  result %s %s %s %q failed %t blobs %v\n", p.CallID, p.ProviderID, p.Name, p.Output, p.Failed, p.Blobs)
	case model.Blob:
		fmt.Fprintf(b, "  blob %s %x\n", p.MIME, p.Data)
	}
}

// firstDifference returns the first line that differs, with the number of it.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < len(g) && i < len(w) && g[i] == w[i] {
		i++
	}
	line := func(l []string) string {
		if i < len(l) {
			return l[i]
		}
		return "(nothing)"
	}
	return fmt.Sprintf("line %d:\n%s\nwant:\n%s", i+1, line(g), line(w))
}
