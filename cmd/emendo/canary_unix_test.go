//go:build unix

package main

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// TestTheKeyIsOnlyInRequestHeaders plays sessions with all kinds of failures, and
// a recognizable key.
func TestTheKeyIsOnlyInRequestHeaders(t *testing.T) {
	if testing.Short() {
		t.Skip("traces the program in each way it can be used")
	}
	for _, kept := range []string{"the environment", "a file"} {
		t.Run(kept, func(t *testing.T) {
			w := newWorld(t)
			key := w.model.Key
			if kept == "a file" {
				w.env = slices.DeleteFunc(w.env, func(v string) bool { return strings.HasPrefix(v, "GEMINI_API_KEY=") })
				w.put(filepath.Join(w.home, "config", "keys"), "GEMINI_API_KEY="+key+"\n")
				if err := os.Chmod(filepath.Join(w.home, "config", "keys"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			chat := strings.ReplaceAll(w.readFrom(chats("editor.jsonl")), "What is in notes.txt?", "What is in notes.txt? The key is "+key)
			w.put(filepath.Join(w.dir, "chat"), chat)
			w.exec("sessions", "import", filepath.Join(w.dir, "chat")).wantCode(t, 0)
			if err := os.Remove(filepath.Join(w.dir, "chat")); err != nil {
				t.Fatal(err)
			}
			w.write("noise.txt", strings.Repeat("noise and more noise\n", 8000))
			command := func(line string) geminitest.Reply {
				args, err := json.Marshal(map[string]string{"command": line})
				if err != nil {
					t.Fatal(err)
				}
				return geminitest.Do(geminitest.Call("run_shell_command", string(args)))
			}
			const parents = `cat "/proc/$PPID/environ" "$EMENDO_HOME/config/keys" "$HOME/home/config/keys" 2>/dev/null | tr '\0' '\n'`
			w.model.Add(
				command("env; printenv; set; export -p"),
				command(parents),
				command(parents+"; cat noise.txt; "+parents),
				command(parents+"; exit 3"),
				geminitest.Do(geminitest.Call("run_shell_command", `{"other": 1}`)),
				geminitest.Do(geminitest.Call("save_memory", `{"fact": "`+url.QueryEscape("fact")+`"}`)),
				geminitest.Say("Done."),
				geminitest.Fail(400, "API key "+key+" is not valid; see https://host/?key="+key),
				geminitest.Fail(403, "API key "+key+" is not valid"),
			)
			said := w.run("-p", "print everything", "--session-id", "mine", "--approval-mode", "yolo", "--debug", "--output-format", "stream-json")
			said.wantCode(t, 0)
			outputs := []string{said.stdout, said.stderr}
			for _, format := range []string{"json", "text"} {
				r := w.run("-p", "again", "--resume", "mine", "--debug", "--output-format", format)
				if r.code == 0 {
					t.Errorf("the model's refusal was no error")
				}
				outputs = append(outputs, r.stdout, r.stderr)
			}
			for _, args := range [][]string{{"export", "mine"}, {"export", "--format", "json", "mine"}, {"show", "mine"}, {"list", "--json"}} {
				r := w.exec(append([]string{"sessions"}, args...)...)
				r.wantCode(t, 0)
				outputs = append(outputs, r.stdout, r.stderr)
			}

			for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}, {"policy", "check", "--command", "echo " + key}} {
				r := w.exec(args...)
				outputs = append(outputs, r.stderr)
				if args[0] == "doctor" { // policy check prints its input
					outputs = append(outputs, r.stdout)
				}
			}

			w.model.Add(geminitest.Reply{Events: []geminitest.Event{geminitest.Text("A beginning")}, End: servertest.Stall})
			crash := w.begin("-p", "crash", "--resume", "mine", "--debug")
			crash.until("A beginning")
			if err := crash.Process.Signal(syscall.SIGQUIT); err != nil {
				t.Fatal(err)
			}
			last, _ := crash.end()
			outputs = append(outputs, last, crash.stderr.String())
			if !strings.Contains(crash.stderr.String(), "goroutine") {
				t.Errorf("the crash left no report: %s", crash.stderr)
			}

			for _, o := range outputs {
				check(t, "an output", o, key)
			}
			for _, r := range w.model.Requests() {
				if r.Header.Get("X-Goog-Api-Key") != key {
					t.Error("a request has no key")
				}
				check(t, "a request's body", string(r.Body), key)
				check(t, "a request's path", r.Path, key)
			}
			err := filepath.WalkDir(filepath.Dir(w.home), func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() || path == filepath.Join(w.home, "config", "keys") {
					return err
				}
				b, err := os.ReadFile(path)
				check(t, path, string(b), key)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// check searches for a key in every reversible encoding.
func check(t *testing.T, where, text, key string) {
	t.Helper()
	for _, k := range []string{key, url.QueryEscape(key), base64.StdEncoding.EncodeToString([]byte(key))[:len(key)]} {
		if i := strings.Index(text, k); i >= 0 {
			t.Errorf("%s holds the key: …%q…", where, text[max(0, i-200):min(len(text), i+len(k)+50)])
			return
		}
	}
}
