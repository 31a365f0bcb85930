package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// A Want is what the user's settings ask of the sandbox.
type Want string

// The wants.
const (
	Auto     Want = "auto"     // the firmest that this machine has, or none
	Off      Want = "off"      // none
	Required Want = "required" // the firmest, and no command without one
)

// ErrUnavailable says that a sandbox is asked for that cannot be had here. No
// command runs then.
var ErrUnavailable = errors.New("there is no sandbox")

// Options choose a sandbox. The zero value is [Auto].
type Options struct {
	Want Want
	// Only is a level's letter, for tests: that level and no other. It cannot
	// undercut what is wanted: "C" where a sandbox is [Required] is as good as
	// none that works.
	Only string
	// Memory is a file that keeps what worked until the next boot, so that the
	// next process need not try it; empty: nothing is kept.
	Memory string
}

// A Guard starts commands and holds them to their profiles, as firmly as was
// asked for and as this machine can. What it can is found out once, when it is
// first needed, by trying.
type Guard struct {
	o      Options
	survey func(wanted func(Level) bool) []Finding // of this machine, up to the first that works
}

// NewGuard makes a guard. Nothing is tried yet.
func NewGuard(o Options) *Guard {
	return &Guard{o: o, survey: func(wanted func(Level) bool) []Finding { return machine.survey(wanted, o.Memory) }}
}

// A Finding is one way of holding commands, tried on this machine.
type Finding struct {
	Level Level
	Means string // what holds them: "bubblewrap", "namespaces", "Landlock"
	Err   error  // why it cannot; nil: it can
	Fix   string // what the user can do about that

	start func(context.Context, Command) (Process, error)
}

// A Survey is what this machine can do, and what comes of that.
type Survey struct {
	Level    Level
	Means    string    // of that level; empty for none
	Findings []Finding // from the firmest to the one that is used; none where none was asked for
	Err      error     // wraps [ErrUnavailable]: no command runs
}

// Survey reports how commands are held. It takes some ten milliseconds when it
// is the first since the machine started.
func (g *Guard) Survey() Survey {
	s, _ := g.choose()
	return s
}

// Known returns the survey, if it can be had without trying anything.
func (g *Guard) Known() (Survey, bool) {
	if g.o.Only != "C" && (g.o.Want != Off || g.o.Only != "") && !machine.known() {
		return Survey{}, false
	}
	return g.Survey(), true
}

func (g *Guard) choose() (Survey, func(context.Context, Command) (Process, error)) {
	var s Survey
	unavailable := func(why string) (Survey, func(context.Context, Command) (Process, error)) {
		s.Err = fmt.Errorf("%w: %s", ErrUnavailable, why)
		return s, nil
	}
	only, ok := levels[g.o.Only]
	switch {
	case g.o.Only != "" && !ok:
		return unavailable("there is no level " + g.o.Only)
	case g.o.Only == "C" && g.o.Want == Required:
		return unavailable("level C was asked for, which is none, and the settings require one")
	case g.o.Only == "C", g.o.Only == "" && g.o.Want == Off:
		return s, System().Start
	}
	s.Findings = g.survey(func(l Level) bool { return g.o.Only == "" || l == only })
	var why []string
	for _, f := range s.Findings {
		if f.Err == nil {
			s.Level, s.Means = f.Level, f.Means
			return s, f.start
		}
		why = append(why, f.Means+": "+f.Err.Error()+" ("+f.Fix+")")
	}
	if g.o.Only == "" && g.o.Want != Required {
		return s, System().Start
	}
	if len(why) == 0 {
		why = []string{"this system has no means for it"}
	}
	return unavailable(strings.Join(why, "; "))
}

var levels = map[string]Level{"A": Isolated, "B": Restricted, "C": Open}

// Start starts a command as [Spawner] says. One without a profile is held to
// nothing; one with a profile is never held less firmly than was asked for.
func (g *Guard) Start(ctx context.Context, c Command) (Process, error) {
	if c.Profile == nil {
		return System().Start(ctx, c)
	}
	s, start := g.choose()
	if s.Err != nil {
		return nil, s.Err
	}
	if s.Level > Open && c.Profile.Incomplete != nil {
		return nil, c.Profile.Incomplete
	}
	p, err := start(ctx, c)
	if err != nil && ctx.Err() == nil && machine.doubt(s.Means, g.o.Memory) { // it worked when it was tried, some time ago
		return g.Start(ctx, c)
	}
	return p, err
}

// A means is a way of holding commands.
type means struct {
	level Level
	name  string
	fix   string // what the user can do if it does not work
	start func(context.Context, Command) (Process, error)
}

// longestTry is how long a means may take to answer before it counts as broken.
const longestTry = 5 * time.Second

// try runs a command that does nothing, to check that the means works.
func (m means) try() error {
	shell, err := Shell("", ":", nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), longestTry)
	defer cancel()
	p, err := m.start(ctx, Command{Argv: shell, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Profile: &Profile{}})
	if err != nil {
		return err
	}
	var e Exit
	var output []byte
	ended := make(chan struct{})
	go func() { // ends with the command, at the latest by Kill
		defer close(ended)
		out := p.Output()
		defer out.Close()
		output, _ = io.ReadAll(io.LimitReader(out, 4<<10)) // what was read counts
		e = p.Wait()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	p.Kill(0)
	<-ended
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("a command that does nothing took longer than %v", longestTry)
	case e != Exit{}:
		return fmt.Errorf("a command that does nothing failed: %s", strings.TrimSpace(string(output)))
	}
	return nil
}
