package tools

import (
	"encoding/json"
	"testing"
)

func TestCanonicalArguments(t *testing.T) {
	s := NewReplace().Spec()
	for _, c := range []struct{ name, args, want string }{
		{"nothing to change", `{"file_path": "a"}`, `{"file_path": "a"}`},
		{"path", `{"path":"a","old_string":"{}"}`, `{"file_path":"a","old_string":"{}"}`},
		{"absolute_path", `{"old_string":"b","absolute_path":"a"}`, `{"old_string":"b","file_path":"a"}`},
		{"both names", `{"path":"a","file_path":"b"}`, `{"path":"a","file_path":"b"}`},
		{"two synonyms", `{"path":"a","absolute_path":"b"}`, `{"file_path":"a","absolute_path":"b"}`},
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

func TestPlainPaths(t *testing.T) {
	env := newWorld(t, map[string]string{"a/b": "", "@named/c": ""}).env()
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

func TestPathSynonyms(t *testing.T) {
	for _, tool := range append(Reading(), NewReplace(), NewWriteFile()) {
		s := tool.Spec()
		to := s.Synonyms["path"]
		if to == "" || s.Synonyms["absolute_path"] != to && to == "file_path" {
			t.Errorf("%s: path stands for %q, absolute_path for %q", s.Name, to, s.Synonyms["absolute_path"])
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
	if Find(Reading(), "search_file_content") == nil || Find(Reading(), "edit") != nil {
		t.Error("aliases")
	}
}
