//go:build editors

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

// world is a home with a trusted folder and a model.
type world struct {
	t     *testing.T
	dir   string
	env   []string
	model *geminitest.Server
}

func newWorld(t *testing.T, replies ...geminitest.Reply) *world {
	t.Helper()
	base := plaintest.Scratch(t)
	w := &world{t: t, dir: filepath.Join(base, "work"), model: geminitest.New(t, replies...)}
	w.env = []string{
		"PATH=" + langservertest.SearchPath(t, filepath.Dir(program)), "HOME=" + base, "EMENDO_HOME=" + filepath.Join(base, "home"), "TMPDIR=" + base,
		"GEMINI_API_KEY=" + w.model.Key, "GOOGLE_GEMINI_BASE_URL=" + w.model.URL,
	}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.write("a.txt", "one\ntwo\n")
	w.run(program, "trust", "add", w.dir)
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// run runs a program in the folder, which succeeds, and returns its standard output.
func (w *world) run(name string, args ...string) string {
	w.t.Helper()
	out, err := w.try(name, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) try(name string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, name, args...)
	var errs strings.Builder
	c.Dir, c.Env, c.Stderr = w.dir, w.env, &errs
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%s %v: %w\n%s%s", name, args, err, out, errs.String())
	}
	return string(out), err
}

