package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// A Trial lets a test command run as the commands of sessions do.
type Trial struct {
	Guard *sandbox.Guard
	// Profile returns the command's folder and what it may access.
	Profile func() (dir string, p *sandbox.Profile, err error)
	Close   func() // removes the folder
}

// sandbox checks the level of the sandbox, and why it is not higher.
func (e *Examination) sandbox(ctx context.Context) {
	trial := e.Sandbox(e.place, e.settings)
	defer trial.Close()
	s := trial.Guard.Survey()
	if s.Err != nil {
		e.add("sandbox", auth.Broken, "fix the causes, or set tools.sandbox to auto", "%v", s.Err)
		return
	}
	e.level = s.Level
	v, by, fix := auth.Fine, "", ""
	if s.Means != "" {
		by = " (" + s.Means + ")"
	}
	var why []string
	for _, f := range s.Findings {
		if f.Err != nil && f.Level > s.Level {
			why, fix = append(why, f.Means+": "+f.Err.Error()), f.Fix
		}
	}
	if s.Level < sandbox.Isolated {
		v = auth.Lacking
	}
	if len(s.Findings) == 0 && s.Level == sandbox.Open {
		why = []string{"it is disabled or not available on this system"}
	}
	text := fmt.Sprintf("commands run at level %s%s", s.Level, by)
	took, err := e.spawn(ctx, trial)
	ms := float64(took.Microseconds()) / 1000
	if err == nil {
		text += fmt.Sprintf("; starting one takes %.1f ms", ms)
	} else {
		v, text = auth.Broken, text+", but a test command could not be started: "+err.Error()
	}
	if len(why) > 0 {
		text += "; a higher level is not available: " + strings.Join(why, ", ")
	}
	if s.Level == sandbox.Restricted {
		text += "; at level A fewer commands need approval"
	}
	e.add("sandbox", v, fix, "%s", text)
	e.found[len(e.found)-1].StartMS = ms
}

// spawn measures the time to run a no-op command: the shortest of several runs.
func (e *Examination) spawn(ctx context.Context, trial Trial) (time.Duration, error) {
	dir, profile, err := trial.Profile()
	if err != nil {
		return 0, err
	}
	env := sandbox.Environment(e.Environ, nil, []string{dir, e.place.Dir})
	argv, err := sandbox.Shell("", ":", env)
	if err != nil {
		return 0, err
	}
	least := time.Hour
	for range 5 {
		began := time.Now()
		said, err := sandbox.Run(ctx, trial.Guard, sandbox.Command{Argv: argv, Dir: dir, Env: env, Profile: profile}, sandbox.Talk{})
		if err != nil {
			return 0, err
		}
		if said.Exit != (sandbox.Exit{}) {
			return 0, fmt.Errorf("it failed: %s", said.Errors)
		}
		least = min(least, time.Since(began))
	}
	return least, nil
}
