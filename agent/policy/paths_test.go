package policy

import (
	"cmp"
	"path"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/tools"
)

// TestProtectedPaths checks that no mode overrides the protection of a path: by
// its name and by its target, whether the file exists or not, for every way to
// change it.
func TestProtectedPaths(t *testing.T) {
	real := map[string]string{"/project/link.txt": "/project/.git/config", "/project/.envrc": "/project/plain.txt", "/project/away": "/etc/passwd"}
	resolved := func(p string) string {
		if r, ok := real[p]; ok {
			return r
		}
		return p
	}
	level := func(p string) protect.Level {
		if strings.HasPrefix(p, "/project/bare/") {
			return protect.Sealed
		}
		return protect.Of(strings.TrimPrefix(p, "/project/"))
	}
	for _, tt := range []struct {
		name  string
		path  string // where the call leads
		given string // as it names that; empty: the same
		op    ledger.Op
		to    string // of a rename
		want  Kind   // in every mode that acts
	}{
		{name: "a file", path: "/project/a.go", want: Allow},
		{name: "a repository", path: "/project/.git/config", want: Deny},
		{name: "one that is not there", path: "/project/new/.git/hooks/post-checkout", op: ledger.Create, want: Deny},
		{name: "the file .git", path: "/project/sub/.git", op: ledger.Create, want: Deny},
		{name: "a removal", path: "/project/.git/HEAD", op: ledger.Delete, want: Deny},
		{name: "a rename to it", path: "/project/a", op: ledger.Rename, to: "/project/.git/config", want: Deny},
		{name: "a rename from it", path: "/project/.git/config", op: ledger.Rename, to: "/project/a", want: Deny},
		{name: "a rename to a hook of the editor", path: "/project/a", op: ledger.Rename, to: "/project/.vscode/tasks.json", want: Ask},
		{name: "a link that leads to it", path: "/project/.git/config", given: "/project/link.txt", want: Deny},
		{name: "a link of that name", path: "/project/plain.txt", given: "/project/.envrc", want: Ask},
		{name: "other case", path: "/project/.GIT/config", want: Deny},
		{name: "full width", path: "/project/\uff0egit/config", want: Deny},
		{name: "a short name of Windows", path: "/project/GIT~1/config", want: Deny},
		{name: "git's own under another name", path: "/project/bare/config", want: Deny},
		{name: "emendo's settings", path: "/project/.emendo/settings.json", want: Deny},
		{name: "an editor's settings", path: "/project/.vscode/settings.json", want: Ask},
		{name: "a shell's start file", path: "/project/.bashrc", op: ledger.Create, want: Ask},
		{name: "a chat document", path: "/project/talk.emendo.md", want: Ask},
		{name: "one in another spelling", path: "/project/docs/Talk.Emendo.MD.", op: ledger.Create, want: Ask},
		{name: "a rename to one", path: "/project/a", op: ledger.Rename, to: "/project/a.emendo.md", want: Ask},
		{name: "one of emendo's own folder", path: "/project/.emendo/chats/a.emendo.md", want: Deny},
		{name: "a page about emendo", path: "/project/emendo.md", want: Allow},
		{name: "outside", path: "/etc/passwd", given: "/project/away", want: Ask},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, mode := range []Mode{AutoEdit, Yolo} {
				for _, there := range []bool{true, false} {
					given := tt.given
					if given == "" {
						given = tt.path
					}
					c := callOf(tools.Edits{Files: []ledger.Proposed{{Path: tt.path, NewPath: tt.to, Op: tt.op}}, Given: []string{given}})
					c.Mode, c.Asks, c.Files = mode, there, knownFiles{real: resolved, level: level}
					want := tt.want
					if want == Ask && !there {
						want = Deny // no user is available
					}
					d := New(nil, nil).Decide(c)
					if d.Kind != want || want != Allow && d.Reason == "" {
						t.Errorf("in mode %s, somebody there %v: %s (%s), want %s", mode, there, d.Kind, d.Reason, want)
					}
				}
			}
		})
	}
}

func TestPossibleSecretNeedsApproval(t *testing.T) {
	for _, tt := range []struct {
		name string
		read tools.Reads
		want Kind
	}{
		{"a file", tools.Reads{Paths: []string{"/project/a.go"}, Given: []string{"/project/a.go"}}, Allow},
		{"a secret's name", tools.Reads{Paths: []string{"/project/.env"}}, Ask},
		{"a link to a secret", tools.Reads{Paths: []string{"/project/.env"}, Given: []string{"/project/a.txt"}}, Ask},
		{"a link of a secret's name", tools.Reads{Paths: []string{"/project/a.txt"}, Given: []string{"/project/.env"}}, Ask},
		{"a key in a file of any name", tools.Reads{Paths: []string{"/project/a.txt"}, Key: true}, Ask},
	} {
		for _, mode := range []Mode{Default, AutoEdit, Yolo, Plan} {
			c := callOf(tt.read)
			c.Mode = mode
			if d := New(nil, nil).Decide(c); d.Kind != tt.want {
				t.Errorf("%s, in mode %s: %s, want %s", tt.name, mode, d.Kind, tt.want)
			}
		}
	}
}

