package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/export"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/git"
	"github.com/emendo-dev/emendo/internal/resident"
	"github.com/emendo-dev/emendo/internal/visible"
)

// sessions lists, shows, exports, imports and deletes stored sessions.
func (p process) sessions() []cli.Command {
	return []cli.Command{
		{Name: "list", Summary: "list the stored sessions", Setup: func(f *flag.FlagSet) cli.Run {
			asJSON := f.Bool("json", false, "print JSON")
			return p.withSessions(func(s stored, _ []string) error { return s.list(*asJSON) })
		}},
		{Name: "show", Args: "SESSION", Summary: "print a session", Setup: func(f *flag.FlagSet) cli.Run {
			asJSON := f.Bool("json", false, "print JSON")
			return p.withSessions(func(s stored, args []string) error { return s.show(args[0], *asJSON) })
		}},
		{Name: "export", Args: "SESSION", Summary: "print a session as Markdown or JSON", Setup: func(f *flag.FlagSet) cli.Run {
			format := f.String("format", "markdown", "`markdown|json` the format")
			return p.withSessions(func(s stored, args []string) error {
				if *format != "markdown" && *format != "json" {
					return cli.BadInput("--format: want markdown or json, got %q", *format)
				}
				return s.show(args[0], *format == "json")
			})
		}},
		{Name: "import", Args: "FILE...", Summary: "import session files of Gemini CLI", Setup: cli.Plain(p.withSessions(stored.importFiles))},
		{Name: "delete", Args: "SESSION", Summary: "delete a session", Setup: cli.Plain(p.withSessions(func(s stored, args []string) error { return s.remove(args[0]) }))},
	}
}

// withSessions returns a function that runs a command on the stored sessions.
func (p process) withSessions(run func(stored, []string) error) cli.Run {
	return func(_ context.Context, args []string) error {
		paths, err := p.folders()
		if err != nil {
			return err
		}
		store := transcript.NewStore(filepath.Join(paths.State, "sessions"))
		_, _ = p.logins(paths).All()
		_, _ = p.keyFile(paths).Read() // registers the keys as secrets, even if the file is rejected
		store.Unread, store.Secrets = func(err error) { p.warn(err.Error()) }, p.secrets
		return run(stored{p, store, paths.State}, args)
	}
}

// stored manages the sessions on this machine.
type stored struct {
	process process
	store   *transcript.Store
	state   string // the folder of the session data
}

// remove deletes a session with all its data.
func (s stored) remove(id string) error {
	if err := s.store.Delete(id); err != nil { // a valid ID is not a path
		return err
	}
	return sessionData(s.state, git.Program{}).DeleteStored(id)
}

func (s stored) list(asJSON bool) error {
	all, _, err := s.store.List(transcript.Listing{})
	if err != nil {
		return err
	}
	l := make([]export.Listed, len(all))
	for i, info := range all {
		copies, size := sessionData(s.state, git.Program{}).Checkpoints.Size(info.ID)
		l[i] = export.NewListed(info, copies, size)
	}
	if asJSON {
		return visible.PrintJSON(s.process.stdout, l)
	}
	t := tabwriter.NewWriter(s.process.stdout, 0, 0, 2, ' ', 0)
	for _, session := range l {
		fmt.Fprintln(t, session.Line(printable))
	}
	return t.Flush()
}

func (s stored) show(id string, asJSON bool) error {
	format := "markdown"
	if asJSON {
		format = "json"
	}
	text, err := exported(s.store, id, format)
	if err == nil {
		_, err = fmt.Fprint(s.process.stdout, text)
	}
	return err
}

// exported returns a stored session as Markdown without control characters, or as
// JSON.
func exported(store *transcript.Store, id, format string) (string, error) {
	info, updates, err := store.Read(id)
	switch {
	case err != nil:
		return "", err
	case format == "json":
		return export.JSON(info, updates)
	}
	return printable(export.Markdown(info, updates)), nil
}

// startGrace delays the clean-up in a server that has just started.
const startGrace = 10 * time.Second

// startCleanUp recovers files that were being written when emendo crashed, passes what it did
// to tell, and deletes old sessions in the background after a delay. end stops that and
// waits.
func (w wiring) startCleanUp(a *agent.Agent, after time.Duration, tell func(string)) (end func()) {
	said, err := disk.Recover(context.Background(), copiesFolder(w.paths.State))
	for _, note := range said {
		w.log.Warn(note)
		tell(note)
	}
	if err != nil {
		w.log.Warn(err.Error())
	}
	r := w.settings.General.SessionRetention
	ctx, stop := context.WithCancel(context.Background())
	var tidying sync.WaitGroup
	tidying.Go(func() {
		if err := resident.Trim(); err != nil {
			w.log.Debug("could not give memory back", "err", err)
		}
		if !r.Enabled {
			return
		}
		select {
		case <-time.After(after):
		case <-ctx.Done():
			return
		}
		err := a.CleanUp(ctx, r)
		if err != nil && !errors.Is(err, context.Canceled) {
			w.log.Warn("could not delete all old sessions", "err", err)
		}
	})
	return func() {
		stop()
		tidying.Wait()
	}
}