// module returns the path of a file in this folder.
func module(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func edit(old, text string) geminitest.Event {
	args, err := json.Marshal(map[string]string{"file_path": "a.txt", "old_string": old, "new_string": text})
	if err != nil {
		panic(err)
	}
	return geminitest.Call("replace", string(args))
}

// TestOfficialLibrary goes through a whole conversation with the official TypeScript
// library.
func TestOfficialLibrary(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	never := geminitest.Say("never")
	never.Hold = hold
	w := newWorld(t,
		geminitest.Do(geminitest.Call("ask_user", `{"questions":[{"header":"Unit","question":"In what should prices be?","type":"choice","options":[{"label":"Cents","description":"whole"},{"label":"Euros","description":"with a point"}]}]}`)),
		geminitest.Do(edit("two, unsaved", "TWO, unsaved")),
		geminitest.Say("All done."),
		never,
	)
	var got struct {
		Agent, Text, Replayed         string
		Options, StopReasons, Updates []string
		Questions                     []struct{ Kinds []string }
		Forms, Reads, Writes, Left    int
		Listed                        []bool
		Exit                          *int
	}
	if err := json.Unmarshal([]byte(w.run("node", module(t, "client.mjs"), program, w.dir)), &got); err != nil {
		t.Fatal(err)
	}
	switch {
	case got.Agent != "emendo" || !reflect.DeepEqual(got.Options, []string{"mode", "model"}):
		t.Errorf("the agent is %q, with the options %v", got.Agent, got.Options)
	case !reflect.DeepEqual(got.StopReasons, []string{"end_turn", "cancelled"}):
		t.Errorf("the stop reasons are %v", got.StopReasons)
	case got.Forms != 1 || len(got.Questions) != 1 || got.Reads == 0 || got.Writes != 1:
		t.Errorf("%d forms, %d questions, %d reads, %d writes", got.Forms, len(got.Questions), got.Reads, got.Writes)
	case w.read("a.txt") != "one\nTWO, unsaved\n":
		t.Errorf("the file is %q", w.read("a.txt"))
	case !strings.Contains(got.Text, "All done.") || !strings.Contains(got.Replayed, "All done."):
		t.Errorf("said %q, replayed %q", got.Text, got.Replayed)
	case !reflect.DeepEqual(got.Listed, []bool{true}) || got.Left != 0:
		t.Errorf("listed %v, %d left", got.Listed, got.Left)
	case got.Exit == nil || *got.Exit != 0:
		t.Errorf("it exited with %v", got.Exit)
	}
	for _, want := range []string{"available_commands_update", "user_message_chunk", "tool_call", "tool_call_update", "usage_update", "session_info_update", "notice", "current_mode_update", "config_option_update"} {
		if !slices.Contains(got.Updates, want) {
			t.Errorf("there was no %s", want)
		}
	}
}

// TestOfficialPreview edits a file with the official library's preview of version 2.
func TestOfficialPreview(t *testing.T) {
	w := newWorld(t, geminitest.Do(edit("two", "TWO")), geminitest.Say("All done."))
	var got struct {
		Version, Left                     int
		Options, States, Patches, Updates []string
		Accepted, Text, Replayed          string
		Exit                              *int
	}
	if err := json.Unmarshal([]byte(w.run("node", module(t, "client_v2.mjs"), program, w.dir)), &got); err != nil {
		t.Fatal(err)
	}
	switch {
	case got.Version != 2 || !reflect.DeepEqual(got.Options, []string{"mode", "model"}) || got.Accepted != "string":
		t.Errorf("version %d, the options %v, accepted with a %s", got.Version, got.Options, got.Accepted)
	case !reflect.DeepEqual(got.States, []string{"running", "requires_action", "running", "idle:end_turn"}):
		t.Errorf("the states are %v", got.States)
	case len(got.Patches) != 1 || !strings.Contains(got.Patches[0], "-two\n+TWO\n"):
		t.Errorf("the patches are %q", got.Patches)
	case w.read("a.txt") != "one\nTWO\n":
		t.Errorf("the file is %q", w.read("a.txt"))
	case !strings.Contains(got.Text, "All done.") || !strings.Contains(got.Replayed, "All done.") || got.Left != 0:
		t.Errorf("said %q, replayed %q, %d left", got.Text, got.Replayed, got.Left)
	case got.Exit == nil || *got.Exit != 0:
		t.Errorf("it exited with %v", got.Exit)
	}
	w.write("change.patch", got.Patches[0])
	w.write("a.txt", "one\ntwo\n")
	w.run("git", "apply", "--unsafe-paths", "-p"+strconv.Itoa(strings.Count(w.dir, "/")+1), "change.patch") // as git would
	if w.read("a.txt") != "one\nTWO\n" {
		t.Errorf("the patch makes %q", w.read("a.txt"))
	}
}

// TestAcpx runs prompts by acpx, which approves everything or nothing.
func TestAcpx(t *testing.T) {
	acpx := func(w *world, args ...string) (string, error) {
		return w.try("node", append([]string{module(t, "node_modules/acpx/dist/cli.js"), "--agent", program + " acp", "--cwd", w.dir, "--timeout", "60"}, args...)...)
	}
	for _, tt := range []struct {
		policy, want string
		fails        bool // acpx reports what it has denied
	}{
		{policy: "--approve-all", want: "one\nTWO\n"},
		{policy: "--deny-all", want: "one\ntwo\n", fails: true},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			w := newWorld(t, geminitest.Do(edit("two", "TWO")), geminitest.Say("All done."))
			out, err := acpx(w, tt.policy, "--format", "text", "exec", "Edit the file.")
			if (err != nil) != tt.fails {
				t.Errorf("acpx ended with %v", err)
			}
			if !strings.Contains(out, "All done.") || w.read("a.txt") != tt.want {
				t.Errorf("the file is %q; acpx printed %s", w.read("a.txt"), out)
			}
		})
	}
}

// TestSchema compares the schemas that the tests of acp use with those of the library.
func TestSchema(t *testing.T) {
	for version, copied := range map[string]string{"v1": "schema.json", "v2": "schema_v2.json"} {
		text, err := os.ReadFile("node_modules/@agentclientprotocol/sdk/schema/" + version + "/schema.json")
		if err != nil {
			t.Fatal(err)
		}
		var official struct {
			Defs map[string]any `json:"$defs"`
		}
		if err := json.Unmarshal(text, &official); err != nil {
			t.Fatal(err)
		}
		text, err = os.ReadFile("../../../acp/acptest/" + copied)
		if err != nil {
			t.Fatal(err)
		}
		var ours map[string]any
		if err := json.Unmarshal(text, &ours); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(undescribed(official.Defs), any(ours)) {
			t.Errorf("acp/acptest/%s is not the schema of the library without descriptions", copied)
		}
	}
}

// undescribed returns a schema without its descriptions and titles.
func undescribed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if _, text := x.(string); text && (k == "description" || k == "title") {
				continue
			}
			out[k] = undescribed(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = undescribed(x)
		}
		return out
	}
	return v
}
