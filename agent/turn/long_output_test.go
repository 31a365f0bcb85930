package turn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/tools/web"
	"github.com/emendo-dev/emendo/tools/web/webtest"
)

// keptOutputs returns the stored long outputs by file name.
func keptOutputs(w *agenttest.World) map[string]string {
	w.T.Helper()
	paths, err := filepath.Glob(filepath.Join(w.State, "output", "*", "*"))
	if err != nil {
		w.T.Fatal(err)
	}
	files := map[string]string{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			w.T.Fatal(err)
		}
		if fi, err := os.Stat(p); err != nil || fi.Mode().Perm() != 0o600 {
			w.T.Errorf("%s has mode %v: %v", p, fi.Mode(), err)
		}
		files[filepath.Base(p)] = string(b)
	}
	return files
}

func TestLongOutputIsCut(t *testing.T) {
	const words = 500 // words added around a cut
	lines := func(n int) string { return strings.Repeat(strings.Repeat("x", 99)+"\n", n/100) }
	for _, tt := range []struct {
		name    string
		output  string
		file    bool // read from a file, not printed by a command
		setting int
		limit   int64
		most    int // characters sent; 0: all of them
		least   int
	}{
		{name: "what is short", output: lines(39_000)},
		{name: "40,000 characters", output: lines(50_000), most: 40_000, least: 39_000},
		{name: "as many as the setting says", output: lines(30_000), setting: 20_000, most: 20_000, least: 19_000},
		{name: "characters, not bytes", output: strings.Repeat("ä", 30_000)},
		{name: "64 KiB whatever the setting says", output: lines(100_000), setting: 90_000, most: 64 << 10, least: 60_000},
		{name: "64 KiB where there is no setting", output: lines(100_000), setting: -1, most: 64 << 10, least: 60_000},
		{name: "no setting", output: lines(60_000), setting: -1},
		{name: "half of what is left in the model", output: lines(39_000), limit: 15_000, most: 20_000, least: 15_000},
		{name: "little where little is left", output: lines(39_000), limit: 6000, most: 2000, least: 1000},
		{name: "a file that can be read again", output: lines(50_000), file: true},
		{name: "a file that does not fit the model", output: lines(39_000), file: true, limit: 15_000, most: 20_000, least: 15_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := modeltest.Reply{agenttest.RunCommand("make"), modeltest.Usage(model.Usage{Input: 5000})}
			if tt.file {
				reply[0] = agenttest.Call("read_file", map[string]any{"file_path": "f"})
			}
			agenttest.InWorld(t, map[string]string{"f": tt.output}, []modeltest.Reply{reply, {modeltest.Say("ok")}, {modeltest.Say("ok")}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
				w.Stop()
				w.Options = func(o *state.Options) {
					o.Settings.Tools.LongOutput = tt.setting // 0 is the default
					if tt.limit > 0 {
						o.ContextLimit = func(string) int64 { return tt.limit }
					}
				}
				w.Start()
				w.Spawn.Scripts = map[string]sandboxtest.Script{"make": sandboxtest.Print(tt.output, 0)}
				w.Prompt(w.Session(policy.Yolo), "go")
				var read string
				for _, r := range w.Model.Requests()[1:] {
					if rs := agenttest.Results(r); len(rs) > 0 {
						read = rs[0].Output
						break
					}
				}
				kept := keptOutputs(w)
				if tt.most == 0 {
					if !strings.Contains(read, strings.TrimSpace(tt.output)) || len(kept) > 0 {
						t.Errorf("of %d characters the model reads %d, and %d files are kept", len(tt.output), len(read), len(kept))
					}
					return
				}
				if n := utf8.RuneCountInString(read); n > tt.most+words || n < tt.least {
					t.Errorf("the model reads %d characters, not from %d to %d", n, tt.least, tt.most)
				}
				name := "run_shell_command_call-1.txt"
				if tt.file {
					name = "read_file_call-1.txt"
				}
				if !strings.Contains(kept[name], strings.TrimSpace(tt.output)) || len(kept) != 1 || !strings.Contains(read, name) {
					t.Errorf("%d characters are kept in %s, of %d files", len(kept[name]), name, len(kept))
				}
			})
		})
	}
}

