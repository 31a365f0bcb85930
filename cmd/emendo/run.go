package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
)

// runFlags are the command line of `emendo run`.
type runFlags struct {
	prompt, model, format, mode, allowed, resume, sessionID, include, cwd, record string
	maxTurns                                                                      int
	trust, noSandbox, debug                                                       bool
}

func (r *runFlags) define(f *flag.FlagSet) {
	for _, name := range []string{"p", "prompt"} {
		f.StringVar(&r.prompt, name, "", "the prompt; what stands on standard input goes before it")
	}
	for _, name := range []string{"m", "model"} {
		f.StringVar(&r.model, name, "", "the model: a Gemini model's name, provider/NAME or replay:FILE")
	}
	for _, name := range []string{"o", "output-format"} {
		f.StringVar(&r.format, name, "text", "text, json or stream-json")
	}
	f.StringVar(&r.mode, "approval-mode", "", "default, auto_edit, plan or yolo")
	f.StringVar(&r.allowed, "allowed-tools", "", "tools that need no approval, comma-separated; run_shell_command(PREFIX) for some commands")
	for _, name := range []string{"r", "resume"} {
		f.StringVar(&r.resume, name, "", "go on with a session: its id, latest, or a number, 1 being this folder's oldest")
	}
	f.StringVar(&r.sessionID, "session-id", "", "the new session's id")
	f.StringVar(&r.include, "include-directories", "", "further folders, comma-separated")
	f.StringVar(&r.record, "record", "", "append the model's answers to this file, which replay:FILE plays")
	f.IntVar(&r.maxTurns, "max-turns", 0, "how many model requests are allowed")
	f.BoolVar(&r.trust, "trust", false, "trust the folder for this run")
	f.BoolVar(&r.noSandbox, "no-sandbox", false, "run commands without a sandbox")
	f.StringVar(&r.cwd, "cwd", "", "the session's folder")
	for _, name := range []string{"d", "debug"} {
		f.BoolVar(&r.debug, name, false, "log to standard error")
	}
}

func (p process) runPrompt(ctx context.Context, args []string) error {
	var r runFlags
	f := newFlags("run")
	r.define(f)
	rest, err := p.parse(f, "[flags] [PROMPT]", args)
	if err != nil {
		return err
	}
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if err := r.check(rest, given); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := newOutput(r.format, p, stop)
	end, err := p.runSession(ctx, r, rest, given["p"] || given["prompt"] || len(rest) > 0, out)
	code, err := outcome(context.Cause(ctx), end, err, out.sessionID())
	if code == exitPipe {
		return nil // whoever read the answer has had enough
	}
	if werr := out.finish(end, err, code); werr != nil && !isPipeClosed(werr) {
		return werr
	}
	if err != nil {
		return exit{code, err}
	}
	return nil
}

// exitPipe stands for the success that nobody reads.
const exitPipe = -1

// outcome is the exit status of a run, and what is said to it: by what ended
// its context, if anything did, by the error of its turn, by how the turn ended.
func outcome(cause error, end agent.Ended, err error, session string) (int, error) {
	var s signalled
	var e exit
	switch {
	case errors.As(cause, &s):
		return s.code(), s
	case isPipeClosed(cause):
		return exitPipe, nil
	case errors.As(cause, &e):
		return e.code, e.err
	case cause != nil:
		return exitFailure, cause
	case errors.As(err, &e):
		return e.code, e.err
	case err != nil:
		return statusOf(err), err
	}
	if end.Incomplete != "" {
		return exitFailure, fmt.Errorf("the answer is incomplete: %s Continue with --resume %s", end.Incomplete, session)
	}
	switch end.StopReason {
	case agent.EndTurn, agent.StopMaxTokens:
		return exitOK, nil
	case agent.MaxTurnRequests:
		return exitTurnLimit, fmt.Errorf("the turn limit is reached before the work is done; go on with --resume %s", session)
	case agent.Refusal:
		return exitFailure, errors.New("the model's provider stopped the answer")
	case agent.StopBlocked:
		if end.Halted != "" {
			return exitFailure, fmt.Errorf("a hook blocked the turn: %s", visible.OneLine(printable(end.Halted)))
		}
		return exitFailure, errors.New("the model's provider refuses the prompt")
	case agent.StopLoop:
		return exitFailure, errors.New("the model repeats itself, so the turn was ended")
	case agent.StopCancelled, agent.StopError:
	}
	return exitFailure, fmt.Errorf("the turn ended as %s", end.StopReason)
}

// check refuses what the flags do not allow, before anything is read.
func (r *runFlags) check(rest []string, given map[string]bool) error {
	switch {
	case !slices.Contains([]string{"text", "json", "stream-json"}, r.format):
		return badInput("--output-format takes text, json or stream-json, not %q", r.format)
	case len(rest) > 1:
		return badInput("there is more than one prompt: quote it, or put -- before it (%q follows %q)", rest[1], rest[0])
	case len(rest) == 1 && r.prompt != "":
		return badInput("there are two prompts, one as -p and one as an argument")
	case given["max-turns"] && r.maxTurns < 1:
		return badInput("--max-turns takes a number from 1 on, not %d", r.maxTurns)
	case r.sessionID != "" && !agent.ValidID(r.sessionID):
		return badInput("--session-id takes 1 to 64 letters, digits, - and _, not %q", r.sessionID)
	case (given["r"] || given["resume"]) && r.resume == "":
		return badInput("--resume takes a session's id, latest or a number")
	case r.sessionID != "" && r.resume != "" && r.sessionID != r.resume:
		return badInput("--session-id and --resume name different sessions")
	}
	if r.mode != "" {
		if _, err := agent.ParseMode(r.mode); err != nil {
			return badInput("--approval-mode: %v", err)
		}
	}
	return nil
}

