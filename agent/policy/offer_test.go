package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// realCall returns a call of a command in a workspace, as it is analyzed there.
func realCall(dir, command string) Call {
	c := callOf(tools.Runs{Analysis: shellcmd.Analyze(command, dir, []string{dir})})
	c.Dir, c.Roots = dir, []string{dir}
	return c
}

// everywhere returns what an answer for every project would cover, or "".
func everywhereOffered(d Decision) (Offer, bool) {
	for _, o := range d.Offers {
		if o.Scope == Everywhere {
			return o, true
		}
	}
	return Offer{}, false
}

func TestAlwaysOffersThePrefixThatAPersonWouldChoose(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		command    string
		boxed, not string // what is offered with a sandbox, and without one
	}{
		{"mkdir -p docs/a", "commands that begin with `mkdir` and stay in the workspace", "commands that begin with `mkdir` and stay in the workspace"},
		{"cp cart.go docs.go", "commands that begin with `cp` and stay in the workspace", "commands that begin with `cp` and stay in the workspace"},
		{"gofmt -l cart.go", "commands that begin with `gofmt` and stay in the workspace", "commands that begin with `gofmt` and stay in the workspace"},
		{"gofmt -w cart.go", "commands that begin with `gofmt -w` and stay in the workspace", "commands that begin with `gofmt -w` and stay in the workspace"},
		{"pytest -q tests/a_test.py", "commands that begin with `pytest` and stay in the workspace", "exactly `pytest -q tests/a_test.py`"},
		{"mkdir /tmp/a", "commands that begin with `mkdir /tmp/a`", "exactly `mkdir /tmp/a`"},
		{"cp link/passwd x", "commands that begin with `cp link/passwd x`", "exactly `cp link/passwd x`"},
		{"make all", "commands that begin with `make all`", "exactly `make all`"},
		{"go test ./...", "commands that begin with `go test`", "exactly `go test ./...`"},
		{"npm test", "commands that begin with `npm test`", "exactly `npm test`"},
		{"python3 x.py", "commands that begin with `python3 x.py`", "exactly `python3 x.py`"},
		{"./x.sh", "commands that begin with `./x.sh`", "exactly `./x.sh`"},
		{"./mkdir a", "commands that begin with `./mkdir a`", "exactly `./mkdir a`"},
		{"curl https://x.example/a", "exactly `curl https://x.example/a`", "exactly `curl https://x.example/a`"},
		{"python3 -c 'print(1)'", "", ""},
		{"rm a", "", ""},
	} {
		for boxed, want := range map[bool]string{true: tt.boxed, false: tt.not} {
			c := realCall(dir, tt.command)
			if c.Shell = (Shell{}); boxed {
				c.Shell = asksAlways
			}
			o, _ := everywhereOffered(New(nil, nil).Decide(c))
			if o.What != want {
				t.Errorf("%s, in a sandbox: %t: offered is %q, want %q", tt.command, boxed, o.What, want)
			}
		}
	}
}

// Without a sandbox an answer covers no path outside and nothing that runs the project's code
// but the exact command, whatever it was given for.
func TestWithoutASandboxAnAnswerStaysInside(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	var rules []*Rule
	given := []string{"mkdir a", "cp a b", "mv a b", "touch a", "ln -s a b", "chmod +x a", "gofmt -w a.go", "black a.py", "jq . a", "pytest -q", "make all", "go test ./...", "npm test", "bash x.sh", "./x.sh", "git add a", "cp a /tmp/b"}
	for _, command := range given {
		c := realCall(dir, command)
		c.Shell = Shell{}
		o, ok := everywhereOffered(New(nil, nil).Decide(c))
		if !ok {
			t.Errorf("%s: nothing is offered", command)
		}
		rules = append(rules, o.Rules...)
	}
	e := New(rules, nil)
	decide := func(command string) Kind {
		c := realCall(dir, command)
		c.Shell = Shell{}
		return e.Decide(c).Kind
	}
	for _, command := range append(given, "mkdir other", "cp c sub/d", "gofmt -w b.go") {
		if k := decide(command); k != Allow {
			t.Errorf("%s: %s, want allow", command, k)
		}
	}
	for _, command := range []string{
		"mkdir /tmp/x", "mkdir ../x", "mkdir link/x", "mkdir a /tmp/x", "cp a /etc/b", "cp /etc/passwd x", "cp a ../b", "cp a link/b", "cp -t /tmp a", "cp a /tmp/b c", "mv a ~/b", "touch link/a", "ln -s / x", "ln -s ../.. x", "chmod +x /bin/ls",
		"gofmt -w /x.go", "gofmt -w link/x.go", "black ../x", "jq . /etc/passwd", "cd link && mkdir x", "pytest", "pytest -q tests", "make", "make all install", "make -C .. all", "go test ./a", "npm test -- -u", "bash x.sh y", "./x.sh y", "bash y.sh",
		"git add b",
	} {
		if k := decide(command); k == Allow {
			t.Errorf("%s is allowed by answers about %s", command, strings.Join(given, ", "))
		}
	}
}
