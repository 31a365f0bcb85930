package policy

import (
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// No mode, no rule of the user's and no answer lets the model change what emendo may do.
func TestCommandsThatChangeAuthorityAreDenied(t *testing.T) {
	allowAll, _, mistake := parse("user.toml", []byte("[[rule]]\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 900\n"), OfUser)
	if mistake != nil {
		t.Fatal(mistake)
	}
	byAdmin, _, mistake := parse("admin.toml", []byte("[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"emendo trust\"\ndecision = \"allow\"\npriority = 900\n"), OfAdmin)
	if mistake != nil {
		t.Fatal(mistake)
	}
	decide := func(e *Engine, line string, mode Mode, shell Shell) Kind {
		return e.Decide(Call{
			Tool: "run_shell_command", Effect: tools.Runs{Analysis: shellcmd.Analyze(line, "/srv/shop", []string{"/srv/shop"})}, Mode: mode, Trusted: true, Asks: true, Shell: shell, Dir: "/srv/shop", Roots: []string{"/srv/shop"},
		}).Kind
	}
	denied := []string{
		"emendo trust add", "emendo trust add . && emendo mcp add x -- sh -c evil", "/usr/local/bin/emendo mcp login x", "./emendo auth login", "env -i emendo trust add", "env A=b timeout 5 emendo extensions install x",
		"sh -c 'emendo trust add'", "bash -c \"cd / && emendo policy remove 3\"", "(emendo trust add &)", "nohup emendo setup &", "xargs emendo trust add </dev/null", "find . -exec emendo trust add {} \\;",
		"emendo run -p hi --trust", "emendo run --approval-mode yolo -p hi", "emendo acp --no-sandbox", "emendo import claude", "emendo $SUB", "emendo trust \"$@\"", "A=1 emendo trust remove", "sudo emendo trust add", "command emendo trust add", "exec emendo trust add",
		"f() { emendo trust add; }; f", "echo $(emendo trust add)", "EMENDO trust add",
	}
	allowing := New(allowAll, nil)
	for _, line := range denied {
		for _, mode := range []Mode{Default, AutoEdit, Yolo} {
			for _, shell := range []Shell{{}, asksAlways, {Level: sandbox.Isolated}} {
				if got := decide(allowing, line, mode, shell); got != Deny {
					t.Errorf("%s in %s, %+v: %v", line, mode, shell, got)
				}
			}
		}
	}
	for _, line := range []string{"emendo trust list", "emendo mcp list", "emendo policy check ls", "emendo doctor", "emendo auth status", "emendo run -p hi", "grep emendo trust add", "echo emendo trust add", "go build -o emendo ./cmd/emendo", "git log -- cmd/emendo", "emendo version"} {
		if got := decide(New(nil, nil), line, Yolo, asksAlways); got != Allow {
			t.Errorf("%s: %v", line, got)
		}
	}
	if got := decide(New(byAdmin, nil), "emendo trust add", Default, asksAlways); got != Allow {
		t.Errorf("by an administrator's rule: %v", got)
	}
}
