package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

func TestSessionsAreListedNewestFirst(t *testing.T) {
	w := newWorld(t, geminitest.Say("A."), geminitest.Say("B."), geminitest.Say("C."))
	if r := w.exec("sessions", "list", "--json"); strings.TrimSpace(r.stdout) != "[]" {
		t.Errorf("none are listed as %q", r.stdout)
	}
	w.run("-p", "the older one", "--session-id", "older").wantCode(t, 0)
	w.run("-p", "the newer one\nwith a second line", "--session-id", "newer").wantCode(t, 0)
	r := w.exec("sessions", "list")
	r.wantCode(t, 0)
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "newer ") || !strings.Contains(lines[0], "1 turn ") || !strings.HasSuffix(lines[1], "the older one") {
		t.Errorf("listed\n%s", r.stdout)
	}
	var all []acp.SessionInfo
	if err := json.Unmarshal([]byte(w.exec("sessions", "list", "--json").stdout), &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].SessionID != "newer" || all[0].Cwd != w.dir || all[0].Turns != 1 || all[0].Mode != "default" || all[0].Usage.TotalTokens == 0 {
		t.Errorf("listed %+v", all)
	}
	w.run("-p", "again", "--resume", "older").wantCode(t, 0)
	if r := w.exec("sessions", "list"); !strings.HasPrefix(r.stdout, "older ") || !strings.Contains(r.stdout, "2 turns") {
		t.Errorf("after the older one was used:\n%s", r.stdout)
	}
}

func TestShowSession(t *testing.T) {
	w := newWorld(t, job()...)
	w.write("a.txt", "one\n")
	w.run(append(jobFlags, "--session-id", "mine")...).wantCode(t, 0)
	r := w.exec("sessions", "show", "mine")
	r.wantCode(t, 0)
	at := 0
	for _, words := range []string{
		"# make it two\n", "mine · " + w.dir, "\n## You\n\nmake it two\n", "\n## emendo\n\n- `", "a.txt", "\nI change it.\n", "\n- `", "cat a.txt; exit 3", "\nIt is two now.\n",
	} {
		i := strings.Index(r.stdout[at:], words)
		if i < 0 {
			t.Fatalf("%q is missing or out of order:\n%s", words, r.stdout)
		}
		at += i
	}
	var whole struct {
		Session acp.SessionInfo
		Updates []struct{ Seq int64 }
	}
	if err := json.Unmarshal([]byte(w.exec("sessions", "show", "mine", "--json").stdout), &whole); err != nil {
		t.Fatal(err)
	}
	if whole.Session.SessionID != "mine" || len(whole.Updates) < 10 || whole.Updates[0].Seq != 1 {
		t.Errorf("as JSON it is %+v", whole.Session)
	}
}

func TestDeletedSessionIsGone(t *testing.T) {
	w := newWorld(t, geminitest.Say("A."))
	w.run("-p", "hi", "--session-id", "mine").wantCode(t, 0)
	checkpoints, record := filepath.Join(w.home, "state", "checkpoints", "mine"), filepath.Join(w.home, "state", "chats", "begun", "mine.json")
	w.put(filepath.Join(checkpoints, "changes.jsonl"), "{}\n")
	w.put(record, "[]")
	w.exec("sessions", "delete", "mine").wantCode(t, 0)
	for _, kept := range []string{checkpoints, record} {
		if _, err := os.Stat(kept); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", kept, err)
		}
	}
	w.exec("sessions", "show", "mine").wantCode(t, exitInput)
	if l, err := filepath.Glob(filepath.Join(w.home, "state", "sessions", "*", "*.jsonl")); err != nil || len(l) > 0 {
		t.Errorf("files left: %v, %v", l, err)
	}
	outside := filepath.Join(w.home, "state", "keep.jsonl")
	w.put(outside, "x")
	w.exec("sessions", "delete", "../../keep").wantCode(t, exitInput)
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

func TestASessionSurvivesItsFolder(t *testing.T) {
	w := newWorld(t, geminitest.Say("One."), geminitest.Say("Two."))
	w.write("old/a.txt", "a\n")
	w.write("new/a.txt", "a\n")
	w.run("-p", "first question", "--cwd", "old", "--session-id", "mine").wantCode(t, 0)
	if err := os.RemoveAll(filepath.Join(w.dir, "old")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"show", "mine"}, {"export", "mine"}, {"list"}} {
		if r := w.exec(append([]string{"sessions"}, args...)...); r.code != 0 || !strings.Contains(r.stdout, "first question") {
			t.Errorf("sessions %v: exit %d, %s%s", args, r.code, r.stdout, r.stderr)
		}
	}
	r := w.run("-p", "again", "--resume", "mine")
	r.wantCode(t, exitInput)
	r.wantLine(t, filepath.Join(w.dir, "old"), "no longer exists", "--cwd")
	r = w.run("-p", "again", "--resume", "mine", "--cwd", "new")
	r.wantCode(t, 0)
	r.wantLine(t, "its copy", filepath.Join(w.dir, "new"))
	l := w.model.Requests()
	if body := string(l[len(l)-1].Body); r.stdout != "Two.\n" || !strings.Contains(body, "first question") || !strings.Contains(body, filepath.Join(w.dir, "new")) {
		t.Errorf("printed %q, sent %s", r.stdout, body)
	}
}

func TestAnUnreadableLogIsReported(t *testing.T) {
	w := newWorld(t, geminitest.Say("One."))
	w.run("-p", "a question").wantCode(t, 0)
	w.put(filepath.Join(w.home, "state", "sessions", "0000000000000000", "20260101T000000Z-broken.jsonl"), "no record\n")
	r := w.exec("sessions", "list")
	r.wantCode(t, 0)
	r.wantLine(t, "broken.jsonl", "not listed")
	if !strings.Contains(r.stdout, "a question") {
		t.Errorf("listed %s", r.stdout)
	}
}
