package policy

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// rulesOf parses rules; those of a tier follow a line "# user", "# project" or
// "# admin".
func rulesOf(t testing.TB, text string) []*Rule {
	t.Helper()
	tiers := map[string]Tier{"# user": OfUser, "# project": OfProject, "# admin": OfAdmin}
	tier := OfUser
	var all []*Rule
	var part strings.Builder
	flush := func() {
		rules, _, err := parse("test.toml", []byte(part.String()), tier)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rules...)
		part.Reset()
	}
	for line := range strings.Lines(text) {
		if next, ok := tiers[strings.TrimSpace(line)]; ok {
			flush()
			tier = next
			continue
		}
		part.WriteString(line)
	}
	flush()
	return all
}

// runs returns a command of known parts, joined by &&.
func runs(parts ...shellcmd.Part) tools.Runs {
	var texts []string
	known := true
	for i, p := range parts {
		if p.Text == "" {
			parts[i].Text = strings.Join(p.Words, " ")
		}
		known = known && p.Known
		if !p.Inside {
			texts = append(texts, parts[i].Text)
		}
	}
	command := strings.Join(texts, " && ")
	return tools.Runs{Analysis: shellcmd.Analysis{Command: command, Canonical: command, Dir: "/project", Parts: parts, Known: known}}
}

// given returns such a command without a canonical form.
func given(parts ...shellcmd.Part) tools.Runs {
	r := runs(parts...)
	r.Canonical = ""
	return r
}

// part returns a part with known words, of which a rule must name at least
// least.
func part(least int, words string) shellcmd.Part {
	w := strings.Fields(words)
	return shellcmd.Part{Words: w, Known: true, Least: least, Offer: w}
}

// knownFiles says of files what a test says; else names alone decide, and plans are in
// /state/plans.
type knownFiles struct {
	secret string
	real   func(path string) string
	level  func(path string) protect.Level
}

func (k knownFiles) Real(path string) string {
	if k.real == nil {
		return filepath.Clean(path)
	}
	return k.real(path)
}

func (k knownFiles) Level(path string) protect.Level {
	if k.level == nil {
		return protect.Of(strings.TrimPrefix(path, "/project/"))
	}
	return k.level(path)
}

func (k knownFiles) WasSecret(path string) bool { return path == k.secret }
func (knownFiles) Leaves(string) bool           { return false }
func (knownFiles) IsPlan(path string) bool      { return strings.HasPrefix(path, "/state/plans/") }
func (knownFiles) Held() func(path string) bool { return nil }

// callOf returns a call in a trusted folder, with an available user and a
// sandbox.
func callOf(e tools.Effect) Call {
	c := Call{
		Effect: e, Tool: "read_file", Mode: Default, Trusted: true, Asks: true, Elicits: true, Shell: asksAlways, Dir: "/project", Roots: []string{"/project"},
		Files: knownFiles{},
	}
	switch e := e.(type) { //nolint:gochecksumtype // the others need no tool of their own
	case tools.Runs:
		c.Tool = shellTool
		c.Args = []byte(`{"command":"` + inJSON(e.Command) + `"}`)
	case tools.Edits:
		c.Tool = "replace"
		c.Args = []byte(`{"file_path":"` + e.Files[0].Path + `"}`)
	case tools.Reads:
		if len(e.Paths) > 0 {
			c.Args = []byte(`{"file_path":"` + e.Paths[0] + `"}`)
		}
	}
	return c
}

func edit(paths ...string) tools.Edits {
	var e tools.Edits
	for _, p := range paths {
		e.Files = append(e.Files, ledger.Proposed{Path: p})
	}
	return e
}

// rule returns the text of a rule about a tool, with fields separated by
// semicolons.
func rule(tool, fields string) string {
	if tool != "" {
		fields = "toolName = \"" + tool + "\"; " + fields
	}
	return "[[rule]]\n" + strings.ReplaceAll(fields, "; ", "\n") + "\n"
}

// commandRule returns the text of a rule about commands.
func commandRule(fields string) string { return rule(shellTool, fields) }

