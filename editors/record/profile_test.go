//go:build editors

package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// initializes is where what editors send in initialize is.
const initializes = "../../lsp/lsptest/initialize"

// TestProfile records the initialize of the editors that the flag -profile names.
func TestProfile(t *testing.T) {
	for name, l := range profiles {
		for _, program := range l {
			d := drivers[name]
			version := versionOf(t, d, program)
			t.Run(name+" "+version, func(t *testing.T) {
				dir, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				e := start(t, d, program, dir)
				text, err := portable(e.server.initialize)
				if err == nil {
					err = os.WriteFile(filepath.Join(initializes, cmp.Or(d.client, name)+"-"+version+".json"), text, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// portable returns the params of initialize with ROOT for the URI of the workspace, and
// without the process and the paths of this machine.
func portable(params json.RawMessage) ([]byte, error) {
	var p map[string]any
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	for _, name := range []string{"processId", "rootPath"} {
		if _, ok := p[name]; ok {
			p[name] = nil
		}
	}
	if _, ok := p["rootUri"]; ok {
		p["rootUri"] = "ROOT"
	}
	if folders, ok := p["workspaceFolders"].([]any); ok && len(folders) == 1 {
		p["workspaceFolders"] = []any{map[string]any{"uri": "ROOT", "name": "work"}}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(p)
	return b.Bytes(), err
}

// TestProfiles checks that the recorded profiles name nothing of the machine on which
// they were recorded.
func TestProfiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(initializes, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d profiles, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "file:/") || strings.Contains(string(text), `"/`) {
			t.Errorf("%s has a path of a machine", file)
		}
		if !strings.Contains(string(text), "ROOT") {
			t.Errorf("%s does not open the workspace", file)
		}
	}
}
