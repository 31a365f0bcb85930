package tracker

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

var rewrite = flag.Bool("update", false, "rewrite schemas")

// The schemas equal those in schemas: a change invalidates the providers'
// caches.
func TestSchemas(t *testing.T) {
	for name, p := range map[string]interface{ Derive() json.RawMessage }{
		createName: createParams, updateName: updateParams, getName: getParams, listName: listParams, addName: addParams, visualizeName: visualizeParams,
	} {
		derived := p.Derive()
		got := jsontext.Value(bytes.Clone(derived))
		if err := got.Indent(); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("schemas", name+".json")
		if *rewrite {
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
