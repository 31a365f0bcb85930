package main

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// A secret does not reach the model by way of another name, in the modes that ask nothing.
func TestMovedSecretsStaySecrets(t *testing.T) {
	for _, mode := range []string{"auto_edit", "yolo"} {
		w := newWorld(t,
			geminitest.Do(geminitest.Call("move_file", `{"source_path": ".env", "destination_path": "env.txt"}`)),
			geminitest.Do(geminitest.Call("read_file", `{"file_path": "env.txt"}`), geminitest.Call("read_file", `{"file_path": "plain.txt"}`)),
			geminitest.Say("Done."))
		w.write(".env", "PASSWORD=canary-19\n")
		w.write("plain.txt", "plain-text\n")
		w.run("-p", "hi", "--approval-mode", mode).wantCode(t, 0)
		said := string(w.model.Requests()[2].Body)
		if strings.Contains(said, "canary-19") || !strings.Contains(said, "plain-text") || !strings.Contains(said, "looks like it contains secrets") {
			t.Errorf("%s: the model got %s", mode, said)
		}
		if w.read(".env") != "PASSWORD=canary-19\n" {
			t.Errorf("%s: the secret was moved unasked", mode)
		}
	}
}
