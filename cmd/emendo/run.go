package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/headless"
	"github.com/emendo-dev/emendo/cmd/emendo/systemprompt"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
)

// runFlags are the flags of `emendo run`.
type runFlags struct {
	prompt, model, format, mode, allowed, resume, sessionID, include, cwd, record string
	maxTurns                                                                      int
	maxTokens                                                                     int64
	maxCost                                                                       float64
	trust, noSandbox, debug                                                       bool
}

func (r *runFlags) define(f *flag.FlagSet) {
	for _, name := range []string{"p", "prompt"} {
		f.StringVar(&r.prompt, name, "", "`PROMPT` the prompt; text from standard input is prepended")
	}
	for _, name := range []string{"o", "output-format"} {
		f.StringVar(&r.format, name, "text", "`text|json|stream-json` what to print: the answer, one object, or an object for each event")
	}
	r.ofTurns(f)
}

// ofTurns defines the flags that say how a turn works.
func (r *runFlags) ofTurns(f *flag.FlagSet) {
	for _, name := range []string{"m", "model"} {
		f.StringVar(&r.model, name, "", "`MODEL` the model: a Gemini model, provider/NAME or replay:FILE")
	}
	f.StringVar(&r.mode, "approval-mode", "", "`default|auto_edit|plan|yolo` the approval mode")
	f.StringVar(&r.allowed, "allowed-tools", "", "`TOOL,...` tools that need no approval; run_shell_command(PREFIX) allows commands that begin with PREFIX")
	for _, name := range []string{"r", "resume"} {
		f.StringVar(&r.resume, name, "", "`SESSION` resume a session: its ID, \"latest\", or its index (1 = oldest in this folder)")
	}
	f.StringVar(&r.sessionID, "session-id", "", "`ID` the ID of the new session")
	f.StringVar(&r.include, "include-directories", "", "`FOLDER,...` folders to add to the workspace")
	f.StringVar(&r.record, "record", "", "`FILE` record the model's answers to this file, for replay:FILE")
	f.IntVar(&r.maxTurns, "max-turns", 0, "`N` the maximum number of model requests")
	f.Int64Var(&r.maxTokens, "max-tokens", 0, "`N` stop making requests after this many tokens")
	f.Float64Var(&r.maxCost, "max-cost", 0, "`DOLLARS` stop making requests after this estimated cost; requires models with a known price")
	f.BoolVar(&r.trust, "trust", false, "trust the folder for this run")
	f.BoolVar(&r.noSandbox, "no-sandbox", false, "run commands without a sandbox")
	f.StringVar(&r.cwd, "cwd", "", "`FOLDER` the folder of the session")
	for _, name := range []string{"d", "debug"} {
		f.BoolVar(&r.debug, name, false, "log to standard error")
	}
}

// ofSessions defines the flags that say how the sessions of a server work.
func (r *runFlags) ofSessions(f *flag.FlagSet) {
	f.StringVar(&r.model, "model", "", "`MODEL` the model of new sessions")
	f.StringVar(&r.mode, "approval-mode", "", "`default|auto_edit|plan|yolo` how much new sessions are allowed without approval")
	f.StringVar(&r.allowed, "allowed-tools", "", "`TOOL,...` tools that need no approval")
	f.StringVar(&r.include, "include-directories", "", "`FOLDER,...` folders to add to the workspace")
	f.BoolVar(&r.noSandbox, "no-sandbox", false, "run commands without a sandbox")
	r.format = "text"
}

func (p process) runPrompt(f *flag.FlagSet) cli.Run {
	var r runFlags
	r.define(f)
	return func(ctx context.Context, rest []string) error {
		given := map[string]bool{}
		f.Visit(func(f *flag.Flag) { given[f.Name] = true })
		if err := r.check(rest, given); err != nil {
			return err
		}
		return p.answer(ctx, r, rest, given["p"] || given["prompt"] || len(rest) > 0)
	}
}

// answer runs the prompt and prints the result. prompted reports whether the
// command line has a prompt.
func (p process) answer(ctx context.Context, r runFlags, rest []string, prompted bool) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := p.output(r.format, stop)
	end, err := p.runSession(ctx, r, rest, prompted, out)
	code, err := outcome(context.Cause(ctx), end, err, out.SessionID())
	if code == exitPipe {
		return nil // the reader closed the pipe
	}
	if werr := out.Finish(end, err, code); werr != nil && !isPipeClosed(werr) {
		return werr
	}
	if err != nil {
		return exit{code, err}
	}
	return nil
}

