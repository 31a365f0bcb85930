package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/local/llamatest"
)

// llama starts a real llama.cpp server with a context of that many tokens, whose model
// reads big.txt when it is told to READ.
func llama(t *testing.T, context int) *llamatest.Server {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a llama.cpp server")
	}
	root := filepath.Join("..", "..")
	program := llamatest.Program(t, root)
	var text strings.Builder
	for _, pattern := range []string{"agent/briefing/prompt/*.md", "tools/*.md", "tools/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(b)
		}
	}
	file := filepath.Join(t.TempDir(), "words.gguf")
	err := llamatest.Write(file, llamatest.Options{Text: text.String(), Answers: []llamatest.Answer{
		{Word: llamatest.User, Pieces: []string{"I know ", "no such word."}},
		{Word: llamatest.Tool, Pieces: []string{"The file ", "is read."}},
		{Word: "ZEBRA", Pieces: []string{"A zebra ", "has stripes."}},
		{Word: "READ", Pieces: []string{"<tool_call>\n{\"name\": \"read_file\", ", "\"arguments\": {\"file_path\": \"big.txt\"}}\n</tool_call>"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := llamatest.New(t, program, file)
	s.Start(t, context)
	s.Ready(t)
	return s
}

// A result that does not fit the model's context, since it has a token for each character
// or two, ends neither the turn nor the session, whichever API the server is asked by.
func TestALlamaServerIsSentWhatFitsItsContext(t *testing.T) {
	s := llama(t, 16_384)
	for _, tt := range []struct {
		name, model, settings string
		env                   []string
	}{
		{"llamacpp", "llamacpp/words", `{"model.providers": {"llamacpp": {"baseUrl": "` + s.URL + `"}}}`, nil},
		{"a server of the user's", "lab/words", `{"model.providers": {"lab": {"baseUrl": "` + s.URL + `/v1"}}}`, nil},
		{"the API of Anthropic, which does not say the limit before", "anthropic/words", `{}`, []string{"ANTHROPIC_API_KEY=none", "ANTHROPIC_BASE_URL=" + s.URL}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.settings(tt.settings)
			w.only(tt.env...)
			random, digits := rand.New(rand.NewPCG(1, 2)), "0123456789ABCDEF\n"
			var dense strings.Builder
			for range 60_000 {
				dense.WriteByte(digits[random.IntN(len(digits))])
			}
			w.write("big.txt", dense.String())
			for _, step := range []struct{ prompt, says string }{{"READ it", "The file is read."}, {"READ it again", "The file is read."}, {"and what of a ZEBRA?", "A zebra has stripes."}} {
				args := []string{"-m", tt.model, "-p", step.prompt}
				if step.prompt != "READ it" {
					args = append(args, "--resume", "latest")
				}
				r := w.run(args...)
				r.wantCode(t, exitOK)
				if !strings.Contains(r.stdout, step.says) {
					t.Fatalf("%q is answered by %q, and on standard error\n%s", step.prompt, r.stdout, r.stderr)
				}
			}
		})
	}
}
