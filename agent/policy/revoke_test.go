package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// listedWith returns the rule of a list whose text has a passage.
func listedWith(t *testing.T, l []Listed, passage string) Listed {
	t.Helper()
	i := slices.IndexFunc(l, func(r Listed) bool { return strings.Contains(r.Text, passage) })
	if i < 0 {
		t.Fatalf("no rule has %q: %+v", passage, l)
	}
	return l[i]
}

func TestAnswersAreListedAndTakenBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := Answers{State: filepath.Join(dir, "state"), User: filepath.Join(dir, "user")}
	const own = "# mine\n\n[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"rm\"\ndecision = \"deny\"\n"
	if err := os.MkdirAll(a.User, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.File(Everywhere, ""), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		scope   Scope
		command string
	}{{Project, "make"}, {Project, "touch"}, {Everywhere, "make"}} {
		if err := a.Save(offered(t, x.scope, callOf(runs(part(1, x.command)))), "/project"); err != nil {
			t.Fatal(err)
		}
	}
	line := Line{Command: "npm ci", Dir: "/project"}
	if err := a.Give(Grant{Line: line, Hosts: []string{"registry.example"}, Project: "/project", Added: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	list := func() []Listed {
		e, problems := Read(Places{User: a.User, Answers: []string{a.File(Project, "/project")}})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		l := e.Rules()
		given, err := a.Grants("/project")
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range given {
			l = append(l, g.Listed())
		}
		return slices.DeleteFunc(l, func(r Listed) bool { return r.Tier == "builtin" })
	}
	all := list()
	here, everywhere := all[slices.IndexFunc(all, func(r Listed) bool { return r.Scope == Project && strings.Contains(r.Text, "`make") })], all[slices.IndexFunc(all, func(r Listed) bool { return r.Scope == Everywhere && strings.Contains(r.Text, "`make") })]
	for _, r := range []Listed{here, everywhere, listedWith(t, all, "touch"), listedWith(t, all, "registry.example")} {
		if r.Source != OfAnswer || r.Tier != "user" || !r.Removable || r.Added.IsZero() {
			t.Errorf("an answer is listed as %+v", r)
		}
	}
	byHand := listedWith(t, all, "deny")
	if byHand.Removable || byHand.Source != a.File(Everywhere, "")+":1" && !regexp.MustCompile(`auto-saved\.toml:\d+$`).MatchString(byHand.Source) {
		t.Errorf("a rule by hand is listed as %+v", byHand)
	}
	if !slices.Equal(all, list()) {
		t.Errorf("the list differs when it is read again")
	}
	for _, id := range []string{"", "no such", byHand.ID} {
		if was, err := a.Remove(id); was || err != nil {
			t.Errorf("remove %q: got %t, %v", id, was, err)
		}
	}
	if !slices.Equal(all, list()) {
		t.Errorf("what is no answer was removed: %+v", list())
	}
	for n, r := range []Listed{here, listedWith(t, all, "registry.example"), everywhere, listedWith(t, all, "touch")} {
		if was, err := a.Remove(r.ID); !was || err != nil {
			t.Errorf("remove %s: got %t, %v", r.Text, was, err)
		}
		left := list()
		if len(left) != len(all)-n-1 || slices.ContainsFunc(left, func(o Listed) bool { return o.ID == r.ID }) {
			t.Errorf("without %s there are %+v", r.Text, left)
		}
		if was, err := a.Remove(r.ID); was || err != nil {
			t.Errorf("remove %s again: got %t, %v", r.Text, was, err)
		}
	}
	if l := list(); len(l) != 1 || l[0] != byHand && l[0].ID != byHand.ID {
		t.Errorf("left are %+v", l)
	}
}

// A rule keeps its ID while others are added above it, and two that are alike have two.
func TestIDsOfRulesAreStable(t *testing.T) {
	t.Parallel()
	rule := func(prefix string) string {
		return "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"" + prefix + "\"\ndecision = \"allow\"\n"
	}
	file := filepath.Join(t.TempDir(), "mine.toml")
	read := func(text string) []Listed {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		e, problems := Read(Places{Extra: []string{file}})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return slices.DeleteFunc(e.Rules(), func(r Listed) bool { return r.Tier == "builtin" })
	}
	one := read(rule("make"))
	two := read("# more\n" + rule("gofmt") + rule("make") + rule("make"))
	if len(one) != 1 || len(two) != 3 || one[0].ID == two[0].ID || two[1].ID != one[0].ID || two[2].ID == two[1].ID {
		t.Errorf("got %+v and %+v", one, two)
	}
	if one[0].Source != file+":1" || two[1].Source != file+":6" {
		t.Errorf("the sources are %q and %q", one[0].Source, two[1].Source)
	}
}

func TestWhatARuleDoesIsSaid(t *testing.T) {
	t.Parallel()
	no := false
	for _, tt := range []struct {
		rule Rule
		want string
	}{
		{Rule{Decision: Allow, Tools: []string{shellTool}, Prefixes: [][]string{{"npm", "test"}, {"a b"}}, Answer: true, Name: "your answer", Dir: "/p", Sandbox: true}, "allow commands that begin with `npm test` or `'a b'` in /p (in a sandbox)"},
		{Rule{Decision: Allow, Tools: []string{shellTool}, Prefixes: [][]string{{"curl", "x"}}, Ends: true, Answer: true, Modes: []Mode{Default, AutoEdit, Yolo}}, "allow exactly `curl x` (in the modes default, auto_edit, yolo)"},
		{Rule{Decision: Allow, Whole: Line{"a\nb", "/p", true}, Answer: true}, "allow exactly `a\\u{000A}b` in the background, run in /p"},
		{Rule{Decision: Deny, Name: "no push", Tools: []string{shellTool}, Command: regexp.MustCompile("git push")}, "no push: deny commands that match `git push`"},
		{Rule{Decision: Ask, Tools: []string{"*"}, Interactive: &no}, "ask about calls of all tools (while no user can be asked)"},
		{Rule{Decision: Allow, Tools: []string{"write_file"}, Args: regexp.MustCompile("x")}, "allow calls of write_file whose arguments match `x`"},
		{Rule{Decision: Allow, Server: "db"}, "allow calls of all tools of the server db"},
		{Rule{Decision: Allow, Server: "db", Tools: []string{"query"}}, "allow calls of query of the server db"},
		{Rule{Decision: Deny, Tools: []string{"*"}, Except: []string{"read_file"}}, "deny calls of all tools but read_file"},
		{Rule{Decision: Deny, Tools: []string{shellTool}, Unless: [][]string{{"ls"}}}, "deny commands that do not begin with `ls`"},
	} {
		if got := tt.rule.describe(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
