package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// repository returns a workspace with a git repository, a first commit and a user name.
func repository(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.put(filepath.Join(filepath.Dir(w.dir), ".gitconfig"), "[user]\n\tname = u\n\temail = u@example.com\n")
	w.write("a.txt", "one\n")
	w.write(".npmrc", "registry=one\n") // looks like a secret
	w.git("init", "-q", "-b", "main")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "first")
	return w
}

// git runs git as the user.
func (w *world) git(args ...string) string {
	w.t.Helper()
	c := exec.CommandContext(w.t.Context(), "git", args...)
	c.Dir, c.Env = w.dir, w.env
	out, err := c.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

func shellCall(line string) geminitest.Reply {
	b, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		panic(err)
	}
	return geminitest.Do(geminitest.Call("run_shell_command", string(b)))
}

// everyday are common git commands, run in order in the same folder, and their output.
var everyday = []struct{ line, prints string }{
	{"git status --short && git diff --stat && git rev-parse --abbrev-ref HEAD", "main"},
	{"echo two >>a.txt && git diff --name-only", "a.txt"},
	{"git add -A && git commit -q -m second && git log --format=%s -1", "second"},
	{"echo three >>a.txt && git stash -q && git status --short && git stash pop -q && git commit -q -a -m third && git log --format=%s -1", "third"},
	{"git switch -q -c side HEAD~1 && echo b >b.txt && git add b.txt && git commit -q -m side && git switch -q main && git merge -q -m merged side && git log --format=%s -1", "merged"},
	{"git switch -q -c again HEAD~1 && echo c >c.txt && git add c.txt && git commit -q -m again && git rebase -q main && git log --format=%s -2", "again\nmerged"},
	{"git switch -q main && git merge -q --ff-only again && git tag v1 && git describe --tags", "v1"},
	{"git status --short; git fsck --strict --no-dangling 2>&1 | head -n 5; git log --oneline | wc -l", "6"},
}

// Sessions that may run commands can use git at level A: as root and as an ordinary
// user, in yolo mode and with flags that allow all commands.
func TestSessionsWithoutQuestionsCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real commits at every level")
	}
	users := map[string]uint32{"its own user": uint32(os.Getuid())}
	if os.Getuid() == 0 {
		users["an ordinary user"] = 65534
	}
	for name, uid := range users {
		for _, flags := range [][]string{{"--approval-mode", "yolo"}, {"--allowed-tools", "run_shell_command"}} {
			t.Run(name+" "+flags[1], func(t *testing.T) {
				w := repository(t)
				for _, e := range everyday {
					w.model.Add(shellCall(e.line))
				}
				w.model.Add(geminitest.Say("Done."))
				w.env = append(w.env, levelVariable+"=A")
				if uid != uint32(os.Getuid()) {
					w.giveTo(uid)
				}
				out, err := w.start(t.Context(), append([]string{"run", "--trust", "-p", "commit it", "--output-format", "stream-json"}, flags...)...).CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				var printed []string
				for _, l := range (result{stdout: string(out)}).lines(t) {
					if l["type"] == "tool_result" {
						printed = append(printed, l["output"].(string))
					}
				}
				if len(printed) != len(everyday) {
					t.Fatalf("%d calls were answered: %s", len(printed), out)
				}
				for i, e := range everyday {
					if want := "Output:\n<untrusted_context>\n" + e.prints + "\n</untrusted_context>"; printed[i] != want {
						t.Errorf("%s\ngot  %q\nwant %q", e.line, printed[i], want)
					}
				}
			})
		}
	}
}

// commands makes the model run a command line and approves each question. It returns
// the sandbox levels in the questions, and the result of the call.
func (w *world) commands(s *server, line string) (asked []string, result string) {
	w.t.Helper()
	w.model.Add(shellCall(line), geminitest.Say("Done."))
	s.begin(900)
	for {
		text := s.until("")
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ToolCall struct {
					Meta struct {
						Emendo struct{ Sandbox string }
					} `json:"_meta"`
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			w.t.Fatal(err)
		}
		switch {
		case m.Method == "emendo/session/requestPermission":
			asked = append(asked, m.Params.ToolCall.Meta.Emendo.Sandbox)
			s.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":"selected","optionId":"allow_once"}}`)
		case m.Method == "" && string(m.ID) == "900":
			return asked, w.lastResult()
		}
	}
}

// lastResult returns the last result of a call in a request.
func (w *world) lastResult() string {
	w.t.Helper()
	l := w.model.Requests()
	_, text, ok := strings.Cut(string(l[len(l)-1].Body), `"functionResponse"`)
	if !ok {
		w.t.Fatalf("no results in the last request: %s", l[len(l)-1].Body)
	}
	text, _, _ = strings.Cut(text, `"generationConfig"`)
	return text
}