// output returns the client of a run.
func (p process) output(format string, stop context.CancelCauseFunc) *headless.Output {
	return headless.New(headless.Options{Format: format, Writer: p.stdout, Warn: p.warn, Secrets: p.secrets, Stop: stop, Printable: printable, Type: errorType})
}

// exitPipe is the status when the reader closed the pipe, which is not a failure.
const exitPipe = -1

// outcome returns the exit status of a run and the error to print. The cancellation
// cause takes precedence, then the error of the turn, then its stop reason.
func outcome(cause error, end state.Ended, err error, session string) (int, error) {
	var s signalled
	var e exit
	var full *headless.DiskFullError
	switch {
	case errors.As(cause, &s):
		return s.exitStatus(), s
	case errors.As(cause, &full):
		return exitTool, full
	case isPipeClosed(cause):
		return exitPipe, nil
	case errors.As(cause, &e):
		return e.code, e.err
	case cause != nil:
		return statusOf(cause), cause
	case errors.As(err, &e):
		return e.code, e.err
	case errors.Is(err, transcript.ErrUntrusted):
		return exitUntrusted, fmt.Errorf("%w: trust it for this run with --trust, or from now on with `emendo trust add`", err)
	case err != nil:
		return statusOf(err), err
	}
	if end.Incomplete != "" {
		return exitFailure, fmt.Errorf("the answer is incomplete: %s Continue with --resume %s", end.Incomplete, session)
	}
	switch end.StopReason {
	case transcript.EndTurn, transcript.StopMaxTokens:
		return exitOK, nil
	case transcript.MaxTurnRequests:
		if end.Spent != "" {
			return exitTurnLimit, fmt.Errorf("the budget was used up before the task was done. %s Continue with --resume %s", end.Spent, session)
		}
		return exitTurnLimit, fmt.Errorf("%s, with --resume %s", strings.TrimSuffix(view.Stopped(end.StopReason).Text, "."), session)
	case transcript.StopBlocked:
		if end.Halted != "" {
			return exitFailure, fmt.Errorf("a hook blocked the turn: %s", visible.OneLine(printable(end.Halted)))
		}
	case transcript.Refusal, transcript.StopLoop, transcript.StopCancelled, transcript.StopError:
	}
	return exitFailure, errors.New(view.Stopped(end.StopReason).Text)
}

// check validates the flags before anything is read.
func (r *runFlags) check(rest []string, given map[string]bool) error {
	switch {
	case !slices.Contains([]string{"text", "json", "stream-json"}, r.format):
		return cli.BadInput("--output-format: want text, json or stream-json, got %q", r.format)
	case len(rest) == 1 && r.prompt != "":
		return cli.BadInput("two prompts: one with -p and one as an argument")
	case given["max-turns"] && r.maxTurns < 1:
		return cli.BadInput("--max-turns: want at least 1, got %d", r.maxTurns)
	case given["max-tokens"] && r.maxTokens < 1:
		return cli.BadInput("--max-tokens: want at least 1, got %d", r.maxTokens)
	case given["max-cost"] && (r.maxCost <= 0 || math.IsNaN(r.maxCost) || math.IsInf(r.maxCost, 0)):
		return cli.BadInput("--max-cost: want a number of dollars above 0, got %g", r.maxCost)
	case r.sessionID != "" && !transcript.ValidID(r.sessionID):
		return cli.BadInput("--session-id: invalid session ID %q: want 1-64 letters, digits, '-' or '_'", r.sessionID)
	case (given["r"] || given["resume"]) && r.resume == "":
		return cli.BadInput("--resume: want a session ID, latest or an index")
	case r.sessionID != "" && r.resume != "" && r.sessionID != r.resume:
		return cli.BadInput("--session-id and --resume name different sessions")
	}
	if r.mode != "" {
		if _, err := policy.ParseMode(r.mode); err != nil {
			return cli.BadInput("--approval-mode: %v", err)
		}
	}
	return nil
}

// runSession runs the prompt in a new or a resumed session.
func (p process) runSession(ctx context.Context, r runFlags, rest []string, prompted bool, out *headless.Output) (state.Ended, error) {
	var none state.Ended
	at, err := r.placeIn(p)
	if err != nil {
		return none, err
	}
	text := r.prompt
	if len(rest) == 1 {
		text = rest[0]
	}
	prompt, err := p.promptBlocks(ctx, text, prompted)
	if err != nil {
		return none, err
	}
	return r.inSession(ctx, p, at, out, func(ctx context.Context, _ *agent.Agent, s *agent.Session) (state.Ended, error) {
		return s.Prompt(ctx, state.Prompt{Blocks: prompt, Budget: r.budget()})
	})
}

