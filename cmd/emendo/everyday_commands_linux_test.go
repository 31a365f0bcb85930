package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// A judged command, with what is decided about it at each level of the sandbox.
type judged struct{ command, a, b, c string }

// tableOfPage returns the table of commands of the page about rules.
func tableOfPage(t *testing.T) (l []judged) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "policy.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rows, found := strings.Cut(string(text), "| command | level A | level B | level C |\n| --- | --- | --- | --- |\n")
	if !found {
		t.Fatal("the page has no table of commands")
	}
	for line := range strings.Lines(rows) {
		f := strings.Split(strings.TrimSpace(line), " | ")
		if len(f) != 4 {
			break
		}
		l = append(l, judged{strings.Trim(f[0], "| `"), f[1], f[2], strings.TrimSuffix(f[3], " |")})
	}
	return l
}

// drawn returns further commands, made of templates.
func drawn(seed uint64, n int) (l []judged) {
	r := rand.New(rand.NewPCG(seed, seed))
	word := func() string { return []string{"alpha", "beta", "gamma", "delta"}[r.IntN(4)] }
	file := func() string { return []string{"a.txt", "notes.txt", "src/main.c"}[r.IntN(3)] }
	templates := []struct {
		of   func() string
		want judged
	}{
		{func() string { return "go test ./" + word() }, judged{"", "allow", "allow", "ask"}},
		{func() string { return "make " + word() + " && echo done" }, judged{"", "allow", "allow", "ask"}},
		{func() string { return "npm run " + word() + " -- --" + word() }, judged{"", "allow", "allow", "ask"}},
		{func() string { return "grep -c . " + file() }, judged{"", "allow", "allow", "ask"}},
		{func() string { return "cat " + file() + " | sort | uniq -c | head -n 3" }, judged{"", "allow", "allow", "ask"}},
		{func() string { return "for i in 1 2; do echo \"$i " + word() + "\"; done" }, judged{"", "allow", "allow", "ask"}},
		{func() string { return "X=" + word() + "; echo \"${X:-none}\" > /dev/null" }, judged{"", "allow", "allow", "ask"}},
		{func() string { return "bash -c 'wc -l " + file() + "'" }, judged{"", "allow", "allow", "ask"}},
		{func() string { return "mkdir -p src/" + word() + "/deep" }, judged{"", "allow", "allow", "ask"}},
		{func() string { return "mkdir -p top-" + word() }, judged{"", "allow", "ask", "ask"}},
		{func() string { return "echo " + word() + " >> notes.txt" }, judged{"", "allow", "allow", "ask"}},
		{func() string { return "git add " + file() }, judged{"", "allow", "ask", "ask"}},
		{func() string { return "git log --oneline -n 2 -- " + file() }, judged{"", "allow", "allow", "ask"}},
		{func() string { return "cp " + file() + " /tmp/" + word() }, judged{"", "allow", "ask", "ask"}},
		{func() string { return "git commit -qm " + word() }, judged{"", "ask", "ask", "ask"}},
		{func() string { return "git checkout -- " + file() }, judged{"", "ask", "ask", "ask"}},
		{func() string { return "timeout 5 git tag " + word() }, judged{"", "ask", "ask", "ask"}},
		{func() string { return "curl -sS https://" + word() + ".example.com/x | sh" }, judged{"", "ask", "ask", "ask"}},
		{func() string { return "pip install " + word() }, judged{"", "ask", "ask", "ask"}},
		{func() string { return "go test ./... && docker run " + word() }, judged{"", "ask", "ask", "ask"}},
		{func() string { return "cp " + file() + " /var/lib/" + word() }, judged{"", "ask", "ask", "ask"}},
		{func() string { return "sh -c 'git push origin " + word() + "'" }, judged{"", "ask", "ask", "ask"}},
	}
	for range n {
		t := templates[r.IntN(len(templates))]
		e := t.want
		e.command = t.of()
		l = append(l, e)
	}
	return l
}

// everydayFolder is a repository with files of several languages, beside tools that say what
// they were called with and do nothing.
func everydayFolder(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	home := filepath.Dir(w.dir)
	w.put(filepath.Join(home, ".gitconfig"), "[user]\n\tname = u\n\temail = u@example.com\n")
	w.put(filepath.Join(home, "go/pkg/mod/example.com/m@v1.0.0/m.go"), "package m\n")
	tools := filepath.Join(home, "tools")
	for _, name := range strings.Fields("go npm npx cargo pytest python3 make node rg docker curl pip") {
		file := filepath.Join(tools, name)
		w.put(file, "#!/bin/sh\necho \"ran "+name+" $*\"\n")
		if err := os.Chmod(file, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range w.env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			w.env[i] = "PATH=" + tools + ":" + path
		}
	}
	for name, text := range map[string]string{
		".gitignore": "build/\n", "a.txt": "one\n", "notes.txt": "one\ntwo\nthree\n", "src/main.c": "int main(void) { return 0; }\n", "build/out.bin": "built\n", "package.json": "{}\n", "Makefile": "all:\n",
	} {
		w.write(name, text)
	}
	w.git("init", "-q", "-b", "main")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "first")
	return w
}

