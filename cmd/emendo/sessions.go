package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
)

const sessionsUsage = "list [--json] | show [--json] ID | export [--format markdown|json] ID | import FILE... | delete ID"

// sessions lists, shows, exports, imports and deletes stored sessions.
func (p process) sessions(_ context.Context, args []string) error {
	f := newFlags("sessions")
	asJSON := f.Bool("json", false, "as JSON, for list and show")
	format := f.String("format", "markdown", "markdown or json, for export")
	rest, err := p.parse(f, sessionsUsage, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return badInput("sessions: say what to do: %s", sessionsUsage)
	}
	verb, ids := rest[0], rest[1:]
	wanted := map[string]int{"list": 0, "show": 1, "export": 1, "delete": 1, "import": len(ids)}
	n, known := wanted[verb]
	switch {
	case !known:
		return badInput("sessions: there is no %q; there are list, show, export, import and delete", verb)
	case verb == "import" && n == 0:
		return badInput("sessions import takes the session files of Gemini CLI")
	case len(ids) != n:
		return badInput("sessions %s takes %s", verb, []string{"no argument", "one session id"}[n])
	case *asJSON && verb != "list" && verb != "show":
		return badInput("sessions %s takes no --json", verb)
	case isSet(f, "format") && verb != "export":
		return badInput("sessions %s takes no --format", verb)
	case *format != "markdown" && *format != "json":
		return badInput("--format takes markdown or json, not %q", *format)
	}
	paths, err := p.folders()
	if err != nil {
		return err
	}
	store := agent.NewStore(filepath.Join(paths.State, "sessions"))
	_, _ = keyFile{filepath.Join(paths.Config, "keys"), p.secrets}.read() // what it holds is secret, even if it cannot be used
	store.Unread, store.Secrets = func(err error) { p.warn(err.Error()) }, p.secrets
	switch verb {
	case "list":
		err = p.listSessions(store, *asJSON)
	case "show":
		err = p.showSession(store, ids[0], *asJSON)
	case "export":
		err = p.showSession(store, ids[0], *format == "json")
	case "import":
		return p.importSessions(store, ids)
	default:
		err = deleteSession(store, paths.State, ids[0])
	}
	if errors.Is(err, agent.ErrUnknownSession) {
		return exit{exitInput, err}
	}
	return err
}

// deleteSession removes a session with everything that is kept for it.
func deleteSession(store *agent.Store, state, id string) error {
	if err := store.Delete(id); err != nil { // from here on the id is known to be no path
		return err
	}
	var errs []error
	for _, of := range []string{"output", "plans", "checkpoints"} {
		errs = append(errs, os.RemoveAll(filepath.Join(state, of, id)))
	}
	return errors.Join(errs...)
}

