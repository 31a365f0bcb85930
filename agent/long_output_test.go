package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/tools/web"
	"github.com/emendo-dev/emendo/tools/web/webtest"
)

// kept returns the stored long outputs by file name.
func (w *world) kept() map[string]string {
	w.t.Helper()
	paths, err := filepath.Glob(filepath.Join(w.state, "output", "*", "*"))
	if err != nil {
		w.t.Fatal(err)
	}
	files := map[string]string{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			w.t.Fatal(err)
		}
		if fi, err := os.Stat(p); err != nil || fi.Mode().Perm() != 0o600 {
			w.t.Errorf("%s has mode %v: %v", p, fi.Mode(), err)
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
			reply := modeltest.Reply{run("make"), modeltest.Usage(model.Usage{Input: 5000})}
			if tt.file {
				reply[0] = call("read_file", map[string]any{"file_path": "f"})
			}
			inWorld(t, map[string]string{"f": tt.output}, []modeltest.Reply{reply, {modeltest.Say("ok")}, {modeltest.Say("ok")}, {modeltest.Say("ok")}}, func(t *testing.T, w *world) {
				w.stop()
				w.options = func(o *state.Options) {
					o.Settings.Tools.LongOutput = tt.setting // 0 is the default
					if tt.limit > 0 {
						o.ContextLimit = func(string) int64 { return tt.limit }
					}
				}
				w.start()
				w.spawn.Scripts = map[string]sandboxtest.Script{"make": sandboxtest.Print(tt.output, 0)}
				w.prompt(w.session(policy.Yolo), "go")
				var read string
				for _, r := range w.model.Requests()[1:] {
					if rs := results(r); len(rs) > 0 {
						read = rs[0].Output
						break
					}
				}
				kept := w.kept()
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
	inWorld(t, nil, []modeltest.Reply{{run("make")}, {modeltest.Say("long")}}, func(t *testing.T, w *world) {
		w.spawn.Scripts = map[string]sandboxtest.Script{"make": sandboxtest.Print(long, 0)}
		s := w.session(policy.Yolo)
		first := w.prompt(s, "go")
		path := filepath.Join(w.state, "output", s.ID(), "run_shell_command_call-1.txt")
		forked, err := w.agent.Fork(t.Context(), s.ID(), "")
		if err != nil {
			t.Fatal(err)
		}
		reads := func(what string, s *agent.Session) {
			t.Helper()
			w.model.Replies = append(w.model.Replies, modeltest.Reply{call("read_file", map[string]any{"file_path": path, "start_line": 8001})}, modeltest.Reply{modeltest.Say("read")})
			w.prompt(s, "read it")
			if r := results(w.last())[0]; !strings.Contains(r.Output, "the last line") {
				t.Errorf("%s it reads %q", what, r.Output)
			}
		}
		reads("at once", s)
		s = w.reopen(s)
		reads("after a restart", s)
		if _, err := s.Rewind(t.Context(), first.TurnID, rewind.Conversation, false); err != nil {
			t.Fatal(err)
		}
		reads("after a rewind", s)

		other := w.session(policy.Yolo)
		w.model.Replies = append(w.model.Replies, modeltest.Reply{call("read_file", map[string]any{"file_path": path})}, modeltest.Reply{modeltest.Say("read")})
		w.prompt(other, "read it")
		if r := results(w.last())[0]; !r.Failed || strings.Contains(r.Output, "a line of output") {
			t.Errorf("another session reads %.200q", r.Output)
		}
		if err := w.agent.Delete(t.Context(), s.ID()); err != nil {
			t.Fatal(err)
		}
		if l, err := filepath.Glob(filepath.Join(w.state, "output", s.ID())); err != nil || len(l) != 0 {
			t.Errorf("after the session is deleted there is left %v, %v", l, err)
		}
		if forked, err = w.agent.Session(t.Context(), forked.ID()); err != nil {
			t.Fatal(err)
		}
		theirs := path
		path = filepath.Join(w.state, "output", forked.ID(), filepath.Base(path))
		reads("in a copy of the session", forked)
		if said := all(w.last()); strings.Contains(said, theirs) || !strings.Contains(said, path) {
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
		replies = append(replies, modeltest.Reply{run(command)})
		scripts[command] = sandboxtest.Print(long, 0)
	}
	inWorld(t, nil, append(replies, modeltest.Reply{modeltest.Say("done")}), func(t *testing.T, w *world) {
		w.spawn.Scripts = scripts
		w.prompt(w.session(policy.Yolo), "go")
		if !strings.Contains(all(w.last()), "<tool_output_masked>") {
			t.Fatal("nothing is masked")
		}
		kept := w.kept()
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
	inWorld(t, nil, []modeltest.Reply{{run("make")}, {modeltest.Say("ok")}}, func(t *testing.T, w *world) {
		w.stop()
		w.options = func(o *state.Options) { o.OutputDir = "" }
		w.start()
		w.spawn.Scripts = map[string]sandboxtest.Script{"make": sandboxtest.Print(strings.Repeat("x\n", 50_000), 0)}
		w.prompt(w.session(policy.Yolo), "go")
		if r := results(w.last())[0]; len(r.Output) > 41_000 || !strings.Contains(r.Output, "The rest was not saved.") {
			t.Errorf("%d bytes, which begin with %.300q", len(r.Output), r.Output)
		}
	})
}

// The full text of a page that a tool has shortened is stored, even if the rest is short.
func TestAShortenedPageIsStored(t *testing.T) {
	page := strings.Repeat("words ", 10_000)
	inWorld(t, nil, []modeltest.Reply{calls("web_fetch", `{"url":"http://docs.test/"}`), done()}, func(t *testing.T, w *world) {
		w.options = func(o *state.Options) {
			o.Tools = append(o.Tools, web.All(webtest.Site{"http://docs.test/": {Body: page}}.Options())...)
		}
		w.stop()
		w.start()
		w.prompt(w.session(policy.Yolo), "look")
		kept := w.kept()
		if len(kept) != 1 {
			t.Fatalf("%d files are kept", len(kept))
		}
		for name, text := range kept {
			if !strings.Contains(text, page) {
				t.Errorf("%d bytes are kept", len(text))
			}
			if got := results(w.last())[0].Output; len(got) > 38_000 || !strings.Contains(got, "(the first 36000 of 60000 bytes)") || !strings.Contains(got, name) {
				t.Errorf("the model reads %d bytes, which end in %s", len(got), got[max(0, len(got)-300):])
			}
		}
	})
}
