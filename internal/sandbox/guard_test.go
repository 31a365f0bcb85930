package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestGuardChooses(t *testing.T) {
	broken := errors.New("out of order")
	find := func(a, b error) []Finding {
		start := means{start: func(context.Context, Command) (Process, error) { return nil, errors.New("started") }}
		return []Finding{{Isolated, "namespaces", a, "fix A", start}, {Restricted, "Landlock", b, "fix B", start}}
	}
	for _, c := range []struct {
		name  string
		o     Options
		a, b  error // why the levels cannot be had
		level Level
		why   string // what the refusal says
	}{
		{name: "the firmest", level: Isolated},
		{name: "the next one", a: broken, level: Restricted},
		{name: "none where nothing works", a: broken, b: broken, level: Open},
		{name: "none when none is wanted", o: Options{Want: Off}, level: Open},
		{name: "the firmest when one is required", o: Options{Want: Required}, level: Isolated},
		{name: "a refusal when one is required and nothing works", o: Options{Want: Required}, a: broken, b: broken, why: "namespaces: out of order (fix A); Landlock: out of order (fix B)"},
		{name: "exactly A", o: Options{Only: "A"}, level: Isolated},
		{name: "exactly A, and no less", o: Options{Only: "A"}, a: broken, why: "namespaces: out of order"},
		{name: "exactly B though A would work", o: Options{Only: "B"}, level: Restricted},
		{name: "B where none is wanted", o: Options{Want: Off, Only: "B"}, level: Restricted},
		{name: "C where any will do", o: Options{Only: "C"}, level: Open},
		{name: "no C where a sandbox is required", o: Options{Want: Required, Only: "C"}, why: "the settings require a sandbox"},
		{name: "no level of that name", o: Options{Only: "a"}, why: "unknown level a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewGuard(c.o)
			g.survey = func(wanted func(Level) bool) (found []Finding) {
				for _, f := range find(c.a, c.b) {
					if wanted(f.Level) {
						found = append(found, f)
					}
				}
				return found
			}
			s := g.Survey()
			if c.why == "" {
				if s.Err != nil || s.Level != c.level {
					t.Errorf("got %v, %v, want %v", s.Level, s.Err, c.level)
				}
				return
			}
			if !errors.Is(s.Err, ErrUnavailable) || !strings.Contains(s.Err.Error(), c.why) {
				t.Errorf("got %v, want a refusal that says %q", s.Err, c.why)
			}
			if _, err := g.Start(t.Context(), Command{Argv: []string{"/bin/true"}, Dir: "/", Profile: &Profile{}}); !errors.Is(err, ErrUnavailable) {
				t.Errorf("a command was started, %v", err)
			}
		})
	}
}