func TestHighestTierWithARuleDecides(t *testing.T) {
	ls := part(1, "ls src")
	ls.ReadOnly = true
	push := part(2, "git push origin")
	test := part(2, "npm test")
	for _, c := range []struct {
		name  string
		rules string
		runs  tools.Runs
		mode  Mode // empty: the default
		call  func(*Call)
		want  string
	}{
		{name: "reading is allowed with a sandbox", runs: runs(ls), want: "allow: commands that only read"},
		{name: "reading is asked about without one", runs: runs(ls), call: func(c *Call) { c.Shell = Shell{} }, want: "ask: commands"},
		{name: "what is no reading is asked about", runs: runs(test), want: "ask: commands"},
		{name: "one part of many is asked about", runs: runs(ls, test), want: "ask: commands"},
		{name: "the user allows it", rules: commandRule(`commandPrefix = "npm test"; decision = "allow"; priority = 1`), runs: runs(ls, test), want: "allow: commands that only read, test.toml:1"},
		{name: "the user allows another word", rules: commandRule(`commandPrefix = "npm tes"; decision = "allow"`), runs: runs(test), want: "ask: commands"},
		{name: "the program alone covers no subcommand", rules: commandRule(`commandPrefix = "git"; decision = "allow"`), runs: runs(push), want: "ask: commands"},
		{name: "the subcommand is named", rules: commandRule(`commandPrefix = ["git push", "git fetch"]; decision = "allow"`), runs: runs(push), want: "allow: test.toml:1"},
		{name: "a higher priority wins", rules: commandRule(`commandPrefix = "git push"; decision = "allow"; priority = 20`) + commandRule(`decision = "deny"; priority = 10`), runs: runs(push), want: "allow: test.toml:1"},
		{name: "the strictest of one priority wins", rules: commandRule(`commandPrefix = "git push"; decision = "allow"; priority = 10`) + commandRule(`name = "no git"; commandPrefix = "git"; decision = "deny"; priority = 10`), runs: runs(push), want: "deny: no git (test.toml:6)"},
		{name: "the administrator wins over the user", rules: commandRule(`commandPrefix = "git push"; decision = "allow"; priority = 999`) + "# admin\n" + commandRule(`name = "no push"; commandPrefix = "git push"; decision = "deny"; priority = 0`), runs: runs(push), want: "deny: no push (test.toml:1)"},
		{name: "a project makes it stricter", rules: commandRule(`decision = "allow"`) + "# project\n" + commandRule(`name = "ours"; commandPrefix = "npm test"; decision = "ask_user"`), runs: runs(test), want: "ask: ours (test.toml:1)"},
		{name: "a project allows nothing", rules: "# project\n" + commandRule(`decision = "allow"; priority = 999`), runs: runs(test), want: "ask: commands"},
		{name: "a denied part denies the whole", rules: commandRule(`name = "no push"; commandPrefix = "git push"; decision = "deny"`), runs: runs(ls, push, test), want: "deny: no push (test.toml:1)"},
		{name: "a rule of another mode", rules: commandRule(`decision = "allow"; modes = ["autoEdit"]`), runs: runs(test), want: "ask: commands"},
		{name: "a rule of this mode", rules: commandRule(`decision = "allow"; modes = ["autoEdit"]`), runs: runs(test), mode: AutoEdit, want: "allow: test.toml:1"},
		{name: "a rule for nobody to ask", rules: commandRule(`decision = "allow"; interactive = false`), runs: runs(test), want: "ask: commands"},
		{name: "nobody to ask", runs: runs(test), call: func(c *Call) { c.Asks = false }, want: "deny: commands"},
		{name: "a rule for nobody to ask, and no user is available", rules: commandRule(`decision = "allow"; interactive = false`), runs: runs(test), call: func(c *Call) { c.Asks = false }, want: "allow: test.toml:1"},
		{name: "plan mode", runs: runs(ls), mode: Plan, want: "deny: mode plan"},
		{name: "plan mode, with a rule for all modes", rules: commandRule(`decision = "allow"`), runs: runs(ls), mode: Plan, want: "deny: mode plan"},
		{name: "plan mode, with a rule for it", rules: commandRule(`commandPrefix = "ls"; modes = ["plan"]; decision = "allow"`), runs: runs(ls), mode: Plan, want: "allow: test.toml:1"},
		{name: "plan mode, with a rule that asks in all modes", rules: commandRule(`decision = "ask_user"`), runs: runs(ls), mode: Plan, want: "deny: mode plan"},
		{name: "plan mode, with a rule that asks in it", rules: commandRule(`modes = ["plan"]; decision = "ask_user"`), runs: runs(ls), mode: Plan, want: "ask: test.toml:1"},
		{name: "yolo", runs: runs(test), mode: Yolo, want: "allow: mode yolo"},
		{name: "yolo answers the questions of rules", rules: rule("*", `decision = "ask_user"`), runs: runs(test), mode: Yolo, want: "allow: mode yolo"},
		{name: "yolo, and a rule that asks in it", rules: rule("*", `modes = ["yolo"]; decision = "ask_user"`), runs: runs(test), mode: Yolo, want: "ask: test.toml:1"},
		{name: "yolo keeps denials", rules: commandRule(`commandPrefix = "npm"; decision = "deny"`), runs: runs(test), mode: Yolo, want: "deny: test.toml:1"},
		{name: "a restricted folder", rules: rule("*", `decision = "allow"; priority = 999`), runs: runs(ls), call: func(c *Call) { c.Trusted = false }, want: "deny: untrusted_workspace"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := callOf(c.runs)
			if c.mode != "" {
				call.Mode = c.mode
			}
			if c.call != nil {
				c.call(&call)
			}
			d := New(rulesOf(t, c.rules), nil).Decide(call)
			if got := d.Kind.String() + ": " + d.Rule; got != c.want {
				t.Errorf("%s, want %s (%s)", got, c.want, d.Reason)
			}
			if len(d.Parts) != len(c.runs.Parts) {
				t.Errorf("%d parts are decided, of %d", len(d.Parts), len(c.runs.Parts))
			}
		})
	}
}

// partOf returns a known part with exactly these words.
func partOf(words ...string) shellcmd.Part {
	return shellcmd.Part{Words: words, Known: true, Least: 2, Offer: words}
}

// A name from the command line need not be text.
func TestPatternsThatAreNoText(t *testing.T) {
	if matches("\xff*", "read_file") || !matches("\xff*e", "\xffile") {
		t.Error("bytes are not compared as they are")
	}
}
