package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// branchFiles is the number of files of a branch to review.
const branchFiles = 40

// branchFile returns the name of a file of the branch, and its text: names and lines are not
// all of ASCII, and lines do not all end alike.
func branchFile(i int) (name, text string) {
	end := []string{"\n", "\r\n"}[i%2]
	return fmt.Sprintf("sub %d/ä#%%%02d.go", i%3, i), "// 😀 ä" + end + fmt.Sprintf("x := %d / 0", i) + end + "}"
}

// branch returns a world with a branch of changed files, and a model that finds a problem in
// the second line of each before it has read on.
func branch(t *testing.T, hold <-chan struct{}) *world {
	t.Helper()
	var calls []geminitest.Event
	for i := range branchFiles {
		name, _ := branchFile(i)
		args, err := json.Marshal(map[string]any{"file_path": name, "line": 2, "end_line": 2 + i%2, "severity": []string{"error", "warning", "information"}[i%3], "title": fmt.Sprintf("ä <%d>", i), "message": "First.\n\nSecond: \"quoted\"."})
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, geminitest.Call("report_finding", string(args)))
	}
	end := geminitest.Say("I read all of them.")
	end.Hold = hold
	w := newWorld(t, geminitest.Do(calls...), end)
	w.write("main.go", "package main\n")
	w.repository()
	w.inGit("checkout", "-q", "-b", "topic")
	for i := range branchFiles {
		w.write(branchFile(i))
	}
	w.inGit("add", "-A")
	w.committed("forty files")
	return w
}

// The findings of a branch are those of its files, at their lines.
func TestSARIFOfABranch(t *testing.T) {
	w := branch(t, nil)
	r := w.exec("review", "--branch", "main", "--format", "sarif")
	r.wantCode(t, 0)
	var got struct {
		Runs []struct {
			ColumnKind  string
			Invocations []struct{ ExecutionSuccessful bool }
			Results     []struct {
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           map[string]any
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Runs) != 1 || len(got.Runs[0].Results) != branchFiles || !got.Runs[0].Invocations[0].ExecutionSuccessful {
		t.Fatalf("printed %s", r.stdout)
	}
	found := map[string]string{}
	for _, x := range got.Runs[0].Results {
		at := x.Locations[0].PhysicalLocation
		u, err := url.Parse(at.ArtifactLocation.URI)
		if err != nil || u.IsAbs() || u.Fragment != "" || u.RawQuery != "" {
			t.Errorf("the URI %s: %v", at.ArtifactLocation.URI, err)
		}
		if _, ok := at.Region["startColumn"]; ok {
			t.Errorf("%s has columns, of which a finding knows none: %v", u, at.Region)
		}
		found[u.Path] = fmt.Sprintf("%s %v-%v %q %q", x.Level, at.Region["startLine"], at.Region["endLine"], x.Message.Text, at.Region["snippet"].(map[string]any)["text"])
	}
	for i := range branchFiles {
		name, text := branchFile(i)
		lines := strings.SplitAfterN(text, "\n", 2)[1]
		if i%2 == 0 {
			lines = strings.TrimSuffix(lines, "}")
		}
		want := fmt.Sprintf("%s 2-%d %q %q", []string{"error", "warning", "note"}[i%3], 2+i%2, fmt.Sprintf("ä <%d>\n\nFirst.\n\nSecond: \"quoted\".", i), lines)
		if found[name] != want {
			t.Errorf("%s: got %s, want %s", name, found[name], want)
		}
	}
}

// The model is answered its last request once the first finding is printed: a review that kept
// them to its end would not end.
func TestFindingsArriveWhileTheReviewRuns(t *testing.T) {
	printed := make(chan struct{})
	w := branch(t, printed)
	t.Chdir(w.dir)
	out := &firstWrite{happened: sync.OnceFunc(func() { close(printed) })}
	p := process{args: []string{"review", "--branch", "main"}, env: lookup(w.env), environ: w.env, stdout: out, stderr: &bytes.Buffer{}, level: lookup(w.env)(levelVariable)}
	if code := p.run(t.Context()); code != 0 {
		t.Errorf("exit %d", code)
	}
	name, _ := branchFile(1)
	if got := out.text.String(); strings.Count(got, "\n") != 4*branchFiles || !strings.Contains(got, filepath.FromSlash(name)+":2: warning: ä <1>\n    First.\n") {
		t.Errorf("printed %s", got)
	}
}

// firstWrite keeps what is written, and tells of the first write.
type firstWrite struct {
	text     bytes.Buffer
	happened func()
}

func (w *firstWrite) Write(b []byte) (int, error) {
	w.happened()
	return w.text.Write(b)
}