// runSession runs the prompt in a new or a resumed session.
func (p process) runSession(ctx context.Context, r runFlags, rest []string, prompted bool, out *output) (agent.Ended, error) {
	var none agent.Ended
	paths, err := p.folders()
	if err != nil {
		return none, err
	}
	at, err := r.place(agent.NewStore(filepath.Join(paths.State, "sessions")))
	if err != nil {
		return none, err
	}
	if at.note != "" {
		p.warn(at.note)
	}
	text := r.prompt
	if len(rest) == 1 {
		text = rest[0]
	}
	if text, err = p.promptText(ctx, text, prompted); err != nil {
		return none, err
	}
	w, err := p.runWiring(r, paths, &at)
	if err != nil {
		return none, err
	}
	defer w.held.close()
	if r.record != "" {
		f, err := os.OpenFile(r.record, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return none, badInput("--record: %v", err)
		}
		defer f.Close()
		w.record = f
	}
	if err := w.held.demand(w.settings.Tools.Sandbox); err != nil {
		return none, err
	}
	w.client = out
	a, end, err := w.alone(at.roots)
	if err != nil {
		return none, err
	}
	defer end()
	s, err := r.session(ctx, a, at)
	if err != nil {
		return none, err
	}
	defer w.tidy(a, 0)()
	defer a.EndSessions(ctx)
	out.begin(s)
	return s.Prompt(ctx, agent.Prompt{Blocks: []agent.Block{{Type: agent.TextBlock, Text: text}}})
}

// runWiring is what the agent of a run is built from, as the command line, the
// settings and trust have it. The settings may add folders to the place.
func (p process) runWiring(r runFlags, paths settings.Paths, at *place) (wiring, error) {
	w := wiring{process: p, paths: paths, allowed: splitTools(r.allowed), rules: &policies{paths: paths, warn: p.warn}, maxSteps: r.maxTurns, log: p.logger()}
	if r.debug {
		w.log = p.logger(sink{p.stderr, slog.LevelDebug})
	}
	var err error
	if w.trusted, w.approvals, err = p.runTrust(paths, r.trust, *at, w.log); err != nil {
		return w, err
	}
	trusted := w.trusted(at.cwd)
	if w.settings, err = p.load(paths, at.cwd, trusted, nil, r.settings(), p.warn); err != nil {
		return w, exit{exitConfig, err}
	}
	if at.resumed == "" {
		at.include(w.settings.Context.IncludeDirectories, w.trusted, p.warn)
	}
	if w.prompt, err = p.systemPrompt(at.cwd, trusted); err != nil {
		return w, exit{exitConfig, err}
	}
	if w.writer, err = p.promptWriter(at.cwd); err != nil {
		return w, exit{exitConfig, err}
	}
	if err := w.rules.usable(at.cwd, at.roots, trusted); err != nil {
		return w, err
	}
	w.held = &holding{process: p, paths: paths, log: w.log}
	w.warnOfTools(p.warn)
	return w, nil
}

// settings are those that the command line sets, by key.
func (r runFlags) settings() map[string]any {
	set := map[string]any{}
	if r.model != "" {
		set["model.name"] = r.model
	}
	if r.noSandbox {
		set["tools.sandbox"] = string(sandbox.Off)
	}
	return set
}

// session makes a session, or opens the one to go on with.
func (r runFlags) session(ctx context.Context, a *agent.Agent, at place) (*agent.Session, error) {
	if at.resumed == "" {
		return a.Create(ctx, agent.NewSession{ID: r.sessionID, Cwd: at.cwd, Roots: at.roots, Mode: agent.Mode(r.mode)})
	}
	s, err := a.Session(ctx, at.resumed)
	if err != nil {
		return nil, err
	}
	if r.model != "" && r.model != s.Info().Model {
		if err := s.SetModel(r.model); err != nil {
			return nil, err
		}
	}
	mode := agent.Mode(r.mode)
	if mode == "" && !s.Trusted() {
		mode = agent.Default // what it was trusted to do in an editor does not hold here
	}
	if mode != "" && mode != s.Info().Mode {
		if err := s.SetMode(mode); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// warn says on standard error what goes on all the same.
func (p process) warn(text string) {
	fmt.Fprintln(p.stderr, visible.OneLine(printable(p.secrets.Text(text))))
}

// splitTools splits a list at its commas, those in brackets left out.
func splitTools(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range s + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0:
			if t := strings.TrimSpace(s[from:i]); t != "" {
				out = append(out, t)
			}
			from = i + 1
		}
	}
	return out
}
