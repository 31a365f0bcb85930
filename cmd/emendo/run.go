package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/trust"
)

// runFlags are the command line of `emendo run`.
type runFlags struct {
	prompt, model, format, mode, allowed, resume, sessionID, include, cwd string
	maxTurns                                                              int
	trust, noSandbox, debug                                               bool
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
	out := newOutput(r.format, p)
	end, err := p.runSession(ctx, r, rest, given["p"] || given["prompt"] || len(rest) > 0, out)
	code := exitOK
	switch {
	case context.Cause(ctx) != nil:
		var s signalled
		if errors.As(context.Cause(ctx), &s) {
			code, err = s.code(), s
		}
	case err != nil:
		code = statusOf(err)
		var e exit
		if errors.As(err, &e) {
			code = e.code
		}
	case end.StopReason == agent.MaxTurnRequests:
		code, err = exitTurnLimit, fmt.Errorf("the turn limit is reached before the work is done; resume the session with --resume %s", out.sessionID())
	case end.StopReason != agent.EndTurn && end.StopReason != agent.StopMaxTokens:
		code, err = exitFailure, fmt.Errorf("the turn ended as %s", end.StopReason)
	}
	if werr := out.finish(end, err, code); werr != nil {
		return fmt.Errorf("writing the answer: %w", werr)
	}
	if err != nil {
		return exit{code, err}
	}
	return nil
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
	case r.sessionID != "" && r.resume != "":
		return badInput("--session-id and --resume exclude one another")
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
	log := p.logger(nil, 0)
	if r.debug {
		log = p.logger(p.stderr, slog.LevelDebug)
	}
	cwd, roots, err := r.folders()
	if err != nil {
		return none, exit{exitInput, err}
	}
	text := r.prompt
	if len(rest) == 1 {
		text = rest[0]
	}
	if text, err = p.promptText(ctx, text, prompted); err != nil {
		return none, err
	}
	paths, err := p.folders()
	if err != nil {
		return none, err
	}
	trusted := storedTrust(trust.Open(paths.State), log)
	if r.trust {
		trusted = func(string) bool { return true }
	}
	flags := map[string]any{}
	if r.model != "" {
		flags["model.name"] = r.model
	}
	set, err := p.load(paths, cwd, trusted(cwd), nil, flags, func(w string) { fmt.Fprintln(p.stderr, w) })
	if err != nil {
		return none, exit{exitConfig, err}
	}
	for _, d := range set.Context.IncludeDirectories {
		if real, err := realDir(d); err == nil && !slices.Contains(roots, real) {
			roots = append(roots, real)
		}
	}
	tree, err := disk.NewTree(roots)
	if err != nil {
		return none, exit{exitInput, err}
	}
	workspace := ide.NewWorkspace(tree, ide.UTF8)
	w := wiring{
		process: p, paths: paths, settings: set, trusted: trusted, client: out, workspace: workspace, allowed: splitTools(r.allowed),
		maxSteps: r.maxTurns, mode: agent.Mode(r.mode), log: log,
	}
	a, _, err := w.agent()
	if err != nil {
		return none, exit{exitConfig, err}
	}
	defer workspace.Snapshot().Tree().Close()
	defer a.Close()
	s, err := r.session(ctx, a, cwd, roots)
	if err != nil {
		return none, err
	}
	out.begin(s)
	return s.Prompt(ctx, agent.Prompt{Blocks: []agent.Block{{Type: agent.TextBlock, Text: text}}})
}

// folders are the session's folder and the workspace's.
func (r runFlags) folders() (cwd string, roots []string, err error) {
	dir := r.cwd
	if dir == "" {
		dir = "."
	}
	if cwd, err = realDir(dir); err != nil {
		return "", nil, err
	}
	roots = []string{cwd}
	for d := range strings.SplitSeq(r.include, ",") {
		if d = strings.TrimSpace(d); d == "" {
			continue
		}
		if !filepath.IsAbs(d) {
			d = filepath.Join(cwd, d)
		}
		real, err := realDir(d)
		if err != nil {
			return "", nil, fmt.Errorf("--include-directories: %w", err)
		}
		if !slices.Contains(roots, real) {
			roots = append(roots, real)
		}
	}
	return cwd, roots, nil
}

// session makes a session, or finds the one to go on with.
func (r runFlags) session(ctx context.Context, a *agent.Agent, cwd string, roots []string) (*agent.Session, error) {
	if r.resume == "" {
		return a.Create(ctx, agent.NewSession{ID: r.sessionID, Cwd: cwd, Roots: roots, Mode: agent.Mode(r.mode)})
	}
	id, err := findSession(a, r.resume, cwd)
	if err != nil {
		return nil, err
	}
	s, err := a.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	if r.model != "" {
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

// findSession is the id of the session that --resume means.
func findSession(a *agent.Agent, which, cwd string) (string, error) {
	n, err := strconv.Atoi(which)
	if which != "latest" && err != nil {
		return which, nil
	}
	all, _, err := a.List(agent.Listing{Cwd: cwd})
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", exit{exitInput, errors.New("there is no session of this folder to resume")}
	}
	if which == "latest" {
		return all[0].ID, nil
	}
	slices.SortFunc(all, func(a, b agent.SessionInfo) int { return a.CreatedAt.Compare(b.CreatedAt) })
	if n < 1 || n > len(all) {
		return "", exit{exitInput, fmt.Errorf("there is no session %d of this folder; there are 1 to %d", n, len(all))}
	}
	return all[n-1].ID, nil
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