// In an editor a commit is asked about once and runs once, at level A in the sandbox.
// Commands that cannot work in the sandbox are also asked about once, in every mode, and
// run outside.
func TestGitCommandsAreAskedAboutOnce(t *testing.T) {
	const commit = "echo ran >>log/ran && git commit -q -a -m second"
	for _, c := range []struct{ level, mode, line, asked, last string }{
		{"A", "default", commit, "A", "second"},
		{"A", "yolo", commit, "", "second"},
		{"A", "default", "echo ran >>log/ran && git config user.name x && git config user.name", "C", "first"},
		{"A", "yolo", "echo ran >>log/ran && git remote add o u && git branch -D old", "C", "first"},
		{"A", "yolo", "echo ran >>log/ran && git switch far", "C", "first"},
		{"A", "yolo", "echo ran >>log/ran && git worktree add ../tree", "C", "first"},
		{"B", "default", commit, "C", "second"},
		{"B", "yolo", commit, "C", "second"},
		{"B", "yolo", "echo ran >>log/ran && git stash -u && git stash pop", "C", "first"},
		{"B", "yolo", "echo ran >>log/ran && git status --short", "", "first"},
		{"C", "default", commit, "C", "second"},
	} {
		t.Run(c.level+" "+c.mode+" "+c.line, func(t *testing.T) {
			w := repository(t)
			w.git("branch", "old")
			w.git("update-ref", "refs/remotes/origin/far", "HEAD")
			w.git("config", "remote.origin.url", "nowhere")
			w.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
			w.env = append(w.env, levelVariable+"="+c.level)
			w.write("a.txt", "two\n")
			w.write("log/ran", "")
			s := w.serve(`{"experimental":{"emendo":{"version":1,"permission":true}}}`, `{"trust":"trusted"}`, w.dir)
			if a := s.ask("emendo/session/setMode", fmt.Sprintf(`{"sessionId":%q,"mode":%q}`, s.session, c.mode)); strings.Contains(a, `"error"`) {
				t.Fatal(a)
			}
			asked, result := w.commands(s, c.line)
			if got := strings.Join(asked, " "); got != c.asked {
				t.Errorf("asked about %d times, to run at %q; want %q", len(asked), got, c.asked)
			}
			if b, _ := os.ReadFile(filepath.Join(w.dir, "log", "ran")); string(b) != "ran\n" {
				t.Errorf("the line ran as %q; the model got %s", b, result)
			}
			if strings.Contains(result, "Exit Code") {
				t.Errorf("it failed: %s", result)
			}
			if got := w.git("log", "--format=%s", "-1"); got != c.last+"\n" {
				t.Errorf("the last commit is %q", got)
			}
		})
	}
}

// If no user can be asked, the result says what the sandbox blocks, and how the user can
// allow it.
func TestGitOutsideTheSandboxIsDeniedInScripts(t *testing.T) {
	for _, c := range []struct{ level, line, why string }{
		{"A", "git config user.name x", "git config writes git's configuration"},
		{"B", "git commit -q -a -m second", "It writes git's data"},
	} {
		w := repository(t)
		w.env = append(w.env, levelVariable+"="+c.level)
		w.write("a.txt", "two\n")
		w.model.Add(shellCall(c.line), geminitest.Say("Done."))
		w.run("-p", "do it", "--approval-mode", "yolo").wantCode(t, 0)
		if result := w.lastResult(); !strings.Contains(result, c.why) || !strings.Contains(result, "--no-sandbox") {
			t.Errorf("%s at level %s: %s", c.line, c.level, result)
		}
	}
	w := repository(t)
	w.write("a.txt", "two\n")
	w.model.Add(shellCall("git commit -q -a -m second && git config user.name x && git config user.name"), geminitest.Say("Done."))
	w.run("-p", "do it", "--approval-mode", "yolo", "--no-sandbox").wantCode(t, 0)
	if got := w.git("log", "--format=%s by %an", "-1") + w.git("config", "user.name"); got != "second by u\nx\n" {
		t.Errorf("without a sandbox: %q; the model got %s", got, w.lastResult())
	}
}

