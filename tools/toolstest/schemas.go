// Package toolstest checks what all packages of tools have in common.
package toolstest

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

var update = flag.Bool("update", false, "rewrite schemas")

// Params has the schema of a tool's arguments, as [tools.Params] does.
type Params interface{ Schema() json.RawMessage }

// Schemas holds the files in the package's folder testdata/schemas to what the tools' types
// come to: a change of a schema costs users the cache of their provider. The flag
// -update rewrites the files.
func Schemas(t *testing.T, params map[string]Params) {
	t.Helper()
	for name, p := range params {
		derived := p.Schema()
		got := jsontext.Value(bytes.Clone(derived))
		if err := got.Indent(); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", "schemas", name+".json")
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
}
