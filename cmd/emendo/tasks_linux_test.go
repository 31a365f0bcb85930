package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/internal/paths"
)

var allTasks = flag.Bool("tasks", false, "run all tasks, not the quickest one of most languages alone")

// quickTasks are the quickest ones. A task in Go takes a minute with empty caches and is left to
// make nightly; TestTestsOfProjectsRunHeadless builds and tests Go.
var quickTasks = []string{"c/find-a-bug", "python/add-a-page", "rust/remainder", "typescript/rename"}

// A task has a wish of a user's, and the calls of a model that fulfils it. Its file is a txtar
// archive over the project of its language: testdata/tasks/README.md describes it.
type task struct {
	name, title string
	needs       []string // programs
	check       string   // a command line that succeeds when the task is done
	calls       []geminitest.Reply
	commits     []revision
}

type revision struct {
	message string
	files   []txtar.File
	script  string // changes files
}

// callsOfATask is how many calls a task has at least.
const callsOfATask = 50

// In the mode default whoever lets a model work through a task is asked about little but edits:
// nothing in most tasks, and twice at most. Each task is done at its end.
func TestTasksNeedFewAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real compilers")
	}
	folders, err := filepath.Glob("../../testdata/tasks/*/project.txtar")
	if err != nil || len(folders) != 5 {
		t.Fatalf("%q, %v", folders, err)
	}
	w := newWorld(t) // one for all, whose caches stay
	w.toolchains()
	w.env = append(w.env, levelVariable+"=A")
	w.put(filepath.Join(w.home, "config", "settings.json"), `{"model":{"disableLoopDetection":true},"general":{"retryFetchErrors":false,"maxAttempts":1}}`)
	var questions []int
	for _, project := range folders {
		for _, path := range tasksIn(t, filepath.Dir(project)) {
			k := readTask(t, w.dir, project, path)
			w.t = t
			if !w.hasAll(k.needs) {
				continue
			}
			t.Run(k.name, func(t *testing.T) {
				w.t = t
				questions = append(questions, w.carryOut(k))
			})
		}
	}
	slices.Sort(questions)
	if len(questions) > 0 && questions[len(questions)/2] > 0 {
		t.Errorf("half of the tasks ask: %d", questions)
	}
}

func tasksIn(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return filepath.Base(p) == "project.txtar" })
	if !*allTasks {
		paths = slices.DeleteFunc(paths, func(p string) bool { return !slices.Contains(quickTasks, taskName(p)) })
	}
	return paths
}

// taskName returns the language and the name of a task.
func taskName(path string) string {
	return filepath.Base(filepath.Dir(path)) + "/" + strings.TrimSuffix(filepath.Base(path), ".txtar")
}

func (w *world) hasAll(programs []string) bool {
	return !slices.ContainsFunc(programs, func(p string) bool {
		if p == typescript {
			return compiler(w.t) == ""
		}
		return !w.has(p)
	})
}

const typescript = "typescript"

// compiler returns the folder of the TypeScript that came with its language server.
func compiler(t *testing.T) string {
	t.Helper()
	server, err := exec.LookPath("typescript-language-server")
	if err == nil {
		server, err = filepath.EvalSymlinks(server)
	}
	if err != nil {
		t.Logf("there is no TypeScript here: %v", err)
		return ""
	}
	folder := filepath.Join(filepath.Dir(server), "..", "..", typescript)
	if !paths.IsFile(filepath.Join(folder, "lib", "_tsc.js")) && !paths.IsFile(filepath.Join(folder, "lib", "tsc.js")) {
		t.Logf("there is no TypeScript beside %s", server)
		return ""
	}
	if paths.Exists(filepath.Join(folder, "lib", "getExePath.js")) {
		t.Logf("the TypeScript beside %s needs a program for this machine, and the tasks a compiler in one folder", server)
		return ""
	}
	return folder
}

// install puts TypeScript where npm would have put it.
func (w *world) install() {
	w.t.Helper()
	w.bash("mkdir -p node_modules/.bin && cp -r " + compiler(w.t) + " node_modules/typescript && ln -s ../typescript/bin/tsc node_modules/.bin/tsc")
}

