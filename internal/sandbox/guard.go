package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Want is the user's choice of a sandbox.
type Want string

// The choices.
const (
	Auto     Want = "auto"     // the highest level that works here, or none
	Off      Want = "off"      // none
	Required Want = "required" // the highest level that works here; no command runs without one
)

// ErrUnavailable says that the requested sandbox does not work here, so no command
// runs.
var ErrUnavailable = errors.New("no sandbox is available")

// Options select a sandbox. The zero value is [Auto].
type Options struct {
	Want Want
	// Only is the letter of the only level to use, for tests. "C" is refused where a
	// sandbox is [Required].
	Only string
	// Memory is a file that remembers what works until the next boot, so that the next
	// process need not probe it; if empty, nothing is remembered.
	Memory string
}

// A Guard starts commands and confines them to their profiles, at the highest level
// that was asked for and works here. It probes what works once, on first use.
type Guard struct {
	o      Options
	survey func(wanted func(Level) bool) []Finding // probes this machine, up to the first means that works
}

// NewGuard returns a guard that has not probed anything.
func NewGuard(o Options) *Guard {
	return &Guard{o: o, survey: func(wanted func(Level) bool) []Finding { return machine.survey(wanted, o.Memory) }}
}

// A Finding is the result of probing one means on this machine.
type Finding struct {
	Level Level
	Means string // "namespaces", "bubblewrap", "Landlock" or "Seatbelt"
	Err   error  // why it does not work; nil: it does
	Fix   string // what the user can do about that

	by Spawner
}

// A Survey is what works on this machine, and the level that follows.
type Survey struct {
	Level    Level
	Means    string    // of that level; empty if none
	Findings []Finding // from the highest level to the one in use; empty if no sandbox was asked for
	Err      error     // wraps [ErrUnavailable]: no command runs
}

// Survey returns how commands are confined. The first call since boot takes some ten
// milliseconds.
func (g *Guard) Survey() Survey {
	s, _ := g.choose()
	return s
}

// Known returns the survey if that requires no probe.
func (g *Guard) Known() (Survey, bool) {
	if g.o.Only != "C" && (g.o.Want != Off || g.o.Only != "") && !machine.known() {
		return Survey{}, false
	}
	return g.Survey(), true
}

func (g *Guard) choose() (Survey, Spawner) {
	var s Survey
	unavailable := func(why string) (Survey, Spawner) {
		s.Err = fmt.Errorf("%w: %s", ErrUnavailable, why)
		return s, nil
	}
	only, ok := levels[g.o.Only]
	switch {
	case g.o.Only != "" && !ok:
		return unavailable("unknown level " + g.o.Only)
	case g.o.Only == "C" && g.o.Want == Required:
		return unavailable("the settings require a sandbox, and level C does not confine")
	case g.o.Only == "C", g.o.Only == "" && g.o.Want == Off:
		return s, System()
	}
	s.Findings = g.survey(func(l Level) bool { return g.o.Only == "" || l == only })
	var why []string
	for _, f := range s.Findings {
		if f.Err == nil {
			s.Level, s.Means = f.Level, f.Means
			return s, f.by
		}
		why = append(why, f.Means+": "+f.Err.Error()+" ("+f.Fix+")")
	}
	if g.o.Only == "" && g.o.Want != Required {
		return s, System()
	}
	if len(why) == 0 {
		why = []string{"not supported on this system"}
	}
	return unavailable(strings.Join(why, "; "))
}

var levels = map[string]Level{"A": Isolated, "B": Restricted, "C": Open}

// Start implements [Spawner]. A command without a profile is not confined; one with a
// profile is never confined at a lower level than was asked for.
func (g *Guard) Start(ctx context.Context, c Command) (Process, error) {
	if c.Profile == nil {
		return System().Start(ctx, c)
	}
	s, by := g.choose()
	if s.Err != nil {
		return nil, s.Err
	}
	if s.Level > Open && c.Profile.Incomplete != nil {
		return nil, c.Profile.Incomplete
	}
	p, err := by.Start(ctx, c)
	if err != nil && ctx.Err() == nil && machine.doubt(s.Means, g.o.Memory) { // it worked in an earlier process
		return g.Start(ctx, c)
	}
	return p, err
}

// A means is a way to confine commands.
type means struct {
	level Level
	name  string
	fix   string // what the user can do if it does not work
	start func(context.Context, Command) (Process, error)
}

// longestProbe bounds a probe; a means that takes longer counts as broken.
const longestProbe = 5 * time.Second

// Start implements [Spawner].
func (m means) Start(ctx context.Context, c Command) (Process, error) { return m.start(ctx, c) }

// probe runs a no-op command to check that the means works.
func (m means) probe() error {
	shell, err := Shell("", ":", nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), longestProbe)
	defer cancel()
	said, err := Run(ctx, m, Command{Argv: shell, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Profile: &Profile{}}, Talk{})
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("a no-op command took longer than %v", longestProbe)
	case err != nil:
		return err
	case said.Exit != Exit{}:
		return fmt.Errorf("a no-op command failed: %s", strings.TrimSpace(string(said.Errors)+string(said.Output)))
	}
	return nil
}
