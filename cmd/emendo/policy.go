package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/rules"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
)

// Exit statuses of `emendo policy check`.
const (
	exitAsk  = 3
	exitDeny = 4
)

// policyFlags are the flags of `emendo policy check`.
type policyFlags struct {
	mode, cwd, command, tool, args, level string
	policies                              cli.List
	trusted, noSandbox                    bool
}

// policy has the subcommands that show the rules and their decisions, and remove answers.
func (p process) policy() []cli.Command {
	return []cli.Command{
		{Name: "check", Summary: "print the decision about --command or --tool without running anything", Setup: p.policyCheck},
		{Name: "explain", Args: "COMMAND", Summary: "say what would run, inside what, and why, without running anything", Setup: p.policyExplain},
		{Name: "list", Summary: "list the rules that decide in a folder, with what you have always allowed", Setup: p.policyList},
		{Name: "remove", Args: "ID", Summary: "remove something that you have always allowed", Setup: cli.Plain(p.policyRemove)},
	}
}

// policyCheck prints the decision about a call. It runs nothing.
func (p process) policyCheck(f *flag.FlagSet) cli.Run {
	var o policyFlags
	f.StringVar(&o.mode, "mode", string(policy.Default), "`default|auto_edit|plan|yolo` the approval mode")
	f.StringVar(&o.cwd, "cwd", ".", "`FOLDER` the folder of the session")
	f.BoolVar(&o.trusted, "trusted", false, "decide as if the folder were trusted")
	f.Var(&o.policies, "policy", "`FILE` a file or folder of rules in addition to the user's; may be repeated")
	f.StringVar(&o.level, "level", "a", "`a|b|c` the level of the sandbox to assume, whatever this machine has")
	f.BoolVar(&o.noSandbox, "no-sandbox", false, "decide as if there were no sandbox; the same as --level c")
	f.StringVar(&o.command, "command", "", "`SHELL` the shell command; - reads it from standard input")
	f.StringVar(&o.tool, "tool", "", "`TOOL` the name of the tool")
	f.StringVar(&o.args, "args", "", "`JSON` the arguments of the tool, a JSON object")
	return func(ctx context.Context, _ []string) error {
		mode, err := policy.ParseMode(o.mode)
		if err != nil {
			return cli.BadInput("--mode: %v", err)
		}
		set := map[string]bool{}
		f.Visit(func(f *flag.Flag) { set[f.Name] = true })
		tool, call, err := rules.CallOf(rules.Given{Command: o.command, Tool: o.tool, Args: o.args, HasCommand: set["command"], HasArgs: set["args"]}, p.stdin)
		if err != nil {
			return err
		}
		d, err := p.check(ctx, o, mode, tool, call)
		if err != nil {
			return err
		}
		if err := rules.PrintDecision(p.stdout, d); err != nil || d.Kind == policy.Allow {
			return err
		}
		return exit{code: map[policy.Kind]int{policy.Ask: exitAsk, policy.Deny: exitDeny}[d.Kind]}
	}
}

// check returns the decision that a session would make about a call.
func (p process) check(ctx context.Context, o policyFlags, mode policy.Mode, tool string, call json.RawMessage) (d policy.Decision, err error) {
	err = p.asked(o, func(a *agent.Agent, at place, _ wiring) error {
		d, _, err = a.Check(ctx, agent.NewSession{Cwd: at.cwd, Roots: at.roots, Mode: mode}, tool, call)
		if err != nil {
			return fmt.Errorf("decide about a call of %s: %w", tool, err)
		}
		return nil
	})
	return d, err
}

