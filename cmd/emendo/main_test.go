package main

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

func TestCommandLineErrors(t *testing.T) {
	tests := []struct {
		name string
		args []string
		code int
		says string
	}{
		{"an unknown command", []string{"frobnicate"}, 42, "lsp, acp, run, review, a2a, demo, sessions, policy, models, doctor, auth, mcp, extensions, trust, completion, man, version"},
		{"an unknown flag", []string{"run", "--no-such-flag", "-p", "hi"}, 42, "no-such-flag"},
		{"an unknown flag of another command", []string{"version", "--yaml"}, 42, "yaml"},
		{"an unknown format", []string{"run", "-p", "hi", "--output-format", "xml"}, 42, "stream-json"},
		{"an unknown mode", []string{"run", "-p", "hi", "--approval-mode", "sometimes"}, 42, "--approval-mode"},
		{"an empty prompt", []string{"run", "-p", ""}, 42, "empty"},
		{"a blank prompt", []string{"run", "-p", " \n"}, 42, "empty"},
		{"no prompt", []string{"run"}, 42, "no prompt"},
		{"two prompts", []string{"run", "-p", "one", "two"}, 42, "two prompts"},
		{"a prompt in two arguments", []string{"run", "fix", "it"}, 42, "quote an argument"},
		{"no number of turns", []string{"run", "-p", "hi", "--max-turns", "many"}, 42, "max-turns"},
		{"no turns at all", []string{"run", "-p", "hi", "--max-turns", "0"}, 42, "--max-turns"},
		{"no tokens at all", []string{"run", "-p", "hi", "--max-tokens", "0"}, 42, "--max-tokens"},
		{"a cost of nothing", []string{"run", "-p", "hi", "--max-cost", "0"}, 42, "--max-cost"},
		{"a cost that is no number", []string{"run", "-p", "hi", "--max-cost", "NaN"}, 42, "--max-cost"},
		{"a folder that is not there", []string{"run", "-p", "hi", "--cwd", "nowhere"}, 42, "nowhere"},
		{"a folder that is a file", []string{"run", "-p", "hi", "--cwd", "a.txt"}, 42, "not a folder"},
		{"a further folder that is not there", []string{"run", "-p", "hi", "--include-directories", "nowhere"}, 42, "--include-directories"},
		{"an unknown session", []string{"run", "--trust", "-p", "hi", "--resume", "none"}, 42, "unknown session"},
		{"no session yet", []string{"run", "-p", "hi", "--resume", "latest"}, 42, "no session"},
		{"no session meant", []string{"run", "-p", "hi", "--resume", ""}, 42, "--resume"},
		{"a session with a number out of range", []string{"run", "-p", "hi", "--resume", "7"}, 42, "no session"},
		{"a session id with a path in it", []string{"run", "-p", "hi", "--session-id", "../x"}, 42, "--session-id"},
		{"two sessions", []string{"run", "-p", "hi", "--session-id", "a", "--resume", "b"}, 42, "different sessions"},
		{"acting in a restricted folder", []string{"run", "-p", "hi", "--approval-mode", "yolo"}, 55, "--trust"},
		{"editing in a restricted folder", []string{"run", "-p", "hi", "--approval-mode", "auto_edit"}, 55, "not trusted"},
		{"an unknown provider", []string{"run", "-p", "hi", "-m", "olama/model"}, 52, `did you mean "ollama"?`},
		{"a provider without a key", []string{"run", "-p", "hi", "-m", "openai/model"}, 41, "OPENAI_API_KEY"},
		{"a recording that is not there", []string{"run", "-p", "hi", "-m", "replay:none.jsonl"}, 1, "none.jsonl"},
		{"two ways to the editor", []string{"lsp", "--stdio", "--socket=1"}, 42, "one of"},
		{"an argument of lsp", []string{"lsp", "x"}, 42, `"x"`},
		{"a pipe that nobody listens on", []string{"lsp", "--pipe=nowhere"}, 1, "connect to the editor"},
		{"trust without a verb", []string{"trust"}, 42, "add|remove|list"},
		{"trust in what is not there", []string{"trust", "add", "nowhere"}, 42, "nowhere"},
		{"trust in two folders", []string{"trust", "add", ".", ".."}, 42, `unexpected argument ".."`},
		{"an unknown verb of trust", []string{"trust", "give"}, 42, "give"},
		{"sessions without a verb", []string{"sessions"}, 42, "list"},
		{"no session to show", []string{"sessions", "show"}, 42, "missing SESSION"},
		{"showing an unknown session", []string{"sessions", "show", "none"}, 42, "unknown session"},
		{"deleting an unknown session", []string{"sessions", "delete", "none"}, 42, "unknown session"},
		{"an argument of demo", []string{"demo", "x"}, 42, `"x"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.write("a.txt", "a\n")
			r := w.exec(tt.args...)
			r.wantCode(t, tt.code)
			r.wantLine(t, "emendo: ", tt.says)
			if r.stdout != "" {
				t.Errorf("standard output is %q", r.stdout)
			}
			if n := len(w.model.Requests()); n != 0 {
				t.Errorf("the model got %d requests", n)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"--help"}, {"help"}, {"run", "-h"}, {"lsp", "--help"}, {"sessions", "-h"}, {"trust", "list", "-h"}, {"help", "mcp", "add"}} {
		r := newWorld(t).exec(args...)
		r.wantCode(t, 0)
		if r.stderr != "" || !strings.Contains(r.stdout, "emendo") {
			t.Errorf("%v prints %q, %q", args, r.stdout, r.stderr)
		}
	}
	if r := newWorld(t).exec(); r.code != 42 || r.stdout != "" || !strings.Contains(r.stderr, "emendo run") {
		t.Errorf("no command: %+v", r)
	}
}

func TestCredentials(t *testing.T) {
	key := "GEMINI_API_KEY=" + geminitest.Key
	tests := []struct {
		name     string
		env      []string
		settings string
		code     int
	}{
		{"there are none", nil, "", 41},
		{"a key", []string{key}, "", 0},
		{"the key under its other name", []string{"GOOGLE_API_KEY=" + geminitest.Key}, "", 0},
		{"the first of two keys", []string{key, "GOOGLE_API_KEY=wrong-key-0000"}, "", 0},
		{"a key that is refused", []string{"GEMINI_API_KEY=wrong-key-0000"}, "", 41},
		{"a gateway that was chosen", nil, `{"security": {"auth": {"selectedType": "gateway"}}}`, 41}, // the fake still requires a key
		{"Vertex without a project", []string{"GOOGLE_GENAI_USE_VERTEXAI=true"}, "", 41},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Say("Hello."))
			w.env = append(withoutKeys(w.env), tt.env...)
			if tt.settings != "" {
				w.put(w.home+"/config/settings.json", tt.settings)
			}
			w.write(".env", key+"\n")
			r := w.run("-p", "hi", "--output-format", "json")
			r.wantCode(t, tt.code)
			if a := r.answer(t); tt.code != 0 && (a.Error == nil || a.Error.Code != tt.code) {
				t.Errorf("the error is %+v", a.Error)
			}
			if strings.Contains(r.stdout+r.stderr, "wrong-key-0000") {
				t.Error("the key is printed")
			}
			if sent := len(w.model.Requests()) > 0; tt.name == "there are none" && (sent || !strings.Contains(r.stderr, "GEMINI_API_KEY")) {
				t.Errorf("requests sent: %v; standard error %q", sent, r.stderr)
			}
		})
	}
}

func withoutKeys(env []string) []string {
	var l []string
	for _, v := range env {
		if !strings.Contains(v, "API_KEY") {
			l = append(l, v)
		}
	}
	return l
}