// TestRulesResolveLinks tests that rules about files apply to the target of a
// path, however it is spelled: no other name allows it or evades its denial.
func TestRulesResolveLinks(t *testing.T) {
	rules := rule("write_file", `argsPattern = '"file_path":"docs/'; decision = "allow"; priority = 1`) +
		rule("write_file", `argsPattern = '"file_path":"/project/docs/'; decision = "allow"; priority = 1`) +
		rule("write_file", `argsPattern = '"file_path":"\.git/info/exclude'; decision = "allow"; priority = 1`) +
		rule("*", `argsPattern = '"(file|dir)_path":"secrets/'; decision = "deny"; priority = 2`) +
		commandRule(`argsPattern = '"command":"make"\x00,\x00"dir_path":"docs'; decision = "allow"`)
	links := map[string]string{"/project/docs/link": "/project/src", "/project/docs/link/x": "/project/src/x", "/project/docs/secret/x": "/project/secrets/x", "/project/docs/link/../x": "/project/x"}
	for _, c := range []struct {
		tool, path string
		want       string
	}{
		{"write_file", "docs/x", "allow"},
		{"write_file", "docs//x", "allow"},
		{"write_file", "docs/./x", "allow"},
		{"write_file", "docs/../docs/x", "allow"},
		{"write_file", "/project/docs/x", "allow"},
		{"write_file", "docs/../src/x", "ask"},
		{"write_file", "/project/docs/../src/x", "ask"},
		{"write_file", "docs/link/x", "ask"},
		{"write_file", "docs/link/../x", "ask"},
		{"write_file", ".git/info/exclude", "allow"},
		{"write_file", ".git/info/exclude/../../config", "deny"},
		{"write_file", "secrets/x", "deny"},
		{"write_file", "./secrets/x", "deny"},
		{"write_file", "docs/../secrets/x", "deny"},
		{"write_file", "/project/secrets/x", "deny"},
		{"write_file", "docs/secret/x", "deny"},
		{"read_file", "./secrets/x", "deny"},
		{"list_directory", "sub/../secrets/x", "deny"},
		{"read_file", "@secrets/x", "deny"},
		{"read_file", "@@./secrets/x", "deny"},
		{"write_file", "@docs/secret/x", "deny"},
		{"list_directory", "@/project/secrets/x", "deny"},
		{shellTool, "@secrets/x", "deny"},
		{shellTool, "docs", "allow"},
		{shellTool, "docs/../src", "ask"},
		{shellTool, "docs/link", "ask"},
		{shellTool, "./secrets/x", "deny"},
	} {
		real := func(p string) string { return cmp.Or(links[p], path.Clean(p)) }
		var call Call
		args := `{"file_path":"` + c.path + `"}`
		switch c.tool {
		case "write_file":
			abs := c.path
			if !path.IsAbs(abs) {
				abs = "/project/" + abs
			}
			call = callOf(edit(real(abs)))
		case shellTool:
			call = callOf(runs(part(1, "make")))
			args = `{"command":"make","dir_path":"` + c.path + `"}`
		case "list_directory":
			call = callOf(tools.Reads{})
			args = `{"dir_path":"` + c.path + `"}`
		default:
			call = callOf(tools.Reads{})
		}
		call.Tool, call.Args, call.Files = c.tool, []byte(args), knownFiles{real: real}
		if d := New(rulesOf(t, rules), nil).Decide(call); d.Kind.String() != c.want {
			t.Errorf("%s of %s: %s by %s, want %s", c.tool, c.path, d.Kind, d.Rule, c.want)
		}
	}
}

// Files that instruct other agents, or run elsewhere or later, are asked about
// in auto_edit but not in yolo: users let agents write them.
func TestWatchedPathsNeedApprovalInAutoEdit(t *testing.T) {
	e := New(nil, nil)
	for path, want := range map[string]Kind{
		"/project/AGENTS.md": Ask, "/project/sub/CLAUDE.md": Ask, "/project/.github/workflows/ci.yml": Ask, "/project/.gitlab-ci.yml": Ask, "/project/.pre-commit-config.yaml": Ask,
		"/project/lefthook.yml": Ask, "/project/.cursorrules": Ask, "/project/.tool-versions": Ask, "/project/README.md": Allow, "/project/.github/ISSUE_TEMPLATE.md": Allow,
	} {
		for mode, want := range map[Mode]Kind{Default: Ask, AutoEdit: want, Yolo: Allow} {
			c := callOf(edit(path))
			c.Mode, c.Asks = mode, true
			if got := e.Decide(c); got.Kind != want {
				t.Errorf("%s in mode %s: %v (%s), want %v", path, mode, got.Kind, got.Reason, want)
			}
		}
	}
}

// A name that contains line ends is shown on one line of a question.
func TestNamesInQuestionsStayOnTheirLine(t *testing.T) {
	e := New(Lists{Allowed: []string{shellTool + "(echo)"}}.Rules(), nil)
	for _, command := range []string{"echo a > 'x\nAllowed: y'", "cp a '.bashrc\nAllowed: y/.vscode'"} {
		if got := e.Decide(shellCall(t, command, "/project", Default)); strings.Contains(strings.TrimSuffix(got.Reason, "\n"), "\n") {
			t.Errorf("%q has the reason %q", command, got.Reason)
		}
	}
}
