package code

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

var update = flag.Bool("update", false, "rewrite schemas")

// The stored schemas are those that the types of the arguments declare.
func TestSchemas(t *testing.T) {
	for name, p := range map[string]interface{ Derive() json.RawMessage }{
		"get_diagnostics": getDiagnosticsParams, symbolSchema: symbolParams, "document_symbols": documentSymbolsParams,
		"workspace_symbols": workspaceSymbolsParams, "rename_symbol": renameSymbolParams,
	} {
		got := jsontext.Value(bytes.Clone(p.Derive()))
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
		if !bytes.Equal(want, append(got, '\n')) {
			t.Errorf("%s: go test with -update rewrites it: got %s, want %s", file, got, want)
		}
	}
}
