package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/tools"
)

// offered returns the remembered answer of a scope that is offered for a
// command.
func offered(t *testing.T, s Scope, c Call) Offer {
	t.Helper()
	for _, o := range New(nil, nil).Decide(c).Offers {
		if o.Scope == s {
			return o
		}
	}
	t.Fatalf("no answer for %s is offered", s)
	return Offer{}
}

func TestAnswersAreKept(t *testing.T) {
	dir := t.TempDir()
	a := Answers{State: filepath.Join(dir, "state"), User: filepath.Join(dir, "user")}
	quote := callOf(runs(part(2, "npm test")))
	quote.Effect = runs(partOf("npm", "test", "a b's"))
	for _, c := range []Call{callOf(runs(part(2, "npm test"))), quote, callOf(runs(part(2, "npm test"))), callOf(runs(part(1, "make"), part(1, "sleep 1")))} {
		if err := a.Save(offered(t, Project, c), "/project"); err != nil {
			t.Fatal(err)
		}
	}
	file := a.File(Project, "/project")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "[[rule]]"); n != 4 {
		t.Errorf("%d rules are kept:\n%s", n, text)
	}
	if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", fi.Mode(), err)
	}
	e, problems := Read(Places{Answers: []string{file, a.File(Project, "/other")}})
	if len(problems) > 0 {
		t.Errorf("problems %q", problems)
	}
	for _, c := range []struct {
		name string
		call Call
		want string
	}{
		{"the same", callOf(runs(part(2, "npm test"))), "allow"},
		{"with more words", callOf(runs(part(2, "npm test --watch"))), "allow"},
		{"with a quote in a word", quote, "allow"},
		{"both of two", callOf(runs(part(1, "sleep 1"), part(1, "make"))), "allow"},
		{"another word", callOf(runs(part(1, "sleep 2"))), "ask"},
		{"another command beside it", callOf(runs(part(1, "make"), part(1, "rm x"))), "ask"},
	} {
		if d := e.Decide(c.call); d.Kind.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, d.Kind, c.want)
		}
	}
	bare := callOf(runs(part(1, "make")))
	bare.Shell = Shell{}
	if d := e.Decide(bare); d.Kind != Ask {
		t.Errorf("without the sandbox that there was: %s", d.Kind)
	}
	away := callOf(runs(part(1, "make")))
	r := runs(part(1, "make"))
	r.Dir = "/project/sub"
	away.Effect = r
	if d := e.Decide(away); d.Kind != Ask {
		t.Errorf("in another folder: %s", d.Kind)
	}
}

func TestBrokenAnswersFileIsSetAside(t *testing.T) {
	dir := t.TempDir()
	a := Answers{State: dir, User: dir}
	files(t, dir, map[string]string{SavedFile: "[[rule]\n"})
	e, problems := Read(Places{User: dir})
	if len(problems) != 1 || !strings.Contains(problems[0], SavedFile+":1: no valid TOML") || len(e.Broken()) > 0 {
		t.Errorf("problems %q, broken %v", problems, e.Broken())
	}
	call := callOf(runs(part(1, "make")))
	if err := a.Save(offered(t, Everywhere, call), ""); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, SavedFile+".bak")); err != nil || string(text) != "[[rule]\n" {
		t.Errorf("set aside is %q, %v", text, err)
	}
	if e, problems = Read(Places{User: dir}); len(problems) > 0 || e.Decide(call).Kind != Allow {
		t.Errorf("problems %q", problems)
	}
}

func TestBrokenAnswersFileWithDenialsIsFixed(t *testing.T) {
	dir := t.TempDir()
	const text = "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\n[[rule]\n"
	files(t, dir, map[string]string{SavedFile: text})
	if e, problems := Read(Places{User: dir}); len(problems) != 1 || len(e.Broken()) != 1 {
		t.Errorf("problems %q, broken %v", problems, e.Broken())
	}
	err := Answers{State: dir, User: dir}.Save(offered(t, Everywhere, callOf(runs(part(1, "make")))), "")
	if err == nil || !strings.Contains(err.Error(), SavedFile+":4: no valid TOML") {
		t.Errorf("the answer is kept: %v", err)
	}
	if now, err := os.ReadFile(filepath.Join(dir, SavedFile)); err != nil || string(now) != text {
		t.Errorf("the file holds %q, %v", now, err)
	}
}

