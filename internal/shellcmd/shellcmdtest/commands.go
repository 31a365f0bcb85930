// Package shellcmdtest has a table of commands, with the decision about each
// under given rules. It does not know any format of rules.
package shellcmdtest

import (
	_ "embed" // for table
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

//go:embed commands.txt
var table string

// A Command is a row of the table.
type Command struct {
	Line    int
	Command string
	Allow   []string // prefixes that the user's rules allow
	Deny    []string // prefixes that they deny
	Want    string   // allow, ask or deny
	Why     string
}

var encoded = regexp.MustCompile(`<U\+[0-9A-F]+>|<x[0-9A-F]{2}>`)

// Commands returns the rows of the table, for a workspace made by [Workspace].
func Commands(t testing.TB, workspace string) []Command {
	t.Helper()
	var l []Command
	for i, line := range strings.Split(table, "\n") {
		f := strings.Split(line, "\t")
		if len(f) == 1 { // a heading
			continue
		}
		if len(f) != 4 || !slices.Contains([]string{"allow", "ask", "deny"}, f[2]) {
			t.Fatalf("line %d does not have four fields: %q", i+1, line)
		}
		c := Command{Line: i + 1, Command: text(f[0], workspace), Want: f[2], Why: f[3]}
		for _, rule := range rules(f[1]) {
			if rule[0] == '-' {
				c.Deny = append(c.Deny, rule[1:])
			} else {
				c.Allow = append(c.Allow, rule[1:])
			}
		}
		l = append(l, c)
	}
	return l
}

// text returns a command as the shell gets it.
func text(s, workspace string) string {
	switch s {
	case "<LONG>":
		return "ls " + strings.Repeat("x", 17<<10)
	case "<DEEP>":
		return strings.Repeat("$(", 300) + strings.Repeat(")", 300)
	}
	return encoded.ReplaceAllStringFunc(strings.NewReplacer("␤", "\n", "{W}", workspace).Replace(s), func(s string) string {
		if s[1] == 'x' {
			n, _ := strconv.ParseUint(s[2:4], 16, 8)
			return string([]byte{byte(n)})
		}
		n, _ := strconv.ParseUint(s[3:len(s)-1], 16, 32)
		return string(rune(n))
	})
}

// rules splits "+a b +c".
func rules(s string) []string {
	if s == "." {
		return nil
	}
	l := strings.Split(s, " +")
	for i := range l[1:] {
		l[i+1] = "+" + l[i+1]
	}
	return l
}

// Workspace creates a directory with the files that the table mentions, and
// returns its path without links.
func Workspace(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := filepath.Join(dir, "w")
	for _, sub := range []string{"w/sub/deep", "w/dash", "w/.git", "w/nested/.git", "w/bare/objects", "w/bare/refs", "w/tree", "elsewhere"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"w/main.go", "w/sub/a.txt", "w/.env", "w/dash/-R.c", "w/bare/HEAD", "w/tree/HEAD", "w/tree/commondir", "elsewhere/passwd"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{"key.md": privateKey, ".git/config": "[remote \"origin\"]\n\turl = https://me:word@host/a\n", "nested/.git/config": "[core]\n\tbare = false\n"} {
		if err := os.WriteFile(filepath.Join(w, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"in": "sub", "deep": "sub/deep", "out": "../elsewhere"} {
		if err := os.Symlink(to, filepath.Join(w, link)); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// privateKey looks like one.
const privateKey = "mine:\n-----BEGIN OPENSSH PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n-----END OPENSSH PRIVATE KEY-----\n"