// In a repository with a tracked secret file, git reports the true status at both
// levels, and the contents of the secret file are not sent.
func TestGitStatusWithTrackedSecrets(t *testing.T) {
	for _, level := range []string{"A", "B"} {
		w := repository(t)
		w.env = append(w.env, levelVariable+"="+level)
		w.write("a.txt", "two\n")
		w.model.Add(shellCall("git status --short && git diff --name-only"))
		w.model.Add(geminitest.Say("Done."))
		w.run("-p", "look", "--approval-mode", "yolo").wantCode(t, 0)
		if result := w.lastResult(); !strings.Contains(result, `\n M a.txt\na.txt\n`) || strings.Contains(result, "npmrc") {
			t.Errorf("level %s: unchanged secret: %s", level, result)
		}
		w.write(".npmrc", "_authToken=canary-21\n")
		look, names := "git status --short && git diff", "withheld"
		if level == "B" {
			look, names = "git diff; git status --short && git diff -- . ':(exclude)*.npmrc'", "which commands cannot read"
		}
		w.model.Add(shellCall(look), geminitest.Say("Done."))
		w.run("-p", "look", "--approval-mode", "yolo").wantCode(t, 0)
		if result := w.lastResult(); !strings.Contains(result, `+two\n`) || !strings.Contains(result, names) || !strings.Contains(result, "/.npmrc") || strings.Contains(result, "canary-21") {
			t.Errorf("level %s: changed secret: %s", level, result)
		}
	}
}

// Git continues if it may not write a protected file. The result reports it.
func TestProtectedFilesThatGitDidNotWriteAreReported(t *testing.T) {
	w := repository(t)
	w.env = append(w.env, levelVariable+"=A")
	w.write(".gitattributes", "* text\n")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "main")
	w.git("switch", "-q", "-c", "other", "HEAD")
	w.write(".gitattributes", "* text=auto\n")
	w.git("commit", "-q", "-a", "-m", "other")
	w.git("switch", "-q", "main")
	w.model.Add(shellCall("git switch -q other"), geminitest.Say("Done."))
	w.run("-p", "go there", "--approval-mode", "yolo").wantCode(t, 0)
	if result := w.lastResult(); !strings.Contains(result, "git could not write protected files here") || !strings.Contains(result, "as changed: .gitattributes. Do not commit that") {
		t.Errorf("got %s", result)
	}
	if got := w.git("log", "--format=%s", "-1") + w.git("status", "--short"); got != "other\n M .gitattributes\n" {
		t.Errorf("got %q", got)
	}
}

// A folder of a clone that git would take for a repository with settings runs nothing,
// with or without a sandbox.
func TestANestedFolderIsNotARepository(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	for _, level := range []string{"A", "B", "C"} {
		w := repository(t)
		w.env = append(w.env, levelVariable+"="+level)
		evil := filepath.Join(w.dir, "evil")
		w.write("evil", "#!/bin/sh\necho ran >>"+w.dir+"/log/ran\ncat \"$1\"\n")
		if err := os.Chmod(evil, 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
		w.write("log/ran", "")
		for _, dir := range []string{"proj", "bare"} {
			w.write(dir+"/HEAD", strings.TrimSpace(w.git("rev-parse", "HEAD"))+"\n")
			w.write(dir+"/a.txt", "x\n")
		}
		w.write("proj/commondir", "../far\n")
		config := "[core]\n\tworktree = ..\n\tfsmonitor = " + evil + "\n\tpager = " + evil + "\n[diff \"x\"]\n\ttextconv = " + evil + "\n[diff]\n\texternal = " + evil + "\n[alias]\n\tlog = !" + evil + "\n"
		for _, dir := range []string{"far", "bare"} {
			w.write(dir+"/config", config)
			w.write(dir+"/refs/x", "")
			w.write(dir+"/info/attributes", "* diff=x\n")
			if out, err := exec.CommandContext(t.Context(), "cp", "-r", w.dir+"/.git/objects", w.dir+"/"+dir+"/objects").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		// The trap works.
		c := exec.CommandContext(t.Context(), "git", "log", "-p")
		c.Dir, c.Env = w.dir+"/proj", w.env
		if out, err := c.CombinedOutput(); err != nil || w.read("log/ran") == "" {
			t.Fatalf("%v: %s", err, out)
		}
		w.write("log/ran", "")
		for _, flags := range [][]string{{"--allowed-tools", "run_shell_command(git log),run_shell_command(git status),run_shell_command(git diff),run_shell_command(cd)"}, {"--approval-mode", "yolo"}} {
			for _, dir := range []string{"proj", "bare"} {
				for _, line := range []string{"git log -p", "git status", "git diff"} {
					w.model.Add(shellCall("cd "+dir+" && "+line), geminitest.Do(geminitest.Call("run_shell_command", `{"command": "`+line+`", "dir_path": "`+dir+`"}`)), shellCall("git -C "+dir+" "+strings.TrimPrefix(line, "git ")))
				}
			}
			w.model.Add(geminitest.Say("Done."))
			w.run(append([]string{"-p", "look"}, flags...)...).wantCode(t, 0)
		}
		if ran := w.read("log/ran"); ran != "" {
			t.Errorf("at level %s the clone's program ran: %s", level, ran)
		}
	}
}
