package shell

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestSchemas(t *testing.T) {
	for name, p := range map[string]interface{ Derive() json.RawMessage }{
		"run_shell_command": New(Options{}).(*tool).params, listName: listParams, "read_background_output": readParams, "kill_background_process": killParams,
	} {
		checkSchema(t, name, p.Derive())
	}
}

var update = flag.Bool("update", false, "rewrite schemas")

// checkSchema holds the file of a schema to what is derived from its type.
func checkSchema(t *testing.T, name string, derived json.RawMessage) {
	t.Helper()
	got := jsontext.Value(bytes.Clone(derived))
	if err := got.Indent(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("schemas", name+".json")
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got)+"\n", string(want)); d != "" {
		t.Errorf("%s: go test with -update rewrites it: %s", file, d)
	}
	if err := (*jsontext.Value)(&want).Compact(); err != nil || !bytes.Equal(want, derived) {
		t.Errorf("%s: compacted, it is not byte for byte what is derived: %v", file, err)
	}
}
