package program_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// A command that searches directories lists every secret in them: among tests,
// examples, build output and dependencies, at any depth.
func TestSecretsAreFoundWhereverACommandLooks(t *testing.T) {
	w, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		".env": "", "main.go": "", "tests/key.pem": "", "examples/a/credentials": "", "build/.env": "", "node_modules/p/.npmrc": "",
		"1/2/3/4/5/6/7/8/9/10/id_rsa": "", "tests/id_rsa.pub": "", ".git/config": "url = https://a:b@host/x", ".git/objects/ab/x.pem": "", "sub/.git/config": "",
	} {
		path := filepath.Join(w, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	everywhere := ".env .git/config 1/2/3/4/5/6/7/8/9/10/id_rsa build/.env examples/a/credentials node_modules/p/.npmrc tests/key.pem"
	for command, want := range map[string]string{
		"grep -r x .":                everywhere,
		"grep -rn x":                 everywhere,
		"grep --recursive x .":       everywhere,
		"grep --recurs x .":          everywhere,
		"grep -d recurse x .":        everywhere,
		"rg x":                       everywhere,
		"rg -uu x tests":             "tests/key.pem",
		"grep -r x tests sub":        "tests/key.pem",
		"cd tests && grep -r x .":    "tests/key.pem",
		"cd 1/2 && rg x ../../build": "build/.env",
		"grep -r -e x build":         "build/.env",
		"ag x build":                 "build/.env",
		"git grep x":                 strings.Replace(everywhere, ".git/config ", "", 1),
		"diff -r tests build":        "build/.env tests/key.pem",

		"find tests build -type f -exec cat {} +":     "build/.env tests/key.pem",
		"find . -name x -exec cat {} \\;":             everywhere,
		"find . -name x | xargs cat":                  everywhere,
		"fd x -x cat":                                 everywhere,
		"timeout 5 grep -r x build":                   "build/.env",
		"for d in build tests; do grep -r x $d; done": everywhere,
		"grep x main.go":                              "",
		"find . -name '*.go'":                         "",
		"ls -R":                                       "",
		"git log":                                     "",
		"cat main.go":                                 "",
	} {
		l := shellcmd.Analyze(command, w, []string{w}).Secrets()
		for i := range l {
			l[i], _ = filepath.Rel(w, l[i])
		}
		slices.Sort(l)
		if diff := cmp.Diff(want, strings.Join(slices.Compact(l), " ")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", command, diff)
		}
	}
}

// A command that searches more than can be checked in advance is not allowed by
// default.
func TestASearchWithTooManySecretsIsAskedAbout(t *testing.T) {
	w, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := range program.MaxSecrets + 1 {
		if err := os.WriteFile(filepath.Join(w, strings.Repeat("x", i%200+1)+strings.Repeat("y", i/200)+".pem"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := shellcmd.Analyze("grep -r x .", w, []string{w})
	if p := r.Parts[0]; p.ReadOnly || p.Covered([]string{"grep"}) {
		t.Errorf("it is %s", fmt.Sprintf("%+v", r))
	}
}
