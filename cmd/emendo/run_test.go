package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// job returns the replies of a session that reads, edits, runs a command and answers.
func job() []geminitest.Reply {
	return []geminitest.Reply{
		geminitest.Do(geminitest.Call("read_file", `{"file_path": "a.txt"}`)),
		geminitest.Do(geminitest.Text("I change it. "), geminitest.Call("replace", `{"file_path": "a.txt", "instruction": "two", "old_string": "one\n", "new_string": "two\n"}`)),
		geminitest.Do(geminitest.Call("run_shell_command", `{"command": "cat a.txt; exit 3", "description": "show it"}`)),
		geminitest.Say("It is ", "two now."),
	}
}

var jobFlags = []string{"-p", "make it two", "--approval-mode", "auto_edit", "--allowed-tools", "run_shell_command"}

func jobIn(t *testing.T, format string) (*world, result) {
	t.Helper()
	w := newWorld(t, job()...)
	w.write("a.txt", "one\n")
	r := w.run(append(jobFlags, "--output-format", format)...)
	r.wantCode(t, 0)
	if got := w.read("a.txt"); got != "two\n" {
		t.Errorf("the file is %q", got)
	}
	if r.stderr != "" {
		t.Errorf("standard error is %q", r.stderr)
	}
	return w, r
}

func TestTextIsOnlyTheAnswer(t *testing.T) {
	if _, r := jobIn(t, "text"); r.stdout != "It is two now.\n" {
		t.Errorf("printed %q", r.stdout)
	}
}

// TestNoFormatPrintsAKey: the model may say a key that emendo knows, in pieces too, and
// characters that a terminal obeys.
func TestNoFormatPrintsAKey(t *testing.T) {
	for _, format := range []string{"text", "json", "stream-json"} {
		w := newWorld(t, geminitest.Say("The key is plain", "-words", "-key.", " \u009b31m\u202e"))
		w.env = append(w.env, "OPENAI_API_KEY=plain-words-key")
		r := w.run("-p", "which?", "--output-format", format)
		r.wantCode(t, 0)
		if format != "stream-json" && (strings.Contains(r.stdout, "plain-words-key") || !strings.Contains(r.stdout, "[OPENAI_API_KEY]")) {
			t.Errorf("%s: printed %s", format, r.stdout)
		}
		if strings.ContainsAny(r.stdout, "\u009b\u202e") {
			t.Errorf("%s: printed %q", format, r.stdout)
		}
	}
}

func TestJSONHasTheAnswerAndTheCounts(t *testing.T) {
	_, r := jobIn(t, "json")
	a := r.answer(t)
	if a.SessionID == "" || a.Response != "It is two now." || a.Error != nil {
		t.Errorf("answered %+v", a)
	}
	if a.Stats["tool_calls"] != 3.0 || a.Stats["total_tokens"].(float64) <= a.Stats["output_tokens"].(float64) {
		t.Errorf("counted %v", a.Stats)
	}
	if models := a.Stats["models"].(map[string]any); models[newest(t, "auto")] == nil {
		t.Errorf("the models are %v", models)
	}
}

func TestStreamIsInOrder(t *testing.T) {
	_, r := jobIn(t, "stream-json")
	var got []string
	for _, l := range r.lines(t) {
		at, err := time.Parse("2006-01-02T15:04:05.000Z", l["timestamp"].(string))
		if err != nil || time.Since(at) > time.Minute {
			t.Errorf("the time of %v is %v", l, err)
		}
		s := l["type"].(string)
		if n := len(got); s == "message" && l["delta"] == true && strings.HasPrefix(got[n-1], "message assistant ") {
			got[n-1] += l["content"].(string) // the size of chunks depends on the clock
			continue
		}
		for _, k := range []string{"role", "content", "tool_name", "status"} {
			if v, ok := l[k]; ok {
				s += " " + v.(string)
			}
		}
		got = append(got, s)
	}
	want := []string{
		"init", "message user make it two", "notice",
		"tool_use read_file", "tool_result success",
		"message assistant I change it. ", "tool_use replace", "tool_result success",
		"tool_use run_shell_command", "tool_result success",
		"message assistant It is two now.",
		"result success",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("the lines (-got +want):\n%s", diff)
	}
}

// @-mentions work in scripts too.
func TestAPromptNamesFiles(t *testing.T) {
	w := newWorld(t, geminitest.Say("Seen."))
	w.write("main.go", "package main // seen\n")
	w.write(".env", "KEY=hunter2\n")
	r := w.run("-p", "Explain @main.go and @.env.")
	r.wantCode(t, 0)
	r.wantLine(t, ".env was not sent")
	if body := string(w.model.Requests()[0].Body); !strings.Contains(body, "package main // seen") || strings.Contains(body, "hunter2") {
		t.Errorf("the model is asked %s", body)
	}
}