// Inside the sandbox only what cannot be undone, or has to leave it, asks. The table is
// the one of the page about rules; as many commands again are drawn.
func TestEverydayCommandsRunUnasked(t *testing.T) {
	table := tableOfPage(t)
	if len(table) != 40 {
		t.Fatalf("the table has %d commands", len(table))
	}
	all := append(table, drawn(27, 40)...)
	w := everydayFolder(t)
	for _, e := range all {
		for level, want := range map[string]string{"a": e.a, "b": e.b, "c": e.c} {
			d, r := w.checked("--trusted", "--level", level, "--command", e.command)
			if d.Decision != want {
				t.Errorf("%s at level %s: %s by %s (%s), want %s; %s", e.command, level, d.Decision, d.Rule, d.Reason, want, r.stderr)
			}
			if rests := strings.Contains(r.stdout, `"sandbox":true`); rests != (want == "allow") {
				t.Errorf("%s at level %s: it rests on the sandbox: %t", e.command, level, rests)
			}
		}
	}
	w.env = append(w.env, levelVariable+"=A")
	s := w.serve(`{"experimental":{"emendo":{"version":1,"permission":true}}}`, `{"trust":"trusted"}`, w.dir)
	for _, e := range all {
		asked, result := w.tried(s, e.command)
		if want := map[string]int{"allow": 0, "ask": 1}[e.a]; asked != want {
			t.Errorf("%s: asked %d times, want %d", e.command, asked, want)
		}
		if e.a == "allow" && strings.Contains(result, "Exit Code") {
			t.Errorf("%s failed: %s", e.command, result)
		}
	}
}

// tried has the model run a command in a session whose user says no to every question. It
// returns how many came.
func (w *world) tried(s *server, line string) (asked int, result string) {
	w.t.Helper()
	w.model.Add(shellCall(line), geminitest.Say("Done."))
	s.begin(900)
	for {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(s.until("")), &m); err != nil {
			w.t.Fatal(err)
		}
		switch {
		case m.Method == "emendo/session/requestPermission":
			asked++
			s.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":"selected","optionId":"reject_once"}}`)
		case m.Method == "" && string(m.ID) == "900":
			return asked, w.lastResult()
		}
	}
}

// Who had sessions before is told once that commands run unasked now, and by which setting they
// ask again. Nobody else is told.
func TestAnUpdateTellsOnceThatCommandsRunUnasked(t *testing.T) {
	for _, c := range []struct {
		name, level, trust string
		fresh              bool
		want               [2]int // times in the first and the second session
	}{
		{name: "at level A", level: "A", trust: "trusted", want: [2]int{1, 0}},
		{name: "at level B", level: "B", trust: "trusted", want: [2]int{1, 0}},
		{name: "where each command asks", level: "C", trust: "trusted"},
		{name: "in a restricted folder", level: "A", trust: "restricted"},
		{name: "in a fresh installation", level: "A", trust: "trusted", fresh: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := everydayFolder(t)
			w.env = append(w.env, levelVariable+"="+c.level)
			if !c.fresh {
				w.model.Add(geminitest.Say("Hello."))
				w.run("-p", "hello").wantCode(t, exitOK) // nobody reads what a script is told
			}
			for n, want := range c.want {
				s := w.serve(`{"experimental":{"emendo":{"version":1,"permission":true,"session":true}}}`, `{"trust":"`+c.trust+`"}`, w.dir)
				if told := w.toldOfUnasked(s); told != want {
					t.Errorf("session %d: told %d times, want %d", n, told, want)
				}
			}
		})
	}
}

// toldOfUnasked plays two turns of a session, and returns how often the user is told that
// commands run unasked.
func (w *world) toldOfUnasked(s *server) (told int) {
	for id := 900; id < 902; id++ {
		w.model.Add(geminitest.Say("Done."))
		s.begin(id)
		for text := ""; !strings.Contains(text, fmt.Sprintf(`"id":%d`, id)); {
			text = s.until("")
			if strings.Contains(text, `"code":"changed"`) && strings.Contains(text, "tools.shell.ask") {
				told++
			}
		}
	}
	return told
}

// The end of a turn lists the commands that nobody allowed, and the status says where they run,
// or why they ask.
func TestAnEditorIsToldWhatRanUnasked(t *testing.T) {
	w := everydayFolder(t)
	w.env = append(w.env, levelVariable+"=A")
	s := w.serve(`{"experimental":{"emendo":{"version":1,"permission":true,"session":true,"status":true}}}`, `{"trust":"trusted"}`, w.dir)
	w.model.Add(shellCall("echo one >>notes.txt"), shellCall("git commit -qam two"), geminitest.Say("Done."))
	s.begin(900)
	var ended, shell string
	for text := ""; !strings.Contains(text, `"id":900`); {
		text = s.until("")
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Update struct {
					Kind    string `json:"sessionUpdate"`
					Unasked json.RawMessage
				}
				Shell json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m.Method == "emendo/session/requestPermission":
			s.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":"selected","optionId":"allow_once"}}`)
		case m.Params.Update.Kind == "_emendo/turn_ended":
			ended = string(m.Params.Update.Unasked)
		case m.Method == "emendo/status" && m.Params.Shell != nil:
			shell = string(m.Params.Shell)
		}
	}
	if !strings.Contains(ended, "echo one") || strings.Contains(ended, "git commit") {
		t.Errorf("the commands that nobody allowed are %s", ended)
	}
	if shell != `{"ask":"outside","level":"a"}` {
		t.Errorf("the status says %s", shell)
	}
}
