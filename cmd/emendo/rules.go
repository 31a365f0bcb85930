package main

import (
	"context"
	"flag"
	"io"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/rules"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools"
)

// policyList lists the rules that decide in a folder.
func (p process) policyList(f *flag.FlagSet) cli.Run {
	var o policyFlags
	f.StringVar(&o.cwd, "cwd", ".", "`FOLDER` the folder of the session")
	asJSON := f.Bool("json", false, "print JSON")
	return func(ctx context.Context, _ []string) error {
		return p.asked(o, func(a *agent.Agent, at place, _ wiring) error {
			l, err := a.Rules(ctx, "", at.cwd)
			if err != nil {
				return err
			}
			if *asJSON {
				return rules.PrintJSON(p.stdout, l)
			}
			return rules.Print(p.stdout, l)
		})
	}
}

// policyRemove removes an answer, a grant or an approval.
func (p process) policyRemove(_ context.Context, args []string) error {
	paths, err := p.folders()
	if err != nil {
		return err
	}
	return agent.RemoveStored((&policies{paths: paths}).answers(), trust.Open(paths.State), args[0])
}

// policyExplain says what a command would run as, inside what, and why.
func (p process) policyExplain(f *flag.FlagSet) cli.Run {
	var o policyFlags
	f.StringVar(&o.mode, "mode", string(policy.Default), "`default|auto_edit|plan|yolo` the approval mode")
	f.StringVar(&o.cwd, "cwd", ".", "`FOLDER` the folder of the session")
	f.BoolVar(&o.trusted, "trusted", false, "explain as if the folder were trusted")
	return func(ctx context.Context, args []string) error {
		mode, err := policy.ParseMode(o.mode)
		if err != nil {
			return cli.BadInput("--mode: %v", err)
		}
		tool, call, err := rules.CallOf(rules.Given{Command: args[0], HasCommand: true}, p.stdin)
		if err != nil {
			return err
		}
		level, err := p.sandboxLevel(o.cwd)
		if err != nil {
			return err
		}
		o.level = level.String()
		return p.asked(o, func(a *agent.Agent, at place, _ wiring) error {
			d, effect, err := a.Check(ctx, agent.NewSession{Cwd: at.cwd, Roots: at.roots, Mode: mode}, tool, call)
			if err != nil {
				return err
			}
			runs, _ := effect.(tools.Runs)
			_, err = io.WriteString(p.stdout, rules.Explanation(d, runs, level))
			return err
		})
	}
}

// sandboxLevel returns the level at which commands run in a folder on this machine.
func (p process) sandboxLevel(dir string) (sandbox.Level, error) {
	paths, err := p.folders()
	if err != nil {
		return sandbox.Open, err
	}
	cwd, err := realDir(dir)
	if err != nil {
		return sandbox.Open, exit{exitInput, err}
	}
	set, err := p.load(paths, cwd, false, nil, nil, func(string) {})
	if err != nil {
		return sandbox.Open, exit{exitConfig, err}
	}
	h := newConfinement(p, paths, nil, nil)
	return h.Use(set.Tools.Sandbox).Survey().Level, nil
}
