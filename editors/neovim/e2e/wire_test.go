//go:build editors

package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/lsp/wiretest"
)

// The environment of the tap: the program that it wraps, and its log file.
const (
	tapProgram = "EMENDO_TAP_PROGRAM"
	tapFile    = "EMENDO_TAP_FILE"
)

// A said is one message on the wire.
type said = wiretest.Message

// tap relays everything between the editor and the language server and logs it. For
// other commands it only runs the program.
func tap(args []string) int {
	return wiretest.Tap{Program: os.Getenv(tapProgram), File: os.Getenv(tapFile)}.Run(args)
}

// wire reads the messages logged so far.
func (w *world) wire() []said {
	w.t.Helper()
	all, err := wiretest.ReadLog(w.tapped)
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// checkAllDeclared checks everything that the servers sent against what the editor
// declared to each, and every response against its request.
func (w *world) checkAllDeclared() {
	w.t.Helper()
	for _, problem := range wiretest.Check(w.wire()) {
		if w.hectic && strings.Contains(problem, "-32602") {
			continue // what the user meant was gone by then
		}
		w.t.Error(problem)
	}
}

// of returns the messages of a method.
func of(all []said, method string) (some []said) {
	for _, s := range all {
		if s.Method == method {
			some = append(some, s)
		}
	}
	return some
}

// params decodes the parameters of a message.
func params[T any](t *testing.T, s said) (v T) {
	t.Helper()
	if err := json.Unmarshal(s.Params, &v); err != nil {
		t.Fatalf("the parameters of %s: %v", s.Method, err)
	}
	return v
}
