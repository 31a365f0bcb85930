package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Output that goes to a full disk is a failure of its own status, whatever prints it.
func TestOutputToAFullDisk(t *testing.T) {
	for _, args := range [][]string{
		{"run", "-p", "hi"},
		{"run", "-p", "hi", "-o", "json"},
		{"run", "-p", "hi", "-o", "stream-json"},
		{"version"},
		{"sessions", "show", "mine"},
		{"sessions", "export", "mine"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			w := newWorld(t, geminitest.Say("One."), geminitest.Say("Two."))
			w.run("-p", "hi", "--session-id", "mine").wantCode(t, exitOK)
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { full.Close() })
			c := w.start(t.Context(), args...)
			var said bytes.Buffer
			c.Stdout, c.Stderr = full, &said
			_ = c.Run() // the status is checked below
			r := result{code: c.ProcessState.ExitCode(), stderr: said.String()}
			r.wantCode(t, exitTool)
			r.wantLine(t, "no space left on device")
		})
	}
}
