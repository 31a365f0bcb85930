package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/export"
	"github.com/emendo-dev/emendo/internal/visible"
)

const sessionsUsage = "list [--json] | show [--json] ID | export [--format markdown|json] ID | import FILE... | delete ID"

// sessions lists, shows, exports, imports or deletes stored sessions.
func (p process) sessions(_ context.Context, args []string) error {
	f := newFlags("sessions")
	asJSON := f.Bool("json", false, "print JSON (list, show)")
	format := f.String("format", "markdown", "markdown or json (export)")
	rest, err := p.parse(f, sessionsUsage, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return badInput("sessions: missing subcommand: %s", sessionsUsage)
	}
	verb, ids := rest[0], rest[1:]
	wanted := map[string]int{"list": 0, "show": 1, "export": 1, "delete": 1, "import": len(ids)}
	n, known := wanted[verb]
	switch {
	case !known:
		return badInput("sessions: unknown subcommand %q; want list, show, export, import or delete", verb)
	case verb == "import" && n == 0:
		return badInput("sessions import: name the session files of Gemini CLI to import")
	case len(ids) != n:
		return badInput("sessions %s takes %s", verb, []string{"no arguments", "one session ID"}[n])
	case *asJSON && verb != "list" && verb != "show":
		return badInput("sessions %s does not take --json", verb)
	case isSet(f, "format") && verb != "export":
		return badInput("sessions %s does not take --format", verb)
	case *format != "markdown" && *format != "json":
		return badInput("--format: want markdown or json, got %q", *format)
	}
	paths, err := p.folders()
	if err != nil {
		return err
	}
	store := transcript.NewStore(filepath.Join(paths.State, "sessions"))
	_, _ = p.keyFile(paths).Read() // secrets learn the keys, even of a file that is refused
	store.Unread, store.Secrets = func(err error) { p.warn(err.Error()) }, p.secrets
	s := stored{p, store, paths.State}
	switch verb {
	case "list":
		err = s.list(*asJSON)
	case "show":
		err = s.show(ids[0], *asJSON)
	case "export":
		err = s.show(ids[0], *format == "json")
	case "import":
		return s.importFiles(ids)
	default:
		err = s.remove(ids[0])
	}
	if errors.Is(err, transcript.ErrUnknownSession) {
		return exit{exitInput, err}
	}
	return err
}

// stored are the sessions on this machine.
type stored struct {
	process
	store *transcript.Store
	state string // the folder of everything that is kept for sessions
}

// remove deletes a session with everything that is kept for it.
func (s stored) remove(id string) error {
	if err := s.store.Delete(id); err != nil { // an ID that it accepts is not a path
		return err
	}
	var errs []error
	for _, of := range []string{"output", "plans", "checkpoints"} {
		errs = append(errs, os.RemoveAll(filepath.Join(s.state, of, id)))
	}
	return errors.Join(errs...)
}

func (s stored) list(asJSON bool) error {
	all, _, err := s.store.List(transcript.Listing{})
	if err != nil {
		return err
	}
	if asJSON {
		infos := make([]acp.SessionInfo, len(all))
		for i, info := range all {
			infos[i] = acp.SessionInfoOf(info)
		}
		return s.printJSON(infos)
	}
	t := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for _, info := range all {
		turns := fmt.Sprintf("%d turns", info.Turns)
		if info.Turns == 1 {
			turns = "1 turn"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", info.ID, info.UpdatedAt.Local().Format("2006-01-02 15:04"), turns, visible.OneLine(printable(strings.TrimSuffix(info.Title+": "+info.Summary, ": "))))
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
		_, err = fmt.Fprint(s.stdout, text)
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

func (p process) printJSON(v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// startGrace delays the clean-up in a server that has just started.
const startGrace = 10 * time.Second

// tidy deletes old sessions in the background after a delay. end stops that and
// waits for it.
func (w wiring) tidy(a *agent.Agent, after time.Duration) (end func()) {
	r := w.settings.General.SessionRetention
	if !r.Enabled {
		return func() {}
	}
	ctx, stop := context.WithCancel(context.Background())
	var tidying sync.WaitGroup
	tidying.Go(func() {
		select {
		case <-time.After(after):
		case <-ctx.Done():
			return
		}
		err := a.CleanUp(ctx, agent.Retention{MaxAge: time.Duration(r.MaxAge), MaxCount: r.MaxCount, MinAge: time.Duration(r.MinRetention)})
		if err != nil && !errors.Is(err, context.Canceled) {
			w.log.Warn("could not delete all old sessions", "err", err)
		}
	})
	return func() {
		stop()
		tidying.Wait()
	}
}