func TestLongOutputIsStored(t *testing.T) {
	long := strings.Repeat("a line of output\n", 8000) + "the last line\n"
	agenttest.InWorld(t, nil, []modeltest.Reply{{agenttest.RunCommand("make")}, {modeltest.Say("long")}}, func(t *testing.T, w *agenttest.World) {
		w.Spawn.Scripts = map[string]sandboxtest.Script{"make": sandboxtest.Print(long, 0)}
		s := w.Session(policy.Yolo)
		first := w.Prompt(s, "go")
		path := filepath.Join(w.State, "output", s.ID(), "run_shell_command_call-1.txt")
		forked, err := w.Agent.Fork(t.Context(), s.ID(), "")
		if err != nil {
			t.Fatal(err)
		}
		reads := func(what string, s *agent.Session) {
			t.Helper()
			w.Model.Replies = append(w.Model.Replies, modeltest.Reply{agenttest.Call("read_file", map[string]any{"file_path": path, "start_line": 8001})}, modeltest.Reply{modeltest.Say("read")})
			w.Prompt(s, "read it")
			if r := agenttest.Results(w.LastRequest())[0]; !strings.Contains(r.Output, "the last line") {
				t.Errorf("%s it reads %q", what, r.Output)
			}
		}
		reads("at once", s)
		s = w.Reopen(s)
		reads("after a restart", s)
		if _, err := s.Rewind(t.Context(), first.TurnID, rewind.Conversation, false); err != nil {
			t.Fatal(err)
		}
		reads("after a rewind", s)

		other := w.Session(policy.Yolo)
		w.Model.Replies = append(w.Model.Replies, modeltest.Reply{agenttest.Call("read_file", map[string]any{"file_path": path})}, modeltest.Reply{modeltest.Say("read")})
		w.Prompt(other, "read it")
		if r := agenttest.Results(w.LastRequest())[0]; !r.Failed || strings.Contains(r.Output, "a line of output") {
			t.Errorf("another session reads %.200q", r.Output)
		}
		if err := w.Agent.Delete(t.Context(), s.ID()); err != nil {
			t.Fatal(err)
		}
		if l, err := filepath.Glob(filepath.Join(w.State, "output", s.ID())); err != nil || len(l) != 0 {
			t.Errorf("after the session is deleted there is left %v, %v", l, err)
		}
		if forked, err = w.Agent.Session(t.Context(), forked.ID()); err != nil {
			t.Fatal(err)
		}
		theirs := path
		path = filepath.Join(w.State, "output", forked.ID(), filepath.Base(path))
		reads("in a copy of the session", forked)
		if said := agenttest.TextOf(w.LastRequest()); strings.Contains(said, theirs) || !strings.Contains(said, path) {
			t.Errorf("the copy names %s, not %s", theirs, path)
		}
	})
}

func TestMaskedOutputIsStored(t *testing.T) {
	long := "begins\n" + strings.Repeat("what a command prints\n", 3000) + "ends\n"
	var replies []modeltest.Reply
	scripts := map[string]sandboxtest.Script{}
	for i := range 12 {
		command := fmt.Sprint("make ", i)
		replies = append(replies, modeltest.Reply{agenttest.RunCommand(command)})
		scripts[command] = sandboxtest.Print(long, 0)
	}
	agenttest.InWorld(t, nil, append(replies, modeltest.Reply{modeltest.Say("done")}), func(t *testing.T, w *agenttest.World) {
		w.Spawn.Scripts = scripts
		w.Prompt(w.Session(policy.Yolo), "go")
		if !strings.Contains(agenttest.TextOf(w.LastRequest()), "<tool_output_masked>") {
			t.Fatal("nothing is masked")
		}
		kept := keptOutputs(w)
		for name, text := range kept {
			if !strings.Contains(text, long) {
				t.Errorf("%s has %d characters", name, len(text))
			}
		}
		if len(kept) != 12 {
			t.Errorf("%d files are kept", len(kept))
		}
	})
}

func TestOutputThatCannotBeStoredIsCut(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{agenttest.RunCommand("make")}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		w.Options = func(o *state.Options) { o.OutputDir = "" }
		w.Start()
		w.Spawn.Scripts = map[string]sandboxtest.Script{"make": sandboxtest.Print(strings.Repeat("x\n", 50_000), 0)}
		w.Prompt(w.Session(policy.Yolo), "go")
		if r := agenttest.Results(w.LastRequest())[0]; len(r.Output) > 41_000 || !strings.Contains(r.Output, "The rest was not saved.") {
			t.Errorf("%d bytes, which begin with %.300q", len(r.Output), r.Output)
		}
	})
}

// The full text of a page that a tool has shortened is stored, even if the rest is short.
func TestAShortenedPageIsStored(t *testing.T) {
	page := strings.Repeat("words ", 10_000)
	agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Calls("web_fetch", `{"url":"http://docs.test/"}`), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) {
			o.Tools = append(o.Tools, web.All(webtest.Site{"http://docs.test/": {Body: page}}.Options())...)
		}
		w.Stop()
		w.Start()
		w.Prompt(w.Session(policy.Yolo), "look")
		kept := keptOutputs(w)
		if len(kept) != 1 {
			t.Fatalf("%d files are kept", len(kept))
		}
		for name, text := range kept {
			if !strings.Contains(text, page) {
				t.Errorf("%d bytes are kept", len(text))
			}
			if got := agenttest.Results(w.LastRequest())[0].Output; len(got) > 38_000 || !strings.Contains(got, "(the first 36000 of 60000 bytes)") || !strings.Contains(got, name) {
				t.Errorf("the model reads %d bytes, which end in %s", len(got), got[max(0, len(got)-300):])
			}
		}
	})
}
