package settings

import (
	"fmt"
	"strings"
	"testing"
)

// The hooks of all layers are kept, each with its origin.
func TestHooksOfAllLayers(t *testing.T) {
	h := newHome(t)
	one := func(command string) string {
		return fmt.Sprintf(`{"hooks": {"BeforeTool": [{"matcher": "x", "sequential": true, "hooks": [{"type": "command", "command": %q, "name": "n", "timeout": 500, "env": {"A": "$HOME/b"}}]}, {"hooks": []}]}}`, command)
	}
	h.write("user", one("$HOME/u"))
	h.write("gemini", one("$HOME/g"))
	h.write("project", one("p"))
	h.write("system", one("s"))
	h.opts.Env = func(name string) string { return map[string]string{"HOME": "/home/me"}[name] }
	h.opts.Configuration = []byte(one("c"))
	h.opts.Editor = []byte(one("e"))
	s, warnings, err := Load(h.opts)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	var got []string
	for _, d := range s.Hooks.BeforeTool {
		line := fmt.Sprintf("%d %d", d.Origin, d.Place)
		for _, e := range d.Hooks {
			line += fmt.Sprintf(" %s %s %v %v %s %v %v", e.Command, d.Matcher, d.Sequential, e.Timeout, e.Name, e.Env, e.Type)
		}
		got = append(got, line)
	}
	var want []string
	for _, l := range []struct {
		origin  Origin
		place   int
		command string
		env     string
	}{{OfUser, 0, "$HOME/u", "/home/me/b"}, {OfProject, 0, "$HOME/g", "$HOME/b"}, {OfProject, 2, "p", "$HOME/b"}, {OfUser, 2, "e", "/home/me/b"}, {OfProject, 4, "c", "$HOME/b"}, {OfSystem, 0, "s", "/home/me/b"}} {
		want = append(want, fmt.Sprintf("%d %d %s x true 500 n map[A:%s] command", l.origin, l.place, l.command, l.env), fmt.Sprintf("%d %d", l.origin, l.place+1))
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

func TestHooksWithMistakes(t *testing.T) {
	for _, tt := range []struct{ name, text, said string }{
		{"an event that there is not", `{"hooks": {"BeforeTol": []}}`, `warning: unknown setting "hooks.BeforeTol" is ignored: did you mean "hooks.BeforeTool"?`},
		{"no list", `{"hooks": {"BeforeTool": {}}}`, `"hooks.BeforeTool" must be a list of definitions, not an object`},
		{"no type", `{"hooks": {"BeforeTool": [{"hooks": [{"command": "x"}]}]}}`, `"hooks.BeforeTool.0.hooks.0.type" must be "command"`},
		{"no command", `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command"}]}]}}`, `"hooks.BeforeTool.0.hooks.0.command" must be the command to run`},
		{"a time that is none", `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x", "timeout": -1}]}]}}`, `"hooks.BeforeTool.0.hooks.0.timeout" must be a number of milliseconds`},
		{"an expression that is none", `{"hooks": {"AfterTool": [{"matcher": "*", "hooks": []}, {"matcher": "^(?!read_)", "hooks": []}]}}`, `warning: "hooks.AfterTool": the matcher "^(?!read_)" is taken for a tool's name, for as an expression it cannot be read (invalid or unsupported Perl syntax: ` + "`(?!`" + `): lookahead and references are not known`},
		{"no expression where none is read", `{"hooks": {"SessionStart": [{"matcher": "(", "hooks": []}]}}`, ""},
		{"the reserved kinds", `{"hooks": {"BeforeTool": [{"hooks": [{"type": "plugin"}, {"type": "runtime", "name": "n"}]}]}}`, ""},
		{"the older names of the configuration", `{"hooks": {"enabled": false}}`, `warning: "hooks.enabled" is the old name of "hooksConfig.enabled": rename it`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			h.write("user", tt.text)
			_, warnings, err := Load(h.opts)
			said := ""
			for _, w := range warnings {
				said += "warning: " + w.What
			}
			if err != nil {
				_, said, _ = strings.Cut(err.Error(), ": ")
			}
			if said != tt.said {
				t.Errorf("said %s\nwant %s", said, tt.said)
			}
		})
	}
}

// In another program's settings unknown keys are ignored, but not unknown events.
func TestAnUnknownEventIsReported(t *testing.T) {
	h := newHome(t)
	h.write("gemini", `{"unknown": 1, "hooks": {"BeforeTools": [], "BeforeTool": []}}`)
	_, warnings, err := Load(h.opts)
	if err != nil || len(warnings) != 1 || warnings[0].What != `unknown setting "hooks.BeforeTools" is ignored: did you mean "hooks.BeforeTool"?` {
		t.Errorf("warnings %v, error %v", warnings, err)
	}
}

// A project cannot switch off the user's hooks.
func TestAProjectDoesNotDecideWhichHooksRun(t *testing.T) {
	h := newHome(t)
	h.write("project", `{"hooksConfig": {"enabled": false, "disabled": ["guard"]}}`)
	s, warnings, err := Load(h.opts)
	if err != nil || len(warnings) != 2 || !s.HooksConfig.Enabled || len(s.HooksConfig.Disabled) > 0 {
		t.Errorf("got %+v, warnings %v, error %v", s.HooksConfig, warnings, err)
	}
}