func (p process) listSessions(store *agent.Store, asJSON bool) error {
	all, _, err := store.List(agent.Listing{})
	if err != nil {
		return err
	}
	if asJSON {
		infos := make([]acp.SessionInfo, len(all))
		for i, s := range all {
			infos[i] = acp.SessionInfoOf(s)
		}
		return p.printJSON(infos)
	}
	t := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, s := range all {
		turns := fmt.Sprintf("%d turns", s.Turns)
		if s.Turns == 1 {
			turns = "1 turn"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", s.ID, s.UpdatedAt.Local().Format("2006-01-02 15:04"), turns, oneLine(printable(strings.TrimSuffix(s.Title+": "+s.Summary, ": "))))
	}
	return t.Flush()
}

// wireUpdate is an update as emendo/session/replay gives it.
type wireUpdate struct {
	SessionID string          `json:"sessionId"`
	Seq       int64           `json:"seq"`
	TurnID    string          `json:"turnId,omitempty"`
	Update    json.RawMessage `json:"update"`
}

func (p process) showSession(store *agent.Store, id string, asJSON bool) error {
	info, updates, err := store.Read(id)
	if err != nil {
		return err
	}
	if !asJSON {
		_, err := fmt.Fprint(p.stdout, transcript(info, updates))
		return err
	}
	wire := make([]wireUpdate, len(updates))
	for i, u := range updates {
		wire[i] = wireUpdate{u.SessionID, u.Seq, u.TurnID, acp.Update(u.Event)}
	}
	return p.printJSON(map[string]any{"session": acp.SessionInfoOf(info), "updates": wire})
}

func (p process) printJSON(v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// transcript is a session as Markdown to read.
func transcript(info agent.SessionInfo, updates []agent.Update) string {
	void := map[string]bool{} // messages whose stream broke
	for _, u := range updates {
		if r, ok := u.Event.(agent.Retract); ok {
			void[r.MessageID] = true
		}
	}
	w := transcriber{titles: map[string]string{}}
	fmt.Fprintf(&w.b, "# %s\n\n%s · %s · %s · %s\n", oneLine(info.Title), info.ID, info.Cwd, info.CreatedAt.Local().Format(time.DateTime), answered(info.Model, updates))
	if info.Summary != "" {
		fmt.Fprintf(&w.b, "\n%s\n", oneLine(info.Summary))
	}
	for _, u := range updates {
		switch e := u.Event.(type) { //nolint:gochecksumtype // what a reader would miss is here; the others are bookkeeping
		case agent.UserChunk:
			w.text("You", blockText(e.Block))
		case agent.Text:
			if !void[e.MessageID] {
				w.text("emendo", e.Text)
			}
		case agent.ToolCall:
			w.titles[e.CallID] = e.Title
		case agent.ToolUpdate:
			w.call(e)
		case agent.Notice:
			if e.Severity != agent.Info {
				w.item("emendo", fmt.Sprintf("%s: %s", e.Title, e.Description))
			}
		case agent.TurnEnded:
			if e.StopReason != agent.EndTurn {
				w.item("emendo", "the turn ended as "+string(e.StopReason))
			}
			w.speaker = "" // the next turn has headings of its own
		}
	}
	return printable(w.b.String())
}

// answered is the model that the user chose, with those that answered where
// they are others.
func answered(chosen string, updates []agent.Update) string {
	var names []string
	for _, u := range updates {
		if f, ok := u.Event.(agent.ResponseFinished); ok && f.Model != "" && f.Model != chosen && !slices.Contains(names, f.Model) {
			names = append(names, f.Model)
		}
	}
	if len(names) == 0 {
		return chosen
	}
	return fmt.Sprintf("%s (%s)", chosen, strings.Join(names, ", "))
}

// transcriber writes who said what, with a heading wherever the speaker changes.
type transcriber struct {
	b       strings.Builder
	speaker string
	items   bool              // the last thing written is a list item
	titles  map[string]string // of calls
}

func (w *transcriber) turnTo(speaker string) {
	if w.speaker != speaker {
		fmt.Fprintf(&w.b, "\n## %s\n", speaker)
		w.speaker, w.items = speaker, false
	}
}

func (w *transcriber) text(speaker, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	w.turnTo(speaker)
	fmt.Fprintf(&w.b, "\n%s\n", text)
	w.items = false
}

func (w *transcriber) item(speaker, text string) {
	w.turnTo(speaker)
	if !w.items {
		w.b.WriteByte('\n')
	}
	fmt.Fprintf(&w.b, "- %s\n", oneLine(text))
	w.items = true
}

// call writes a line for a call that has ended.
func (w *transcriber) call(e agent.ToolUpdate) {
	if e.Title != "" {
		w.titles[e.CallID] = e.Title
	}
	if !e.Over() {
		return
	}
	line := "`" + strings.ReplaceAll(w.titles[e.CallID], "`", "'") + "`"
	switch {
	case e.State != agent.Success:
		line += " " + string(e.State)
	case e.Summary != "":
		line += ": " + e.Summary
	}
	w.item("emendo", line)
}

// blockText is what a reader sees of a piece of a prompt.
func blockText(b agent.Block) string {
	switch b.Type {
	case agent.TextBlock:
		return b.Text
	case agent.ImageBlock, agent.AudioBlock, agent.LinkBlock, agent.ResourceBlock:
	default:
		panic("unknown block type " + b.Type)
	}
	name := b.URI
	if name == "" {
		name = b.Name
	}
	return fmt.Sprintf("[%s %s]", b.Type, name)
}
