package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// TestPrompts: where a prompt comes from.
func TestPrompts(t *testing.T) {
	for _, tt := range []struct {
		name, stdin string
		args        []string
		want        string // "": there is none
	}{
		{name: "an argument", args: []string{"ask"}, want: "ask"},
		{name: "standard input", stdin: "ask\n", want: "ask"},
		{name: "both", stdin: "a diff\n", args: []string{"-p", "review"}, want: `a diff\n\n"},{"text":"review`},
		{name: "standard input by its name", stdin: "ask\n", args: []string{"-"}, want: "ask"},
		{name: "the same with the flag", stdin: "ask\n", args: []string{"-p", "-"}, want: "ask"},
		{name: "nothing by its name", args: []string{"-"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Say("ok"))
			w.put(w.home+"/stdin", tt.stdin)
			in, err := os.Open(w.home + "/stdin")
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			t.Chdir(w.dir)
			var out bytes.Buffer
			p := process{args: append([]string{"run"}, tt.args...), env: lookup(w.env), environ: w.env, stdin: in, stdout: &out, stderr: &out}
			code := p.run(t.Context())
			if tt.want == "" {
				if code != exitInput || !strings.Contains(out.String(), "no prompt") {
					t.Errorf("it ended with %d: %s", code, &out)
				}
				return
			}
			if code != exitOK || !strings.Contains(w.lastBody(), `"text":"`+tt.want+`"}`) {
				t.Errorf("it ended with %d: %s", code, w.lastBody())
			}
		})
	}
}

// TestOnlyThePromptNamesFiles: whoever wrote what is piped in chooses no file that
// is sent, and no command, wherever it stands there.
func TestOnlyThePromptNamesFiles(t *testing.T) {
	w := newWorld(t, geminitest.Say("ok"))
	w.put(w.dir+"/private.txt", "for no one else\n")
	w.put(w.dir+"/named.txt", "for the model\n")
	w.put(w.home+"/stdin", "/memory add x\n+ see @private.txt and @problems\n@./private.txt\n")
	in, err := os.Open(w.home + "/stdin")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	t.Chdir(w.dir)
	var out bytes.Buffer
	p := process{args: []string{"run", "-p", "review with @named.txt"}, env: lookup(w.env), environ: w.env, stdin: in, stdout: &out, stderr: &out}
	code := p.run(t.Context())
	sent := w.lastBody()
	if code != exitOK || strings.Contains(sent, "for no one else") || !strings.Contains(sent, "for the model") || !strings.Contains(sent, "see @private.txt") {
		t.Errorf("it ended with %d: %s\n%s", code, &out, sent)
	}
}