// asked calls f with an agent in the folder of the flags that asks nobody and runs nothing.
func (p process) asked(o policyFlags, f func(*agent.Agent, place, wiring) error) error {
	level, ok := map[string]sandbox.Level{"": sandbox.Isolated, "a": sandbox.Isolated, "b": sandbox.Restricted, "c": sandbox.Open}[strings.ToLower(o.level)]
	if !ok {
		return cli.BadInput("--level: want a, b or c, not %q", o.level)
	}
	if o.noSandbox {
		level = sandbox.Open
	}
	paths, err := p.folders()
	if err != nil {
		return err
	}
	cwd, err := realDir(o.cwd)
	if err != nil {
		return exit{exitInput, err}
	}
	log := p.logger(sink{p.stderr, slog.LevelWarn})
	store := trust.Open(paths.State)
	trusted := storedTrust(store, log)
	if o.trusted {
		trusted = func(string) bool { return true }
	}
	set, err := p.load(paths, cwd, trusted(cwd), nil, nil, p.warn)
	if err != nil {
		return exit{exitConfig, err}
	}
	at := place{cwd: cwd, roots: []string{cwd}}
	at.include(set.Context.IncludeDirectories, trusted, p.warn)
	rules := &policies{paths: paths, extra: o.policies, warn: p.warn}
	if err := rules.usable(cwd, at.roots, trusted(cwd)); err != nil {
		return err
	}
	w := wiring{process: p, paths: paths, settings: set, trusted: trusted, client: asked{}, rules: rules, approvals: store, log: log}
	w.confined = newConfinement(p, paths, log, &level)
	defer w.confined.Close()
	a, end, err := w.alone(at.roots)
	if err != nil {
		return err
	}
	defer end()
	return f(a, at, w)
}

// asked is a client with an available user who is never asked.
type asked struct{}

func (asked) Show(context.Context, transcript.Update) error { return nil }
func (asked) Abilities() frontend.Abilities                 { return frontend.Abilities{Asks: true} }

func (asked) Ask(context.Context, frontend.Question) (frontend.Answer, error) {
	return frontend.Answer{}, errors.New("a check does not ask the user")
}

func (asked) Elicit(context.Context, frontend.Elicitation) (frontend.Elicited, error) {
	return frontend.Elicited{}, frontend.ErrCannotElicit
}

// policies loads the rules that apply to a session.
type policies struct {
	paths settings.Paths
	extra []string // files and folders added on the command line
	warn  func(string)

	mu       sync.Mutex
	reported []string // problems already reported
}

// answers returns the store of the user's remembered approvals.
func (p *policies) answers() *policy.Answers {
	return &policy.Answers{State: filepath.Join(p.paths.State, "answers"), User: filepath.Join(p.paths.Config, "policies")}
}

// rules returns the rules for a session in cwd, in a workspace of these folders.
// Each problem with a file is reported once.
func (p *policies) rules(cwd string, folders []string, trusted bool) *policy.Engine {
	at := policy.Places{
		Admin: filepath.Join(p.paths.System, "policies"), User: filepath.Join(p.paths.Config, "policies"), Extra: p.extra,
		Answers: []string{p.answers().File(policy.Project, cwd)},
	}
	if trusted {
		for _, dir := range folders {
			for _, of := range own.Folders() {
				if project := filepath.Join(dir, of, "policies"); !slices.Contains(at.Projects, project) {
					at.Projects = append(at.Projects, project)
				}
			}
		}
	}
	engine, wrong := policy.Read(at)
	p.report(wrong)
	return engine
}

// usable returns an error if a policy file cannot be read. An unattended run must
// not start then.
func (p *policies) usable(cwd string, folders []string, trusted bool) error {
	warn := p.warn
	defer func() { p.warn = warn }()
	p.warn = func(string) {}
	broken := p.rules(cwd, folders, trusted).Broken()
	p.reported = nil
	if len(broken) == 0 {
		return nil
	}
	return exit{exitConfig, broken[0]}
}

// report warns about the problems that the last read did not have.
func (p *policies) report(wrong []string) {
	p.mu.Lock()
	news := slices.DeleteFunc(slices.Clone(wrong), func(s string) bool { return slices.Contains(p.reported, s) })
	p.reported = wrong
	p.mu.Unlock()
	for _, text := range news {
		p.warn(text)
	}
}