func TestDenialInTheAnswersFileApplies(t *testing.T) {
	dir := t.TempDir()
	files(t, dir, map[string]string{SavedFile: strings.Replace(allowMake, "allow", "deny", 1)})
	e, _ := Read(Places{User: dir})
	if d := e.Decide(callOf(runs(part(1, "make")))); d.Kind != Deny {
		t.Errorf("it is %s", d.Kind)
	}
}

func TestAnswerOverridesOnlyTheUsersQuestions(t *testing.T) {
	answer := func(c Call) []*Rule { return offered(t, Session, c).Rules }
	call := callOf(runs(part(1, "make")))
	ask := "\n[[rule]]\ntoolName = \"run_shell_command\"\npriority = 999\ndecision = \"ask_user\"\n"
	for _, c := range []struct{ name, rules, want string }{
		{"nobody's", "", "allow"},
		{"the user's", "# user" + ask, "allow"},
		{"the administrator's", "# admin" + ask, "ask"},
		{"a project's", "# project" + ask, "ask"},
		{"a denial of the user's", "# user" + strings.Replace(ask, "ask_user", "deny", 1), "deny"},
	} {
		call.Answers = nil
		call.Answers = answer(call)
		d := New(rulesOf(t, c.rules), nil).Decide(call)
		if d.Kind.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, d.Kind, c.want)
		}
		if d.Kind == Ask && len(d.Offers) > 0 {
			t.Errorf("%s: an answer is offered that would change nothing: %v", c.name, d.Offers)
		}
	}
}

// Saving an answer keeps everything else in the file, which may be the user's
// or Gemini CLI's.
func TestSavedAnswerKeepsTheOthers(t *testing.T) {
	dir := t.TempDir()
	files(t, dir, map[string]string{SavedFile: `[[rule]]
name = "never"
toolName = "run_shell_command"
commandPrefix = "rm"
decision = "deny"
denyMessage = "No."
[[rule]]
toolName = "run_shell_command"
commandPrefix = "make"
decision = "deny"
modes = ["yolo"]
[[rule]]
toolName = "run_shell_command"
commandRegex = "git log"
decision = "allow"
[[rule]]
toolName = ["mcp_a_x", "mcp_b_y"]
toolAnnotations = { readOnlyHint = true }
interactive = true
decision = "allow"
[[safety_checker]]
toolName = "write_file"
checker = { type = "in-process", name = "allowed-path" }
`})
	makes := callOf(runs(part(1, "make")))
	for range 2 {
		if err := (Answers{State: dir, User: dir}).Save(offered(t, Everywhere, makes), ""); err != nil {
			t.Fatal(err)
		}
	}
	e, problems := Read(Places{User: dir})
	if len(problems) > 0 {
		t.Fatalf("problems %q", problems)
	}
	for _, c := range []struct {
		name string
		call Call
		want string
	}{
		{"what was answered", makes, "allow"},
		{"what is denied", callOf(runs(part(1, "rm x"))), "deny"},
		{"what is denied in another mode", inMode(Yolo, makes), "deny"},
		{"what an expression names", callOf(runs(part(2, "git log -1"))), "allow"},
		{"what it does not name", callOf(runs(part(2, "npm publish"))), "ask"},
		{"one of two tools", annotated("mcp_a_x", true), "allow"},
		{"the other of two tools", annotated("mcp_b_y", true), "allow"},
		{"a tool that says something else", annotated("mcp_a_x", false), "ask"},
	} {
		if d := e.Decide(c.call); d.Kind.String() != c.want {
			t.Errorf("%s: %s by %s, want %s", c.name, d.Kind, d.Rule, c.want)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, SavedFile))
	if err != nil || strings.Count(string(text), "[[rule]]") != 5 || !strings.Contains(string(text), "allowed-path") {
		t.Errorf("%v, kept is\n%s", err, text)
	}
}

func inMode(m Mode, c Call) Call {
	c.Mode = m
	return c
}

// annotated returns a call of a server's tool with the annotation that it only
// reads.
func annotated(tool string, reads bool) Call {
	c := callOf(nil)
	c.Tool, c.Server = tool, &tools.ServerTool{Server: strings.Split(tool, "_")[1], Tool: strings.Split(tool, "_")[2], Annotations: map[string]any{"readOnlyHint": reads}}
	return c
}

func TestAnswersThatCannotBeRemembered(t *testing.T) {
	call := callOf(runs(part(1, "make")))
	saved := New(offered(t, Everywhere, call).Rules, nil)
	call.Answers = offered(t, Session, call).Rules
	for _, e := range []*Engine{New(nil, nil), saved} {
		call.NoAlways = false
		if d := e.Decide(call); d.Kind != Allow {
			t.Errorf("it is %s by %s", d.Kind, d.Rule)
		}
		call.NoAlways = true
		if d := e.Decide(call); d.Kind != Ask || len(d.Offers) > 0 {
			t.Errorf("where no answer lasts it is %s by %s, with the offers %v", d.Kind, d.Rule, d.Offers)
		}
	}
}

