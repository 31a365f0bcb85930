package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// args returns the arguments of a call.
func args(t *testing.T, members map[string]any) string {
	t.Helper()
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFilesystem(t *testing.T) {
	c := program(t, "filesystem")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	png, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"a.txt": []byte("one\ntwo\nthree\n"), "b.txt": []byte("other\n"), "dot.png": png, "data.bin": {0, 1, 2}, "sub/c.txt": []byte("deep\n")} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	path := func(name string) string { return args(t, map[string]any{"path": at(name)}) }
	contains := func(w *world, name, want string) {
		w.t.Helper()
		if text, err := os.ReadFile(at(name)); err != nil || string(text) != want {
			w.t.Errorf("%s has %q, %v", name, text, err)
		}
	}
	c.Args = append(c.Args, dir)
	w := open(t, dir, "", c)
	w.each(map[string]func(*world){
		"create_directory": func(w *world) {
			w.wants("create_directory", path("new/inner"), "Successfully created")
			if info, err := os.Stat(at("new/inner")); err != nil || !info.IsDir() {
				w.t.Errorf("the folder is not there: %v", err)
			}
		},
		"directory_tree": func(w *world) { w.wants("directory_tree", path("sub"), `"c.txt"`, `"file"`) },
		"edit_file": func(w *world) {
			edits := []map[string]string{{"oldText": "other", "newText": "another"}}
			w.wants("edit_file", args(w.t, map[string]any{"path": at("b.txt"), "edits": edits}), "-other", "+another")
			contains(w, "b.txt", "another\n")
			w.fails("edit_file", args(w.t, map[string]any{"path": at("b.txt"), "edits": []map[string]string{{"oldText": "none", "newText": "x"}}}), "Could not find")
		},
		"get_file_info":             func(w *world) { w.wants("get_file_info", path("a.txt"), "size: 14", "isFile: true") },
		"list_allowed_directories":  func(w *world) { w.wants("list_allowed_directories", `{}`, dir) },
		"list_directory":            func(w *world) { w.wants("list_directory", path("."), "[FILE] a.txt", "[DIR] sub") },
		"list_directory_with_sizes": func(w *world) { w.wants("list_directory_with_sizes", path("."), "[FILE] a.txt", "14 B") },
		"move_file": func(w *world) {
			w.wants("move_file", args(w.t, map[string]any{"source": at("sub/c.txt"), "destination": at("sub/d.txt")}), "Successfully moved")
			contains(w, "sub/d.txt", "deep\n")
		},
		"read_file": func(w *world) { w.wants("read_file", path("a.txt"), "one\ntwo\nthree") },
		"read_media_file": func(w *world) {
			if r := w.wants("read_media_file", path("dot.png"), "image/png"); len(r.Blobs) != 1 || string(r.Blobs[0].Data) != string(png) {
				w.t.Errorf("its data are %v", r.Blobs)
			}
			w.wants("read_media_file", path("data.bin"), "3 bytes")
		},
		"read_multiple_files": func(w *world) {
			w.wants("read_multiple_files", args(w.t, map[string]any{"paths": []string{at("a.txt"), at("none.txt")}}), "one\ntwo", "none.txt: Error")
		},
		"read_text_file": func(w *world) {
			w.wants("read_text_file", args(w.t, map[string]any{"path": at("a.txt"), "head": 2}), "one\ntwo")
			w.fails("read_text_file", `{"path":"/etc/hostname"}`, "outside allowed directories")
		},
		"search_files": func(w *world) {
			w.wants("search_files", args(w.t, map[string]any{"path": dir, "pattern": "**/dot.*"}), at("dot.png"))
		},
		"write_file": func(w *world) {
			w.wants("write_file", args(w.t, map[string]any{"path": at("w.txt"), "content": "wörds\n"}), "Successfully wrote")
			contains(w, "w.txt", "wörds\n")
		},
	})
}

// The tests of the tools run by name, so those that delete do so before those that read.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	c := program(t, "memory")
	c.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.json")}
	w := open(t, dir, "", c)
	entity := func(name, says string) map[string]any {
		return map[string]any{"name": name, "entityType": "program", "observations": []string{says}}
	}
	relation := map[string]any{"relations": []map[string]string{{"from": "emendo", "to": "gopls", "relationType": "asks"}}}
	add := func(w *world) {
		w.wants("create_entities", args(w.t, map[string]any{"entities": []any{entity("emendo", "is an agent"), entity("gopls", "is a server")}}))
		w.wants("create_relations", args(w.t, relation))
	}
	w.each(map[string]func(*world){
		"add_observations": func(w *world) {
			add(w)
			w.wants("add_observations", `{"observations":[{"entityName":"emendo","contents":["speaks MCP"]}]}`, "speaks MCP")
			w.fails("add_observations", `{"observations":[{"entityName":"nobody","contents":["x"]}]}`, "nobody")
		},
		"create_entities": func(w *world) {
			w.wants("create_entities", args(w.t, map[string]any{"entities": []any{entity("vim", "is an editor")}}), "vim")
		},
		"create_relations": func(w *world) {
			w.wants("create_relations", `{"relations":[{"from":"vim","to":"emendo","relationType":"shows"}]}`, "shows")
		},
		"delete_entities": func(w *world) {
			w.wants("delete_entities", `{"entityNames":["vim"]}`, "deleted")
		},
		"delete_observations": func(w *world) {
			w.wants("delete_observations", `{"deletions":[{"entityName":"emendo","observations":["speaks MCP"]}]}`, "deleted")
		},
		"delete_relations": func(w *world) {
			w.wants("delete_relations", args(w.t, relation), "deleted")
		},
		"open_nodes": func(w *world) { w.wants("open_nodes", `{"names":["gopls"]}`, "is a server") },
		"read_graph": func(w *world) {
			r := w.wants("read_graph", `{}`, "is an agent", "is a server")
			for _, gone := range []string{"vim", "asks", "speaks MCP"} {
				w.lacks(r.Raw, gone)
			}
		},
		"search_nodes": func(w *world) { w.lacks(w.wants("search_nodes", `{"query":"agent"}`, "emendo").Raw, "gopls") },
	})
}
