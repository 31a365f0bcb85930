package lookup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/patch"
	"github.com/emendo-dev/emendo/tools/shell"
	"github.com/emendo-dev/emendo/tools/web"
)

func TestCanonicalArguments(t *testing.T) {
	s := tools.Replace.Spec()
	for _, c := range []struct{ name, args, want string }{
		{"nothing to change", `{"file_path": "a"}`, `{"file_path": "a"}`},
		{"path", `{"path":"a","old_string":"{}"}`, `{"file_path":"a","old_string":"{}"}`},
		{"absolute_path", `{"old_string":"b","absolute_path":"a"}`, `{"file_path":"a","old_string":"b"}`},
		{"both names", `{"path":"a","file_path":"b"}`, `{"path":"a","file_path":"b"}`},
		{"two synonyms", `{"path":"a","absolute_path":"b"}`, `{"file_path":"b","path":"a"}`},
		{"wait_for_previous", `{"wait_for_previous":true,"file_path":"a"}`, `{"file_path":"a"}`},
		{"wait_for_previous alone", `{"wait_for_previous":true}`, `{}`},
		{"not an object", `["path"]`, `["path"]`},
		{"a name twice", `{"path":"a","path":"b"}`, `{"path":"a","path":"b"}`},
		{"broken", `{"path":`, `{"path":`},
		{"empty", ``, ``},
	} {
		if got := string(Canonical(s, json.RawMessage(c.args))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAShellCommandThatIsAPatchIsOne(t *testing.T) {
	const text = "*** Begin Patch\n*** Delete File: a\n*** End Patch"
	for command, want := range map[string]string{
		"apply_patch <<'EOF'\n" + text + "\nEOF\n":         "apply_patch",
		"apply_patch << \"END\"\n" + text + "\nEND":        "apply_patch",
		"apply_patch <<EOF\n--- a\n+++ a\n@@\n-x\n+y\nEOF": "apply_patch",
		"apply_patch '" + text + "'":                       "apply_patch",
		"apply_patch <<'EOF'\n" + text + "\nEOF\nrm b":     "run_shell_command",
		"apply_patch <<'EOF'\n" + text + "\nEOF\nls":       "run_shell_command",
		"apply_patch <<'EOF'\n" + text + "\nEOF\nls\nEOF":  "run_shell_command",
		"apply_patch '" + text + "'; rm 'b'":               "run_shell_command",
		"cd x && apply_patch <<'EOF'\n" + text + "\nEOF\n": "run_shell_command",
		"cat <<'EOF'\n" + text + "\nEOF\n":                 "run_shell_command",
	} {
		args, err := json.Marshal(map[string]string{"command": command, "description": "d"})
		if err != nil {
			t.Fatal(err)
		}
		if got := Name("run_shell_command", args); got != want {
			t.Errorf("%q is a call of %s", command, got)
		}
		if want != "apply_patch" {
			continue
		}
		var given map[string]string
		if err := json.Unmarshal(Canonical(patch.Tool.Spec(), args), &given); err != nil || len(given) != 1 || given["patch"] != command {
			t.Errorf("%q has the arguments %v, %v", command, given, err)
		}
	}
	if got := Name("shell", json.RawMessage(`{"command":["apply_patch","*** Begin Patch"]}`)); got != "apply_patch" {
		t.Errorf("a list of words is a call of %s", got)
	}
}

func TestPlainPaths(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/b", "@named/c"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	env := tools.Env{Dir: dir, Snapshot: ide.NewWorkspace(tree, ide.UTF16).Snapshot()}
	for args, want := range map[string]string{
		`{"file_path": "a/b"}`:                  `{"file_path": "a/b"}`,
		`{"file_path":"@a/b","content":"@"}`:    `{"content":"@","file_path":"a/b"}`,
		`{"file_path":"\u0040@a/new"}`:          `{"file_path":"a/new"}`,
		`{"dir_path":"@a","pattern":"@x"}`:      `{"dir_path":"a","pattern":"@x"}`,
		`{"file_path":"@named/c"}`:              `{"file_path":"@named/c"}`,
		`{"file_path":"@named/new"}`:            `{"file_path":"@named/new"}`,
		`{"file_path":"@"}`:                     `{"file_path":"@"}`,
		`{"file_path":["@a"]}`:                  `{"file_path":["@a"]}`,
		`{"file_path":"@a/b","file_path":"@a"}`: `{"file_path":"@a/b","file_path":"@a"}`,
	} {
		if got := string(PlainPaths(env, json.RawMessage(args))); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	offered := []string{"read_file", "list_directory", "glob", "grep_search", "replace", "write_file", "run_shell_command"}
	for name, want := range map[string]string{
		"edit": "replace", "ls": "list_directory", "bash": "run_shell_command", "Read_File": "read_file", "ReadFile": "read_file", "readfile": "read_file",
		"grep": "grep_search", "run_shell_comand": "run_shell_command", "write-file": "write_file", "str_replace": "replace",
	} {
		if got := Unknown(name, offered).Message; got != `unknown tool "`+name+`"; did you mean `+want+`?` {
			t.Error(got)
		}
	}
	if got, want := Unknown("frobnicate", offered[:2]).Message, `unknown tool "frobnicate"; the tools are read_file, list_directory`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := Unknown("bash", offered[:1]).Message, `unknown tool "bash"; the tools are read_file`; got != want {
		t.Errorf("a tool that was not offered: got %s, want %s", got, want)
	}
	if Find(tools.Reading(), "search_file_content") == nil || Find(tools.Reading(), "edit") != nil {
		t.Error("aliases")
	}
}

// Calls as models make them that were trained with the tools of other agents.
func TestCallsOfOtherAgents(t *testing.T) {
	all := append(tools.All(), shell.All(shell.Options{})...)
	all = append(all, web.All(web.Options{})...)
	for _, tt := range []struct{ name, args, tool, want string }{
		{"Read", `{"file_path":"a.go","offset":3}`, "read_file", `{"file_path":"a.go","start_line":3}`},
		{"read_file", `{"target_file":"a.go","start_line_one_indexed":1,"end_line_one_indexed_inclusive":9}`, "read_file", `{"end_line":9,"file_path":"a.go","start_line":1}`},
		{"Edit", `{"file_path":"a.go","old_string":"x","new_string":"y","replace_all":true}`, "replace", `{"allow_multiple":true,"file_path":"a.go","new_string":"y","old_string":"x"}`},
		{"str_replace", `{"path":"a.go","old_str":"x","new_str":"y"}`, "replace", `{"file_path":"a.go","new_string":"y","old_string":"x"}`},
		{"Write", `{"file_path":"a.go","content":"x"}`, "write_file", `{"file_path":"a.go","content":"x"}`},
		{"create_file", `{"path":"a.go","file_text":"x"}`, "write_file", `{"content":"x","file_path":"a.go"}`},
		{"Bash", `{"command":"ls","description":"List","run_in_background":true}`, "run_shell_command", `{"command":"ls","description":"List","is_background":true}`},
		{"shell", `{"command":"ls","workdir":"sub"}`, "run_shell_command", `{"command":"ls","dir_path":"sub"}`},
		{"Grep", `{"pattern":"x","path":"sub","glob":"*.go","head_limit":5}`, "grep_search", `{"dir_path":"sub","include_pattern":"*.go","pattern":"x","total_max_matches":5}`},
		{"Glob", `{"pattern":"**/*.go","path":"sub"}`, "glob", `{"dir_path":"sub","pattern":"**/*.go"}`},
		{"LS", `{"path":"sub"}`, "list_directory", `{"dir_path":"sub"}`},
		{"WebFetch", `{"url":"https://a.test/","prompt":"What is it?"}`, "web_fetch", `{"url":"https://a.test/","prompt":"What is it?"}`},
		{"WebSearch", `{"search_term":"go"}`, "google_web_search", `{"query":"go"}`},
	} {
		found := Find(all, tt.name)
		if found == nil {
			t.Errorf("%s: no tool", tt.name)
			continue
		}
		s := found.Spec()
		if got := string(Canonical(s, json.RawMessage(tt.args))); s.Name != tt.tool || got != tt.want {
			t.Errorf("%s: got %s %s, want %s %s", tt.name, s.Name, got, tt.tool, tt.want)
		}
		var known struct{ Properties map[string]json.RawMessage }
		if err := json.Unmarshal(s.Schema, &known); err != nil {
			t.Fatal(err)
		}
		for from, to := range s.Synonyms {
			if known.Properties[to] == nil || known.Properties[from] != nil {
				t.Errorf("%s: %s stands for %s", s.Name, from, to)
			}
		}
	}
	// No name means two tools, and none hides one.
	seen := map[string]string{}
	for _, tool := range all {
		s := tool.Spec()
		for _, name := range append([]string{s.Name}, s.Aliases...) {
			if seen[name] != "" {
				t.Errorf("%s is %s and %s", name, seen[name], s.Name)
			}
			seen[name] = s.Name
		}
	}
}

// TestHabitsOfModels has calls in the forms that models were trained on for other
// agents, each with the call that it means.
func TestHabitsOfModels(t *testing.T) {
	all := append(tools.All(), shell.New(shell.Options{}))
	for _, c := range []struct{ name, args, tool, want string }{
		{"default_api:read_file", `{"file_path":"a"}`, "read_file", `{"file_path":"a"}`},
		{"default_api.read_file", `{"filePath":"a"}`, "read_file", `{"file_path":"a"}`},
		{"functions.read_file", `{"path":"a"}`, "read_file", `{"file_path":"a"}`},
		{"functions.read_file:0", `{"file":"a"}`, "read_file", `{"file_path":"a"}`},
		{"read_file", `{"file_path":"a","offset":10,"limit":5}`, "read_file", `{"end_line":15,"file_path":"a","start_line":10}`},
		{"read_file", `{"file_path":"a","offset":0,"limit":"50"}`, "read_file", `{"end_line":50,"file_path":"a"}`},
		{"read_file", `{"file_path":"a","limit":50}`, "read_file", `{"end_line":50,"file_path":"a"}`},
		{"read_file", `{"file_path":"a","offset":7}`, "read_file", `{"file_path":"a","start_line":7}`},
		{"read_file", `{"file_path":"a","offset":7,"start_line":8}`, "read_file", `{"file_path":"a","start_line":8}`},
		{"read_file", `{"file_path":"a","offset":-1}`, "read_file", `{"file_path":"a","offset":-1}`},
		{"read_file", `{"file_path":"a","offset":1,"offset":2}`, "read_file", `{"file_path":"a","offset":1,"offset":2}`},
		{"replace", `{"file_path":"a","old_string":"b","new_string":"c","expected_replacements":1}`, "replace", `{"file_path":"a","new_string":"c","old_string":"b"}`},
		{"smart_edit", `{"filePath":"a","oldString":"b","newString":"c","expected_replacements":3}`, "replace", `{"allow_multiple":true,"file_path":"a","new_string":"c","old_string":"b"}`},
		{"replace", `{"file_path":"a","old_string":"b","new_string":"c","expected_replacements":2,"allow_multiple":false}`, "replace", `{"allow_multiple":false,"file_path":"a","new_string":"c","old_string":"b"}`},
		{"ripgrep", `{"pattern":"x","path":"d","-i":true,"-A":2,"output_mode":"files_with_matches"}`, "grep_search", `{"after":2,"dir_path":"d","names_only":true,"pattern":"x"}`},
		{"str_replace_editor", `{"command":"view","path":"a","view_range":[3,-1]}`, "read_file", `{"file_path":"a","start_line":3}`},
		{"str_replace_editor", `{"command":"create","path":"a","file_text":"t"}`, "write_file", `{"content":"t","file_path":"a"}`},
		{"str_replace_based_edit_tool", `{"command":"str_replace","path":"a","old_str":"b","new_str":"c"}`, "replace", `{"file_path":"a","new_string":"c","old_string":"b"}`},
		{"bash", `{"cmd":"ls"}`, "run_shell_command", `{"command":"ls"}`},
	} {
		tool := Find(all, Name(c.name, json.RawMessage(c.args)))
		if tool == nil {
			t.Errorf("%s: no tool", c.name)
			continue
		}
		if s := tool.Spec(); s.Name != c.tool || string(Canonical(s, json.RawMessage(c.args))) != c.want {
			t.Errorf("%s %s: got %s %s, want %s %s", c.name, c.args, s.Name, Canonical(s, json.RawMessage(c.args)), c.tool, c.want)
		}
	}
	for _, name := range []string{"str_replace_editor", "other.read_file", "functions.", "functions.read_file:x", "mcp_functions.read_file"} {
		if tool := Find(all, Name(name, json.RawMessage(`{"command":"insert"}`))); tool != nil {
			t.Errorf("%s means %s", name, tool.Spec().Name)
		}
	}
}