// An answer for exactly one call covers no other, however similar.
func TestAnswerForACallCoversOnlyThat(t *testing.T) {
	call := func(args string) Call {
		c := callOf(nil)
		c.Tool, c.Args = "mcp_db_delete", []byte(args)
		return c
	}
	asked := call(`{"id":9007199254740993,"why":"a\nb"}`)
	answers := offered(t, Session, asked).Rules
	for _, c := range []struct{ name, args, want string }{
		{"the same", `{"id":9007199254740993,"why":"a\nb"}`, "allow"},
		{"in another order, with blanks", `{ "why": "a\u000ab", "id": 9007199254740993 }`, "allow"},
		{"a number that a fraction would not tell apart", `{"id":9007199254740992,"why":"a\nb"}`, "ask"},
		{"one more argument", `{"id":9007199254740993,"why":"a\nb","x":1}`, "ask"},
		{"the same inside", `{"a":{"id":9007199254740993,"why":"a\nb"}}`, "ask"},
		{"a name that stands twice", `{"id":9007199254740993,"why":"a\nb","why":"c"}`, "deny"},
		{"no object", `[{"id":9007199254740993,"why":"a\nb"}]`, "deny"},
		{"no JSON", `{"id":9007199254740993,"why":"a\nb"`, "deny"},
	} {
		again := call(c.args)
		again.Answers = answers
		if d := New(nil, nil).Decide(again); d.Kind.String() != c.want {
			t.Errorf("%s: %s by %s, want %s", c.name, d.Kind, d.Rule, c.want)
		}
	}
}

// Permission to reach one host does not cover others: further arguments of a
// network command may name them.
func TestNetworkAnswerCoversNoOtherArguments(t *testing.T) {
	dir := t.TempDir()
	a := Answers{State: dir, User: dir}
	fetch := part(1, "curl https://good.test")
	fetch.Network = true
	call := callOf(runs(fetch, part(2, "npm test")))
	o := offered(t, Project, call)
	if want := "exactly `curl https://good.test`, and commands that begin with `npm test`"; o.What != want {
		t.Errorf("it is offered for %s, want %s", o.What, want)
	}
	if err := a.Save(o, "/project"); err != nil {
		t.Fatal(err)
	}
	e, problems := Read(Places{Answers: []string{a.File(Project, "/project")}})
	if len(problems) > 0 {
		t.Fatalf("problems %q", problems)
	}
	further := part(1, "curl https://good.test https://evil.test")
	further.Network = true
	for _, c := range []struct {
		name string
		call Call
		want string
	}{
		{"the same", call, "allow"},
		{"further words for the network", callOf(runs(further)), "ask"},
		{"further words for another", callOf(runs(part(2, "npm test --watch"))), "allow"},
	} {
		if d := e.Decide(c.call); d.Kind.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, d.Kind, c.want)
		}
	}
}

// A remembered answer is offered only if all its words can be shown.
func TestOfferIsReadCompletely(t *testing.T) {
	for _, c := range []struct {
		name  string
		words []string
		want  int // offers
	}{
		{"few words", []string{"tool", "a", "b c"}, 3},
		{"many words", strings.Fields("tool " + strings.Repeat("word ", 60)), 1},
		{"a line end", []string{"tool", "a\nb"}, 1},
		{"a no-break space", []string{"tool", "a\u00a0b"}, 1},
	} {
		if d := New(nil, nil).Decide(callOf(runs(partOf(c.words...)))); len(d.Offers) != c.want {
			t.Errorf("%s: %d offers, want %d: %v", c.name, len(d.Offers), c.want, d.Offers)
		}
	}
}

// Running in the background is more than what the user approved.
func TestForegroundAnswerDoesNotCoverTheBackground(t *testing.T) {
	for _, asked := range []bool{false, true} {
		r := runs(part(1, "make"))
		r.Background = asked
		answers := offered(t, Session, callOf(r)).Rules
		for _, again := range []bool{false, true} {
			r.Background = again
			call := callOf(r)
			call.Answers = answers
			if d := New(nil, nil).Decide(call); (d.Kind == Allow) != (asked == again) {
				t.Errorf("asked in the background %v, again in it %v: %s", asked, again, d.Kind)
			}
		}
	}
}