// budget returns the limits of a turn.
func (r runFlags) budget() state.Budget { return state.Budget{Tokens: r.maxTokens, Cost: r.maxCost} }

// placeIn returns where a run works, and tells the user what is to be known of that.
func (r runFlags) placeIn(p process) (place, error) {
	paths, err := p.folders()
	if err != nil {
		return place{}, err
	}
	at, err := r.place(transcript.NewStore(filepath.Join(paths.State, "sessions")))
	if err == nil && at.note != "" {
		p.warn(at.note)
	}
	return at, err
}

// inSession opens the session of a run, and has do run a turn in it.
func (r runFlags) inSession(ctx context.Context, p process, at place, out *headless.Output, do func(context.Context, *agent.Agent, *agent.Session) (state.Ended, error)) (state.Ended, error) {
	var none state.Ended
	paths, err := p.folders()
	if err != nil {
		return none, err
	}
	w, err := p.runWiring(r, paths, &at)
	if err != nil {
		return none, err
	}
	defer w.confined.Close()
	if r.record != "" {
		f, err := os.OpenFile(r.record, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return none, cli.BadInput("--record: %v", err)
		}
		defer f.Close()
		w.record = f
	}
	if err := w.confined.Demand(w.settings.Tools.Sandbox); err != nil {
		return none, exit{exitSandbox, err}
	}
	w.client = out
	a, end, err := w.alone(at.roots)
	if err != nil {
		return none, err
	}
	defer end()
	defer endTelemetry(a)
	s, err := r.session(ctx, a, at)
	if err != nil {
		return none, err
	}
	defer w.startCleanUp(a, 0, w.process.warn)()
	defer a.EndSessions(ctx)
	out.Begin(s)
	return do(ctx, a, s)
}

// unattendedSteps limits the model requests of a turn that no user can stop, unless the
// command line or the settings have a limit. Fixing a bug takes 10 to 50.
const unattendedSteps = 100

// runWiring returns the wiring of a run from the command line, the settings and
// trust. The settings may add folders to the place.
func (p process) runWiring(r runFlags, paths settings.Paths, at *place) (wiring, error) {
	w := wiring{process: p, paths: paths, allowed: splitTools(r.allowed), rules: &policies{paths: paths, warn: p.warn}, log: p.logger()}
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
	w.patient = true
	w.settings.Model.MaxSessionTurns = cmp.Or(r.maxTurns, w.settings.Model.MaxSessionTurns, unattendedSteps)
	if at.resumed == "" {
		at.include(w.settings.Context.IncludeDirectories, w.trusted, p.warn)
	}
	if w.prompt, err = systemprompt.Env(p.env).Options(at.cwd, trusted); err != nil {
		return w, exit{exitConfig, err}
	}
	if w.writer, err = systemprompt.Env(p.env).Writer(at.cwd); err != nil {
		return w, exit{exitConfig, err}
	}
	if err := w.rules.usable(at.cwd, at.roots, trusted); err != nil {
		return w, err
	}
	w.confined = newConfinement(p, paths, w.log, nil)
	w.warnOfTools(p.warn)
	return w, nil
}

// settings returns the settings from the command line, by key.
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

// session creates a session, or opens the one to resume, which begins in the mode that the
// command line or the settings say, not in the one that its last turn had elsewhere.
func (r runFlags) session(ctx context.Context, a *agent.Agent, at place) (*agent.Session, error) {
	if at.resumed == "" {
		return a.Create(ctx, agent.NewSession{ID: r.sessionID, Cwd: at.cwd, Roots: at.roots, Mode: policy.Mode(r.mode)})
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
	mode := cmp.Or(policy.Mode(r.mode), policy.Mode(a.Process.Settings().General.DefaultApprovalMode))
	if r.mode == "" && !s.Trusted() {
		mode = policy.Default // neither the setting nor the editor's trust carries over
	}
	if mode != s.Info().Mode {
		if err := s.SetMode(mode); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// warn prints a warning on standard error.
func (p process) warn(text string) {
	fmt.Fprintln(p.stderr, visible.OneLine(printable(p.secrets.Text(text))))
}

// splitTools splits a list at commas outside parentheses.
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

// errorType returns the name of a failure for scripts.
func errorType(err error, code int) string {
	var me *model.Error
	if errors.As(err, &me) {
		return string(me.Kind)
	}
	for _, s := range statuses {
		if s.code == code && s.name != "" {
			return s.name
		}
	}
	return "failure"
}
