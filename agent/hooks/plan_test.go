package hooks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
)

func TestPlan(t *testing.T) {
	hook := func(source settings.Origin, name, command, matcher string) Hook {
		return Hook{Event: BeforeTool, Source: source, Name: name, Command: command, Matcher: matcher}
	}
	for _, tt := range []struct {
		name     string
		hooks    []Hook
		disabled []string
		off      bool
		in       Input  // nil: a call of replace
		refuse   string // folder whose hooks are not permitted
		want     string
	}{
		{name: "without a matcher", hooks: []Hook{hook(settings.OfUser, "a", "x", "")}, want: "a"},
		{name: "with a star", hooks: []Hook{hook(settings.OfUser, "a", "x", "*")}, want: "a"},
		{name: "a tool's name is searched", hooks: []Hook{hook(settings.OfUser, "a", "x", "write|repl"), hook(settings.OfUser, "b", "x", "^write$")}, want: "a"},
		{name: "a broken expression is a name", hooks: []Hook{hook(settings.OfUser, "a", "x", "repl("), hook(settings.OfUser, "b", "y", "replace(")}, in: ToolInput{Tool: "repl(", Args: json.RawMessage(`{}`)}, want: "a"},
		{name: "project, user, system, in the order written", hooks: []Hook{hook(settings.OfSystem, "d", "x", ""), hook(settings.OfUser, "b", "x", ""), hook(settings.OfUser, "c", "x", ""), hook(settings.OfProject, "a", "x", "")}, want: "a b c d"},
		{name: "the same hook once, the first one", hooks: []Hook{hook(settings.OfUser, "a", "x", ""), hook(settings.OfProject, "a", "x", ""), hook(settings.OfUser, "", "x", ""), hook(settings.OfUser, "", "x", "")}, want: "a x"},
		{name: "the user's, not a project's like it", hooks: []Hook{hook(settings.OfProject, "a", "x", ""), {Event: BeforeTool, Source: settings.OfUser, Name: "a", Command: "x", Description: " of the user"}}, want: "a of the user"},
		{name: "one that is not permitted does not stand in another's way", hooks: []Hook{{Event: BeforeTool, Source: settings.OfProject, Folder: "/p", Name: "a", Command: "x"}, {Event: BeforeTool, Source: settings.OfProject, Folder: "/q", Name: "a", Command: "x", Description: " of q"}}, refuse: "/p", want: "a of q"},
		{name: "disabled by name", hooks: []Hook{hook(settings.OfUser, "a", "x", ""), hook(settings.OfUser, "b", "x", "")}, disabled: []string{"a", "x"}, want: "b"},
		{name: "disabled by command where there is no name", hooks: []Hook{hook(settings.OfUser, "", "x", ""), hook(settings.OfUser, "b", "x", "")}, disabled: []string{"x"}, want: "b"},
		{name: "of another event", hooks: []Hook{hook(settings.OfUser, "a", "x", "")}, in: ToolOutcome{}, want: ""},
		{name: "what set the event off, exactly", hooks: []Hook{{Event: SessionEnd, Name: "a", Command: "x", Matcher: "exi"}, {Event: SessionEnd, Name: "b", Command: "x", Matcher: "exit"}, {Event: SessionEnd, Name: "c", Command: "x", Matcher: "exit|logout"}}, in: EndInput{"exit"}, want: "b c"},
		{name: "an event without a subject has no matchers", hooks: []Hook{{Event: BeforeAgent, Name: "a", Command: "x", Matcher: "never"}}, in: PromptInput{"go"}, want: "a"},
		{name: "switched off", hooks: []Hook{hook(settings.OfUser, "a", "x", "")}, off: true, want: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.in
			if in == nil {
				in = ToolInput{Tool: "replace", Args: json.RawMessage(`{}`)}
			}
			e := Engine{Config{Hooks: tt.hooks, Disabled: tt.disabled, Off: tt.off}, &player{}}
			var got []string
			for _, r := range e.Fire(t.Context(), scene, in, func(h Hook) (trust.Cleared, bool) {
				return trust.Cleared{}, h.Folder == "" || h.Folder != tt.refuse
			}).Runs {
				got = append(got, r.Hook.Label()+r.Hook.Description)
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
		})
	}
}