// carryOut lets a model do a task in an editor whose user allows everything. It returns the
// number of questions, apart from those about edits.
func (w *world) carryOut(k task) (questions int) {
	w.t.Helper()
	w.unpack(k.commits[0].files)
	for _, c := range k.commits[1:] {
		for _, f := range c.files {
			w.write(f.Name, string(f.Data))
		}
		w.bash("set -e\n" + c.script)
		w.git("add", "-A")
		w.git("commit", "-q", "-m", c.message)
	}
	if slices.Contains(k.needs, typescript) {
		w.install()
	}
	s := w.serve(`{"experimental":{"emendo":{"version":1,"session":true,"permission":true}}}`, `{"trust":"trusted"}`, w.dir)
	w.model.Add(append(slices.Clone(k.calls), geminitest.Say("Done."))...)
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":900,"method":"emendo/session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`, s.session, k.title))
	done := 0
	for over := false; !over; {
		text := s.until("")
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ToolCall struct{ Title, Kind string }
				Update   struct {
					SessionUpdate, Status, Title string
					Meta                         struct{ Emendo struct{ ExitCode int } } `json:"_meta"`
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			w.t.Fatal(err)
		}
		switch {
		case m.Method == "emendo/session/requestPermission":
			if m.Params.ToolCall.Kind != "edit" {
				questions++
				w.t.Logf("asked: %s", m.Params.ToolCall.Title)
			}
			s.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":"selected","optionId":"allow_once"}}`)
		case m.Method == "emendo/session/update" && m.Params.Update.SessionUpdate == "tool_call_update":
			switch m.Params.Update.Status {
			case "failed":
				w.t.Errorf("%s failed: %s", m.Params.Update.Title, text)
				done++
			case "completed":
				done++
				if code := m.Params.Update.Meta.Emendo.ExitCode; code != 0 {
					w.t.Logf("%s: exit %d", m.Params.Update.Title, code)
				}
			}
		case m.Method == "" && string(m.ID) == "900":
			if over = true; !strings.Contains(text, `"end_turn"`) {
				w.t.Errorf("the prompt was answered %s", text)
			}
		}
	}
	if done != len(k.calls) || done < callsOfATask {
		w.t.Errorf("%d of %d calls ended, want at least %d", done, len(k.calls), callsOfATask)
	}
	if questions > 2 {
		w.t.Errorf("%d questions", questions)
	}
	w.bash(k.check)
	return questions
}

// bash runs a script in the workspace as the user, which has to succeed.
func (w *world) bash(script string) {
	w.t.Helper()
	c := exec.CommandContext(w.t.Context(), "bash", "-c", script)
	c.Dir, c.Env = w.dir, w.env
	if out, err := c.CombinedOutput(); err != nil {
		w.t.Errorf("%s: %v\n%s", script, err, out)
	}
}

// readTask reads a task of a workspace, and the project that it is about.
func readTask(t *testing.T, workspace, project, path string) task {
	t.Helper()
	base, err := txtar.ParseFile(project)
	if err != nil {
		t.Fatal(err)
	}
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	k := task{name: taskName(path), commits: []revision{{files: base.Files}}}
	k.needs = strings.Fields(strings.TrimPrefix(string(base.Comment), "needs:"))
	for _, f := range a.Files {
		at := &k.commits[len(k.commits)-1]
		if message, is := strings.CutPrefix(f.Name, "commit: "); is {
			k.commits = append(k.commits, revision{message: message, script: string(f.Data)})
		} else {
			at.files = append(at.files, f)
		}
	}
	lines := strings.Split(strings.TrimSuffix(string(a.Comment), "\n"), "\n")
	k.title = lines[0]
	for n := 1; n < len(lines); {
		verb, rest, _ := strings.Cut(lines[n], " ")
		n++
		body := func(sign string) string {
			var l []string
			for n < len(lines) && strings.HasPrefix(lines[n], sign) {
				l = append(l, strings.TrimPrefix(strings.TrimPrefix(lines[n], sign), " "))
				n++
			}
			return strings.Join(l, "\n")
		}
		words := strings.Fields(rest)
		if verb == "$" || verb == "&" {
			if more := body(">"); more != "" {
				rest += "\n" + more
			}
			rest = strings.ReplaceAll(rest, "WORKSPACE", workspace)
		}
		call := func(tool string, args object) {
			b, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			k.calls = append(k.calls, geminitest.Do(geminitest.Call(tool, string(b))))
		}
		switch verb {
		case "":
		case "check:":
			k.check = rest
		case "$":
			call("run_shell_command", object{"command": rest})
		case "&":
			call("run_shell_command", object{"command": rest, "is_background": true, "delay_ms": 500})
		case "read":
			args := object{"file_path": words[0]}
			for i, name := range []string{"start_line", "end_line"} {
				if len(words) > i+1 {
					args[name] = json.Number(words[i+1])
				}
			}
			call("read_file", args)
		case "list":
			call("list_directory", object{"dir_path": rest})
		case "glob":
			call("glob", object{"pattern": rest})
		case "grep":
			call("grep_search", object{"pattern": rest})
		case "edit":
			old := body("-")
			call("replace", object{"file_path": rest, "old_string": old, "new_string": body("+")})
		case "write":
			call("write_file", object{"file_path": rest, "content": body("+") + "\n"})
		default:
			t.Fatalf("%s: unknown call %q", path, lines[n-1])
		}
	}
	return k
}
