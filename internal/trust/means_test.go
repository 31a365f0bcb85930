package trust_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/internal/trust"
)

// An approval covers the files that an entry names by variables.
func TestApprovalCoversWhatVariablesStandFor(t *testing.T) {
	folder := t.TempDir()
	script := filepath.Join(folder, "srv.py")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	store := trust.Open(t.TempDir())
	e := trust.Entry{Kind: trust.Server, Name: "s", Command: "${NONE:-./srv.py}", Means: []string{"./srv.py"}}
	look, err := store.Approved(folder, e)
	if err != nil || !slices.Equal(look.Scripts, []string{script}) {
		t.Fatalf("the entry names %q, %v, want %s", look.Scripts, err, script)
	}
	if err := store.Approve(folder, look); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text string
		want trust.State
	}{{"one", trust.Approved}, {"two", trust.Changed}} {
		write(tt.text)
		if look, err := store.Approved(folder, e); err != nil || look.State != tt.want {
			t.Errorf("with the script %q the state is %v, %v, want %v", tt.text, look.State, err, tt.want)
		}
	}
}

func TestGivenListsTheUsersVariables(t *testing.T) {
	look := trust.Look{Entry: trust.Entry{
		Kind: trust.Server, Env: map[string]string{"LOG": "${env:AWS_SECRET}", "PLAIN": "x", "DIR": "${workspaceFolder}/a"},
		Headers: map[string]string{"X-Client": "Bearer $GITHUB_TOKEN", "B": "${A:-$B}"},
	}}
	want := []string{"AWS_SECRET in the variable LOG", "A in the header B", "B in the header B", "GITHUB_TOKEN in the header X-Client"}
	if got := look.Given(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