func TestRetryIsRetracted(t *testing.T) {
	cut := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("Half an "), geminitest.Text("answer")}, End: servertest.Cut}
	w := newWorld(t, cut, geminitest.Say("All of it."))
	r := w.run("-p", "hi", "--output-format", "stream-json")
	r.wantCode(t, 0)
	said := map[string]string{}
	for _, l := range r.lines(t) {
		switch id, _ := l["message_id"].(string); l["type"] {
		case "message":
			if l["role"] == "assistant" {
				said[id] += l["content"].(string)
			}
		case "retract":
			if said[id] == "" {
				t.Errorf("%s is retracted without text", id)
			}
			delete(said, id)
		}
	}
	if len(said) != 1 {
		t.Errorf("text that was not retracted: %v", said)
	}
	for _, s := range said {
		if s != "All of it." {
			t.Errorf("warnings %q", s)
		}
	}
}

func TestCallsThatNeedApprovalAreDenied(t *testing.T) {
	tests := []struct {
		name  string
		flags []string
		call  geminitest.Event
	}{
		{"an edit", nil, geminitest.Call("write_file", `{"file_path": "new.txt", "content": "x"}`)},
		{"a command", nil, geminitest.Call("run_shell_command", `{"command": "docker cp x:/new.txt ."}`)},
		{"a command beside the one that is allowed", []string{"--allowed-tools", "run_shell_command(echo)"}, geminitest.Call("run_shell_command", `{"command": "echo x && docker cp x:/new.txt ."}`)},
		{"an edit in plan mode", []string{"--approval-mode", "plan", "--allowed-tools", "write_file"}, geminitest.Call("write_file", `{"file_path": "new.txt", "content": "x"}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Do(tt.call), geminitest.Say("I could not."))
			r := w.run(append([]string{"-p", "make a file", "--output-format", "stream-json"}, tt.flags...)...)
			r.wantCode(t, 0)
			if found, err := filepath.Glob(filepath.Join(w.dir, "new.txt")); err != nil || len(found) > 0 {
				t.Error("it was made")
			}
			denied := false
			for _, l := range r.lines(t) {
				if l["type"] == "tool_result" {
					e, _ := l["error"].(map[string]any)
					denied = l["status"] == "error" && e["message"] != ""
				}
			}
			if !denied {
				t.Errorf("no tool_result reports it: %s", r.stdout)
			}
		})
	}
}

func TestFailuresInEveryFormat(t *testing.T) {
	loop := geminitest.Do(geminitest.Call("list_directory", `{"dir_path": "."}`))
	tests := []struct {
		name    string
		replies []geminitest.Reply
		flags   []string
		code    int
		says    string
	}{
		{"the turn limit", []geminitest.Reply{loop, loop}, []string{"--max-turns", "2"}, 53, "its limit of model requests"},
		{"a quota that is used up", []geminitest.Reply{geminitest.Exhausted("GenerateRequestsPerDayPerProjectPerModel", 0)}, nil, 1, "quota"},
		{"a request that is refused", []geminitest.Reply{geminitest.Fail(400, "no such thing")}, nil, 1, "no such thing"},
	}
	for _, tt := range tests {
		for _, format := range []string{"text", "json", "stream-json"} {
			t.Run(tt.name+" as "+format, func(t *testing.T) {
				w := newWorld(t, tt.replies...)
				r := w.run(append([]string{"-p", "hi", "--output-format", format}, tt.flags...)...)
				r.wantCode(t, tt.code)
				r.wantLine(t, tt.says)
				switch format {
				case "json":
					if e := r.answer(t).Error; e == nil || e.Code != tt.code || !strings.Contains(e.Message, tt.says) {
						t.Errorf("the error is %+v", e)
					}
				case "stream-json":
					l := r.lines(t)
					if end := l[len(l)-1]; end["type"] != "result" || end["status"] != "error" {
						t.Errorf("the last line is %v", end)
					}
				}
			})
		}
	}
}

// A model that never ends its turn, and makes no loop that is detected.
func TestAnUnattendedTurnIsLimited(t *testing.T) {
	for _, tt := range []struct {
		name   string
		calls  int // before the model answers
		flags  []string
		config string
		code   int
		asked  int
	}{
		{name: "by default", calls: 110, code: 53, asked: 100},
		{name: "by the settings", calls: 110, config: `"model.maxSessionTurns": 2`, code: 53, asked: 2},
		{name: "by a flag", calls: 110, flags: []string{"--max-turns", "3"}, config: `"model.maxSessionTurns": 2`, code: 53, asked: 3},
		{name: "not at all", calls: 101, config: `"model.maxSessionTurns": -1`, asked: 102},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var replies []geminitest.Reply
			for i := range tt.calls {
				replies = append(replies, geminitest.Do(geminitest.Call("glob", fmt.Sprintf(`{"pattern": "nothing%d"}`, i))))
			}
			w := newWorld(t, append(replies, geminitest.Say("Done."))...)
			// A judge of loops would be a request too.
			w.put(filepath.Join(w.home, "config", "settings.json"), `{"model.disableLoopDetection": true, `+tt.config+`}`)
			w.run(append([]string{"-p", "search"}, tt.flags...)...).wantCode(t, tt.code)
			if n := len(w.model.Requests()); n != tt.asked {
				t.Errorf("the model was asked %d times, want %d", n, tt.asked)
			}
		})
	}
}

// A session that was in another mode elsewhere begins in the mode of this command.
func TestAResumedSessionBeginsInTheModeOfTheFlags(t *testing.T) {
	write := geminitest.Do(geminitest.Call("write_file", `{"file_path": "a.txt", "content": "a\n"}`))
	for _, tt := range []struct {
		name   string
		flags  []string
		config string
		writes bool
	}{
		{name: "none", writes: false},
		{name: "a flag", flags: []string{"--approval-mode", "auto_edit"}, writes: true},
		{name: "a setting", config: `{"general.defaultApprovalMode": "auto_edit"}`, writes: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Say("One."), write, geminitest.Say("Two."))
			w.run("-p", "hi", "--approval-mode", "yolo", "--session-id", "mine").wantCode(t, 0)
			if tt.config != "" {
				w.put(filepath.Join(w.home, "config", "settings.json"), tt.config)
			}
			w.run(append([]string{"-p", "again", "--resume", "mine"}, tt.flags...)...).wantCode(t, 0)
			if _, err := os.Stat(filepath.Join(w.dir, "a.txt")); (err == nil) != tt.writes {
				t.Errorf("the file was written: %v, want %v", err == nil, tt.writes)
			}
		})
	}
}

func TestSessionIsResumed(t *testing.T) {
	w := newWorld(t, geminitest.Say("One."), geminitest.Say("Two."), geminitest.Say("Three."), geminitest.Say("Four."))
	first := w.run("-p", "first question", "--output-format", "json", "--session-id", "mine").answer(t)
	if first.SessionID != "mine" {
		t.Errorf("the session is %q", first.SessionID)
	}
	for _, which := range []string{"latest", "1", "mine"} {
		a := w.run("-p", "again", "--output-format", "json", "--resume", which).answer(t)
		if a.SessionID != "mine" || a.Error != nil {
			t.Errorf("--resume %s continued %+v", which, a)
		}
	}
	l := w.model.Requests()
	if last := l[len(l)-1]; len(last.Contents) != 7 || !strings.Contains(string(last.Body), "first question") {
		t.Errorf("the last request has %d contents", len(last.Contents))
	}
	w.run("-p", "hi", "--session-id", "mine").wantCode(t, exitInput)
	w.exec("run", "-p", "hi", "--resume", "2").wantCode(t, exitInput)
}

func TestASessionIDMayBeANumber(t *testing.T) {
	w := newWorld(t, geminitest.Say("One."), geminitest.Say("Two."), geminitest.Say("Three."), geminitest.Say("Four."))
	w.run("-p", "the first", "--session-id", "other").wantCode(t, 0)
	w.run("-p", "the build", "--session-id", "1").wantCode(t, 0)
	for _, flags := range [][]string{{"--resume", "1"}, {"--resume", "1", "--session-id", "1"}} {
		if a := w.run(append(flags, "-p", "again", "--output-format", "json")...).answer(t); a.SessionID != "1" || a.Error != nil {
			t.Errorf("%v continued %+v", flags, a)
		}
	}
}

func TestResumedSessionKeepsItsFolders(t *testing.T) {
	w := newWorld(t, geminitest.Say("One."), geminitest.Do(geminitest.Call("read_file", `{"file_path": "a.txt"}`)), geminitest.Say("Two."))
	w.write("inner/a.txt", "in the folder\n")
	w.write("other/b.txt", "b\n")
	w.run("-p", "hi", "--cwd", "inner", "--session-id", "mine").wantCode(t, 0)
	w.run("-p", "again", "--resume", "mine").wantCode(t, 0)
	l := w.model.Requests()
	if body := string(l[len(l)-1].Body); !strings.Contains(body, "in the folder") {
		t.Error("the session's folder is not where it was")
	}
	r := w.run("-p", "again", "--resume", "mine", "--include-directories", "other")
	r.wantCode(t, exitInput)
	r.wantLine(t, "folders cannot change")
}

func TestSettingsAreChecked(t *testing.T) {
	tests := []struct {
		name, settings string
		code           int
		says           string
	}{
		{"no JSON", "{\n  \"model\": {\n    \"name\": \"x\",,\n  }\n}\n", 52, "settings.json:3:"},
		{"a wrong type", `{"model": {"name": 17}}`, 52, "settings.json:1:"},
		{"an unknown key", "{\n  \"model\": {\n    \"naem\": \"x\"\n  }\n}\n", 0, "settings.json:3:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Say("Hello."))
			file := filepath.Join(w.home, "config", "settings.json")
			w.put(file, tt.settings)
			r := w.run("-p", "hi")
			r.wantCode(t, tt.code)
			r.wantLine(t, tt.says)
			if !strings.HasPrefix(r.stderr, file) {
				t.Errorf("the line does not begin with the file: %q", r.stderr)
			}
		})
	}
}

func TestModeOfTheSettingsNeedsTrust(t *testing.T) {
	edit := geminitest.Do(geminitest.Call("write_file", `{"file_path": "new.txt", "content": "x"}`))
	w := newWorld(t, edit, geminitest.Say("No."), edit, geminitest.Say("Yes."))
	w.put(filepath.Join(w.home, "config", "settings.json"), `{"general": {"defaultApprovalMode": "auto_edit"}}`)
	w.exec("run", "-p", "hi").wantCode(t, 0)
	if found, _ := filepath.Glob(filepath.Join(w.dir, "*")); len(found) > 0 { //nolint:errcheck // the pattern is good
		t.Errorf("a restricted folder was written to: %v", found)
	}
	w.run("-p", "hi").wantCode(t, 0)
	if got := w.read("new.txt"); got != "x" {
		t.Errorf("the file is %q", got)
	}
}

func TestToolNamesAreChecked(t *testing.T) {
	r := newWorld(t, geminitest.Say("Hello.")).run("-p", "hi", "--allowed-tools", "run_shell,read_file")
	r.wantCode(t, 0)
	r.wantLine(t, "run_shell", "run_shell_command")
}

func TestAnswersCannotControlTheTerminal(t *testing.T) {
	r := newWorld(t, geminitest.Say("red \x1b[31mtext\u202e\a\n\tkept")).run("-p", "hi")
	if want := "red [31mtext\n\tkept\n"; r.stdout != want {
		t.Errorf("printed %q, want %q", r.stdout, want)
	}
}

func TestTheUsersGlobalIgnoreRulesApply(t *testing.T) {
	w := newWorld(t, geminitest.Do(geminitest.Call("glob", `{"pattern": "**/*.txt"}`)), geminitest.Say("Seen."))
	w.put(filepath.Join(filepath.Dir(w.dir), ".gitconfig"), "[core]\n\texcludesFile = ~/rules\n")
	w.put(filepath.Join(filepath.Dir(w.dir), "rules"), "mine.txt\n")
	w.write(".git/HEAD", "ref: refs/heads/main\n")
	w.write(".git/config", "[core]\n\texcludesFile = theirs\n")
	w.write("theirs", "theirs.txt\n")
	w.write("mine.txt", "mine\n")
	w.write("theirs.txt", "theirs\n")
	w.run("-p", "look").wantCode(t, 0)
	l := w.model.Requests()
	if body := string(l[len(l)-1].Body); strings.Contains(body, "mine.txt") || !strings.Contains(body, "theirs.txt") {
		t.Errorf("the model was sent %s", body)
	}
}

// A run cannot ask, so calls that need approval are denied. The user is notified,
// because the model may claim success.
func TestDeniedCallsAreReported(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		w := newWorld(t, geminitest.Do(geminitest.Call("write_file", `{"file_path": "a.txt", "content": "two\n"}`)), geminitest.Say("Done."))
		w.write("a.txt", "one\n")
		r := w.run("-p", "make it two", "--output-format", format)
		r.wantCode(t, 0)
		if want := "emendo: 1 of 1 tool calls were not permitted"; !strings.HasPrefix(r.stderr, want) || !strings.Contains(r.stderr, "--approval-mode") {
			t.Errorf("standard error is %q", r.stderr)
		}
		if format == "json" && r.answer(t).Stats["tool_calls_refused"] != 1.0 {
			t.Errorf("counted %v", r.answer(t).Stats)
		}
		if w.read("a.txt") != "one\n" {
			t.Error("the file was changed")
		}
	}
}
