package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// reviewed says of the hunks of a session what is known, by file.
func (v visitor) reviewed(id string) string {
	v.t.Helper()
	var l []string
	for _, cs := range ask[sets](v, "emendo/changes/list", params{"sessionId": id}).ChangeSets {
		for _, f := range cs.Files {
			for _, h := range f.Hunks {
				is := h.State
				switch {
				case h.Committed:
					is = "committed"
				case h.Reviewed:
					is = "reviewed"
				}
				l = append(l, filepath.Base(f.URI)+" "+is)
			}
		}
	}
	slices.Sort(l)
	return strings.Join(l, ", ")
}

func (v visitor) want(what, id, want string) {
	v.t.Helper()
	if got := v.reviewed(id); got != want {
		v.t.Errorf("%s: got %s, want %s", what, got, want)
	}
}

// The user's commit counts as review; the model's, one of another process and one made while a
// command runs in the background do not. All of it holds after a restart.
func TestCommitsCountAsReviewIfTheyAreTheUsers(t *testing.T) {
	w := repository(t).trusted()
	change := func(names ...string) geminitest.Reply {
		var calls []geminitest.Event
		for _, name := range names {
			calls = append(calls, geminitest.Call("write_file", fmt.Sprintf(`{"file_path": %q, "content": "new\n"}`, name)))
		}
		return geminitest.Do(calls...)
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		w.write(name, "old\n")
	}
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "old")
	e := w.edit()
	id := ask[oneSession](e, "emendo/session/new", params{"mode": "yolo"}).Session.SessionID
	turn := func(replies ...geminitest.Reply) {
		t.Helper()
		w.model.Add(append(replies, geminitest.Say("Done."))...)
		if end := <-e.begin(id, "go on"); end.StopReason != "end_turn" {
			t.Fatalf("the turn ended with %+v", end)
		}
	}
	turn(change("a", "b", "c", "d", "e"), shellCall("git commit -q -m model b"))
	if got := w.git("log", "-1", "--format=%s"); got != "model\n" {
		t.Fatalf("the model did not commit: %s", w.lastResult())
	}
	e.want("after the model's commit", id, "a accepted, b committed, c accepted, d accepted, e accepted")
	w.git("commit", "-q", "-m", "mine", "a")
	e.want("after the user's", id, "a reviewed, b committed, c accepted, d accepted, e accepted")

	w.model.Add(shellCall("git commit -q -m other c"), geminitest.Say("Done."))
	w.run("-p", "commit it", "--approval-mode", "yolo").wantCode(t, 0)
	e.want("after another process's", id, "a reviewed, b committed, c committed, d accepted, e accepted")
	e.leave()

	w.git("commit", "-q", "-m", "mine", "d")
	e = w.edit()
	ask[oneSession](e, "emendo/session/load", params{"sessionId": id})
	const after = "a reviewed, b committed, c committed, d reviewed, e accepted"
	e.want("after a restart and the user's", id, after)

	turn(geminitest.Do(geminitest.Call("run_shell_command", `{"command": "sleep 600", "is_background": true}`)))
	w.git("commit", "-q", "-m", "mine", "e")
	e.want("while a command runs in the background", id, strings.Replace(after, "e accepted", "e committed", 1))
	e.leave()
}
